"""Tables 1 and 2 of Yang and Liu (1999) again, from the shipped decisions of five classifiers."""

import gzip
import json
import warnings
from functools import cache

import pandas as pd

from stanoff import (
    Comparison,
    Contest,
    SamplingWarning,
    compare,
    contest,
    count,
    measures,
    significance,
)
from stanoff._lib.progress import show_progress
from yang1999.published import HERE, PAIRS, ROPES, SIGNS
from yang1999.published import table1 as table1_of_1999

CLASSIFIERS = ("SVM", "kNN", "LLSF", "NNet", "NB")
TESTS = ("s-test", "S-test", "T-test", "T'-test")
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
    said = decisions()
    names = list(categories().index)
    return count(said["truth"], said[a], said[b], average="macro", labels=names)


def cells(name: str):
    """Count tp, fp, fn, tn of a classifier in every category."""
    return counts(name, name).cells[0]


@cache
def f1_by_category() -> pd.DataFrame:
    """Score every category, a column per classifier."""
    f1 = measures.get("f1")
    return pd.DataFrame({name: f1(cells(name)) for name in CLASSIFIERS}, index=categories().index)


def table1() -> pd.DataFrame:
    """Score the five classifiers as in Table 1."""
    rows = {}
    for name in CLASSIFIERS:
        each = cells(name)
        pooled = {m: float(measures.get(m)(each.sum(axis=0))) for m in ("recall", "precision")}
        rows[name] = {
            "micro_recall": pooled["recall"],
            "micro_precision": pooled["precision"],
            "micro_f1": float(measures.get("f1")(each.sum(axis=0))),
            "macro_f1": float(measures.get("f1")(each).mean()),
            "error": float(measures.get("error")(each.sum(axis=0))),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")


@cache
def outcomes() -> pd.DataFrame:
    """Do all tests of every pair, a row each, one-sided and approximated as in the paper."""
    rows = []
    for a, b in PAIRS:
        done = significance.all_tests(
            counts(a, b), alternative="one-sided", approximation="yang1999"
        )
        signs = [SIGNS[outcome.symbol] for outcome in done]
        rows.append(significance.table(done).assign(A=a, B=b, sign=signs))
    every = pd.concat(rows, ignore_index=True)
    first = ["A", "B", "test", "measure"]
    return every[first + [name for name in every.columns if name not in first]]


def table2() -> pd.DataFrame:
    """Arrange the signs of the tests as in Table 2."""
    every = outcomes()
    signs = every[every["test"].isin(TESTS)].set_index(["A", "B", "test"])["sign"].unstack()
    return signs.loc[list(PAIRS), list(TESTS)].rename_axis(columns=None).reset_index()


def of_all_five() -> pd.DataFrame:
    """Test all five classifiers at once."""
    scores = f1_by_category()
    return significance.table([significance.friedman_test(scores), significance.anova_test(scores)])


def compared() -> tuple[pd.DataFrame, list[str]]:
    """Compare every pair with the hierarchical model; return the verdicts and the warnings."""
    rows, complaints, scores = [], [], table1()
    with show_progress("fitting the hierarchical model to every pair", total=len(PAIRS)) as advance:
        for done, (a, b) in enumerate(PAIRS, start=1):
            result = fitted(a, b)
            complaints += [f"{a} and {b}: {text}" for text in result.sampler_warnings]
            for average in ("micro", "macro"):
                observed = scores[f"{average}_f1"]
                rows.append({**_row(result, average), "observed": observed[a] - observed[b]})
            advance(done)
    return pd.DataFrame(rows), complaints


def fitted(a: str, b: str) -> Comparison:
    """Compare two classifiers with the hierarchical model; the page shows its warnings."""
    said = decisions()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        return compare(
            said["truth"],
            said[a],
            said[b],
            average="macro",
            model="hierarchical",
            rope=ROPE,
            names=(a, b),
            **SAMPLING,
        )


@cache
def contested() -> Contest:
    """Compare all five classifiers at once, category by category."""
    said = dict(decisions())
    names = list(categories().index)
    truth = said.pop("truth")
    said = {name: said[name] for name in CLASSIFIERS}
    options = {"average": "micro", "labels": names, "rope": ROPE, "seed": SAMPLING["seed"]}
    return contest(truth, said, **options)


def orders() -> pd.DataFrame:
    """Put the tiers of the contest beside the order of the printed scores, by measure."""
    rows, then = [], table1_of_1999()
    for measure, column in (
        ("recall", "micro_recall"),
        ("precision", "micro_precision"),
        ("f1", "micro_f1"),
        ("error", "error"),
    ):
        rope = ROPES[measure]
        result = contested().judge(measure=measure, rope=rope)
        printed = then[column].sort_values(ascending=measure == "error")
        rows.append(
            {
                "measure": result.measure.label,
                "ROPE": f"±{rope:g}",
                "tiers now": "; ".join(", ".join(tier) for tier in result.tiers()),
                "order of the scores of 1999": ", ".join(printed.index),
            }
        )
    return pd.DataFrame(rows)


def _row(result: Comparison, average: str) -> dict:
    said = result.evidence(average)
    names = ("psi_A", "psi_B", "mean", "std", "p_less", "p_rope", "p_greater")
    return {
        **dict(zip(("A", "B"), result.names, strict=True)),
        "average": average,
        **{name: getattr(said, name) for name in names},
        **dict(zip(("hdi_low", "hdi_high"), said.hdi, strict=True)),
        "decision": said.decision.symbol,
    }
