import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

import stanoff
from stanoff import cli, measures
from stanoff.errors import InputError
from stanoff.measures import ALIASES, CELLS, MEASURES, SCORES, get
from stanoff.measures.invariance import (
    OF_THE_PAPER,
    TRANSFORMATIONS,
    clusters,
    examine,
    legend,
    table,
)

# The signs of Table 10 as printed, and those of them that its own formulas contradict. What the
# paper calls AUC is that of labels, the balanced accuracy.
PRINTED = {
    "accuracy": "+---",
    "sensitivity": "-++-",
    "specificity": "----",
    "precision": "-+-+",
    "f1": "-+--",
    "break_even": "-+--",
    "balanced_accuracy": "----",
    "rho_plus": "----",
    "rho_minus": "----",
    "auc_acc": "----",
}
WRONGLY_PRINTED = {("balanced_accuracy", "t1"), ("auc_acc", "t1")}


def by_hand(name, tp, fp, fn, tn):
    """The change written out once more, cell by cell, with fractions."""
    k, m, other = Fraction(7, 3), Fraction(2, 5), Fraction(17, 4)
    return {
        "t1": (tn, fn, fp, tp),
        "t2": (tp, fp, fn, other),
        "t3": (tp, other, fn, tn),
        "t4": (k * tp, k * fp, m * fn, m * tn),
        "sizes": (k * tp, m * fp, k * fn, m * tn),
    }[name]


@pytest.fixture
def registered():
    """Register measures for one test."""
    before = set(MEASURES)
    yield measures.register
    for name in set(MEASURES) - before:
        del MEASURES[name]


def test_the_signs_are_those_of_the_paper_but_for_two():
    differing = {
        (name, change)
        for name, printed in PRINTED.items()
        for change, sign in zip(OF_THE_PAPER, printed, strict=True)
        if examine(name)[change].sign != sign
    }
    assert differing == WRONGLY_PRINTED


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("settings", [{}, {"prevalence": 0.2}], ids=str)
def test_every_measure_agrees_with_brute_force_in_floating_point(name, settings):
    measure = get(name, **settings)
    tables = list(itertools.product((1, 2, 5, 11), repeat=4))
    for change in TRANSFORMATIONS:
        after = [by_hand(change, *map(Fraction, cells)) for cells in tables]
        same = np.allclose(measure(tables), measure(np.array(after, dtype=float)), rtol=1e-9)
        assert examine(name, **settings)[change].invariant == same


@pytest.mark.parametrize("name", MEASURES)
def test_every_sign_is_proven(name):
    for finding in examine(name).findings:
        if finding.invariant:
            assert "Equal on 64 random tables" in finding.reason
            continue
        example = finding.example
        values = finding.measure([example.before, example.after])
        assert values == pytest.approx([float(example.value_before), float(example.value_after)])
        assert example.value_before != example.value_after
        assert max(example.before) <= 4
        assert str(example) in finding.reason


def test_examples_are_changes_of_their_kind():
    for name in MEASURES:
        for finding in examine(name).findings:
            if finding.invariant:
                continue
            before = dict(zip(CELLS, finding.example.before, strict=True))
            after = dict(zip(CELLS, finding.example.after, strict=True))
            changed = {cell for cell in CELLS if before[cell] != after[cell]}
            factor = {cell: Fraction(after[cell], before[cell]) for cell in CELLS}
            kind = finding.transformation.name
            if kind == "t1":
                assert [after[c] for c in ("tn", "fn", "fp", "tp")] == list(before.values())
            elif kind in ("t2", "t3"):
                assert changed == {"tn" if kind == "t2" else "fp"}
            else:
                first, second = ("fp", "fn") if kind == "t4" else ("fn", "fp")
                assert factor["tp"] == factor[first]
                assert factor[second] == factor["tn"]


def test_the_example_is_the_smallest():
    found = examine("f1")["t3"].example
    assert (found.before, found.after) == ((1, 1, 1, 1), (1, 2, 1, 1))
    assert (found.value_before, found.value_after) == (0.5, 0.4)
    # With all cells 1 G-mean is 1/2 and stays under t4 with two equal factors only.
    assert str(examine("g_mean")["t4"].example).endswith("gives 0.4714")


@pytest.mark.parametrize(
    ("beta", "signature"),
    [(0, "-+-+"), (0.5, "-+--"), (1, "-+--"), (3, "-+--"), (math.inf, "-++-")],
)
def test_f_beta_is_precision_at_one_end_and_recall_at_the_other(beta, signature):
    assert examine("f1", beta=beta).signature == signature


def test_a_prevalence_makes_the_sizes_of_the_classes_irrelevant():
    assert set(table(prevalence=0.3)["sizes"]) == {"+"}
    assert examine("accuracy", prevalence=0.5)["t1"].invariant
    assert not examine("accuracy", prevalence=0.3)["t1"].invariant


def test_what_more_false_positives_do_is_told():
    # Section 6 says that AUC, rho+, rho- and AUC:acc are not monotonic in fp; of these only AUC:acc
    # is not. Kappa is not where it is below 0.
    trends = {name: examine(name)["t3"].trend for name in MEASURES}
    assert {n for n, trend in trends.items() if trend == "rises"} == {"error", "fpr", "rho_minus"}
    assert {n for n, trend in trends.items() if trend == "either"} == {"auc_acc", "kappa"}
    assert {n for n, trend in trends.items() if trend == ""} == {"recall", "fnr", "npv"}
    assert "It may rise or fall as fp grows." in examine("auc_acc")["t3"].reason
    assert examine("accuracy")["t2"].reason.endswith("It rises as tn grows.")


