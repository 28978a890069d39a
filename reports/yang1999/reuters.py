"""Tables 1 and 2 of Yang and Liu (1999) again, from the shipped decisions of five classifiers."""

import gzip
import json
import warnings
from functools import cache

import numpy as np
import pandas as pd

from stanoff import Contest, SamplingWarning, compare, contest, count, measures, significance
from yang1999.published import HERE, PAIRS, ROPES, SIGNS
from yang1999.published import table1 as table1_of_1999

CLASSIFIERS = ("SVM", "kNN", "LLSF", "NNet", "NB")
TESTS = ("s-test", "S-test", "T-test", "T'-test")
MICRO = {  # columns of Table 1
    **{"recall": "micro_recall", "precision": "micro_precision", "f1": "micro_f1"},
    "error": "error",
}
ROPE = 0.01
SAMPLING = {"chains": 2, "draws": 750, "warmup": 350, "seed": 1999}


@cache
def decisions() -> dict[str, list]:
    """Read the label sets, by "truth" and the classifiers' names."""
    with gzip.open(HERE / "decisions.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return {name: [row[name] for row in rows] for name in rows[0]}


def categories() -> pd.DataFrame:
    """Read how many training and test documents each category has."""
    return pd.read_csv(HERE / "categories.csv", index_col="category", keep_default_na=False)


def counts(a: str, b: str):
    """Count the outcome pairs of two classifiers in every category."""
    labels = decisions()
    names = list(categories().index)
    return count(labels["truth"], labels[a], labels[b], average="macro", labels=names)


@cache
def confusion(name: str) -> np.ndarray:
    """Count tp, fp, fn, tn of a classifier in every category."""
    return counts(name, name).cells[0]


def f1_by_category() -> pd.DataFrame:
    """Score every category, a column per classifier."""
    f1 = measures.get("f1")
    scores = {name: f1(confusion(name)) for name in CLASSIFIERS}
    return pd.DataFrame(scores, index=categories().index)


def table1() -> pd.DataFrame:
    """Score the five classifiers as in Table 1."""
    scores, macro = pd.DataFrame(index=pd.Index(CLASSIFIERS, name="method")), f1_by_category()
    for measure, column in MICRO.items():
        pooled = (confusion(name).sum(axis=0) for name in CLASSIFIERS)
        scores[column] = [float(measures.get(measure)(cells)) for cells in pooled]
    scores.insert(3, "macro_f1", macro.mean())
    return scores


@cache
def outcomes() -> pd.DataFrame:
    """Do all tests of every pair, a row each, one-sided and approximated as in the paper."""
    tables = []
    for a, b in PAIRS:
        options = {"alternative": "one-sided", "approximation": "yang1999"}
        tests = significance.all_tests(counts(a, b), **options)
        signs = [SIGNS[test.symbol] for test in tests]
        tables.append(significance.table(tests).assign(A=a, B=b, sign=signs))
    table = pd.concat(tables, ignore_index=True)
    first = ["A", "B", "test", "measure"]
    return table[[*first, *table.columns.drop(first)]]


def table2() -> pd.DataFrame:
    """Arrange the signs of the tests as in Table 2."""
    table = outcomes()
    signs = table[table["test"].isin(TESTS)].set_index(["A", "B", "test"])["sign"].unstack()
    return signs.loc[list(PAIRS), list(TESTS)].rename_axis(columns=None).reset_index()


def test_all_five() -> pd.DataFrame:
    """Test all five classifiers at once."""
    scores = f1_by_category()
    return significance.table([significance.friedman_test(scores), significance.anova_test(scores)])


def compared() -> tuple[pd.DataFrame, list[str]]:
    """Compare every pair with the hierarchical model; return the verdicts and the warnings."""
    rows, problems, scores, labels = [], [], table1(), decisions()
    options = {"average": "macro", "model": "hierarchical", "rope": ROPE, **SAMPLING}
    for a, b in PAIRS:
        print(f"fitting the hierarchical model to {a} and {b}", flush=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)  # the page shows them
            result = compare(labels["truth"], labels[a], labels[b], names=(a, b), **options)
        problems += [f"{a} and {b}: {text}" for text in result.sampler_warnings]
        for average in ("micro", "macro"):
            observed = scores[f"{average}_f1"]
            row = {"A": a, "B": b, "average": average, "observed": observed[a] - observed[b]}
            rows.append(result.evidence(average).as_row() | row)
    columns = ["A", "B", "average", "psi_A", "psi_B", "mean", "std", "p_less", "p_rope"]
    columns += ["p_greater", "hdi_low", "hdi_high", "decision", "observed"]
    return pd.DataFrame(rows)[columns], problems


@cache
def contested() -> Contest:
    """Compare all five classifiers at once, category by category."""
    labels, names = decisions(), list(categories().index)
    predictions = {name: labels[name] for name in CLASSIFIERS}
    options = {"average": "micro", "labels": names, "rope": ROPE, "seed": SAMPLING["seed"]}
    return contest(labels["truth"], predictions, **options)


def orders() -> pd.DataFrame:
    """Put the tiers of the contest beside the order of the printed scores, by measure."""
    rows = []
    for measure, column in MICRO.items():
        result = contested().judge(measure=measure, rope=ROPES[measure])
        printed = table1_of_1999()[column].sort_values(ascending=measure == "error")
        rows.append(
            {
                "measure": result.measure.label,
                "ROPE": f"±{ROPES[measure]:g}",
                "tiers now": "; ".join(", ".join(tier) for tier in result.tiers()),
                "order of the scores of 1999": ", ".join(printed.index),
            }
        )
    return pd.DataFrame(rows)