def test_clusters_hold_every_measure_once():
    groups = clusters()
    assert sorted(itertools.chain(*groups.values())) == sorted(MEASURES)
    assert groups["-+--"] == ("fbeta", "break_even", "jaccard")
    assert groups["----"] == ("specificity", "fpr", "rho_plus", "rho_minus")
    for signature, alike in groups.items():
        assert {examine(name).signature for name in alike} == {signature}


def test_the_table_has_the_same_signs():
    rows = table().set_index("measure")
    assert list(rows.index) == list(MEASURES)
    for name in MEASURES:
        assert "".join(rows.loc[name, list(OF_THE_PAPER)]) == examine(name).signature
    assert table(["sensitivity"])["measure"].tolist() == [ALIASES["sensitivity"]]


def test_measures_of_ones_own_are_examined(registered):
    registered("rooted")(lambda tp, fp, fn, tn: np.sqrt(tp / (tp + fp)) * np.sqrt(tp / (tp + fn)))
    registered("cost")(lambda tp, fp, fn, tn: 5 * fn + fp)
    registered("lift")(lambda tp, fp, fn, tn: np.maximum(tp, fp) / np.minimum(tp, fp))
    registered("constant")(lambda tp, fp, fn, tn: 0 * tp + 1)
    registered("pole")(lambda tp, fp, fn, tn: 1 / (tp - fp))
    assert {name: examine(name).signature for name in list(MEASURES)[-5:]} == {
        "rooted": "-+--",
        "cost": "-+--",
        "lift": "-+-+",
        "constant": "++++",
        "pole": "-+--",
    }


def test_a_measure_with_a_logarithm_is_examined(registered):
    registered("bits")(lambda tp, fp, fn, tn: -np.log2(tp / (tp + fp)))
    registered("rounded")(lambda tp, fp, fn, tn: tp.astype(float) / (tp + fp).astype(float))
    for name in ("bits", "rounded"):
        found = examine(name)
        assert found.signature == "-+-+"
        assert "Equal on 64 random tables" in found["t2"].reason
        assert "-0.0" not in found["t1"].reason


def test_a_measure_that_is_registered_anew_is_examined_anew(registered):
    registered("mine")(lambda tp, fp, fn, tn: tp / (tp + fp))
    assert examine("mine").signature == "-+-+"
    del MEASURES["mine"]
    registered("mine")(lambda tp, fp, fn, tn: tp / (tp + fn))
    assert examine("mine").signature == "-++-"


def test_a_measure_with_its_settings_is_taken_as_it_is():
    assert examine(get("f1", beta=0)).signature == examine("precision").signature
    with pytest.raises(InputError, match="a name where beta or prevalence is given"):
        examine(get("f1"), beta=2)
    with pytest.raises(InputError, match="Did you mean 'recall'"):
        examine("recal")
    with pytest.raises(InputError, match="'transformation' parameter must be one of t1, t2, t3"):
        examine("recall")["t9"]


def test_it_is_a_public_module():
    assert stanoff.invariance.examine is examine
    assert stanoff.recommend.SITUATIONS


def test_words_tell_all():
    told = examine("jaccard").explain()
    assert told.startswith("jaccard = tp / (tp + fp + fn)\n")
    for finding in examine("jaccard").findings:
        assert finding.reason in told
    assert "not in the paper" in told
    assert "   -+--  fbeta, break_even, jaccard" in legend()


def run(*arguments):
    ran = CliRunner().invoke(cli.main, ["measures", *arguments])
    assert ran.exit_code == 0, ran.output
    return ran.output


def test_the_command_line_tells_the_same():
    shown = run("--invariance")
    assert all(name in shown for name in MEASURES)
    assert all(line.strip().split(",")[0][:20] in shown for line in legend())
    assert run("--explain", "mcc") == examine("mcc").explain() + "\n"
    assert run("--explain", "f1", "--beta", "0") == examine("f1", beta=0).explain() + "\n"
    rows = json.loads(run("--invariance", "--format", "json", "--prevalence", "0.1"))["results"]
    assert rows == table(prevalence=0.1).to_dict("records")
    assert run("--invariance", "--format", "csv").splitlines()[1] == "fbeta,-,+,-,-,-"
    assert r"| recall | \- | \+ | \+ | \- | \+ |" in run("--invariance", "--format", "markdown")
    row = json.loads(run("--explain", "f1", "--format", "json"))["results"][2]
    assert (row["invariant"], row["before"], row["after"]) == ("-", "1 1 1 1", "1 2 1 1")
    assert (row["value_before"], row["value_after"]) == ("1/2", "2/5")
    assert run("--suited", "imbalance") == stanoff.recommend.advice("imbalance") + "\n"
    assert run("--suited", "imbalance", "--format", "csv").startswith("measure,suits,t1,sizes,")
    listed = json.loads(run("--format", "json"))["results"]
    listed_names = [row["measure"] for row in listed]
    assert listed_names[: len(MEASURES)] == list(MEASURES)
    assert set(SCORES) <= set(listed_names)
    assert listed[10]["greatest"] == "inf"


def test_the_help_names_every_situation():
    told = run("--help").replace("\n", " ")
    assert all(name in told for name in stanoff.recommend.SITUATIONS)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--explain", "recal"], 1, "Did you mean 'recall'"),
        (["--suited", "imbalanced"], 1, "Did you mean 'imbalance'"),
        (["--invariance", "--explain", "f1"], 2, "exclude each other"),
    ],
)
def test_errors_are_one_sentence(arguments, code, message):
    ran = CliRunner().invoke(cli.main, ["measures", *arguments])
    assert ran.exit_code == code
    assert message in ran.output
