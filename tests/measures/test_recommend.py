import pytest

from stanoff import measures
from stanoff.errors import InputError
from stanoff.measures import MEASURES
from stanoff.measures.invariance import examine
from stanoff.measures.recommend import SITUATIONS, advice
from stanoff.measures.recommend import table as recommend


def names(situation, verdict="yes"):
    table = recommend(situation)
    return set(table.loc[table["suits"] == verdict, "measure"])


def test_the_paper_says_the_same():
    # Section 6: a multi-modal negative class favours the F-score and its kin, and for a unimodal
    # one there are accuracy and specificity.
    group = {"fbeta", "precision", "recall", "break_even"}
    assert group <= names("multimodal_negatives")
    assert not group & names("unimodal_negatives")
    assert {"accuracy", "specificity", "auc_acc"} <= names("unimodal_negatives")
    # Section 4: recall, which is invariant under t3, may mislead where labels are unreliable.
    assert "recall" not in names("unreliable_labels")
    assert "recall" in names("many_counterexamples")
    assert "precision" in names("comparable_proportions")


def test_balanced_accuracy_suits_imbalance_by_what_is_not_in_the_paper():
    assert {"balanced_accuracy", "g_mean", "youden_j"} <= names("imbalance", "by sizes only")
    assert "accuracy" in names("imbalance", "no")
    told = advice("imbalance")
    assert "sizes, which is not in the paper" in told
    assert "Suits by sizes only: balanced_accuracy, g_mean, youden_j, dor." in told


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_measure_is_judged_once_by_the_rules(situation):
    table = recommend(situation)
    assert sorted(table["measure"]) == sorted(MEASURES)
    for row in table.to_dict("records"):
        found = examine(row["measure"])
        held = [
            found[rule.transformation].sign == rule.sign for rule in SITUATIONS[situation].rules
        ]
        assert (row["suits"] == "yes") == all(held)
        assert (row["suits"] == "no") == (not any(held))
    order = [verdict != "yes" for verdict in table["suits"]]
    assert order == sorted(order)


def test_situations_add_up():
    both = names(["multimodal_negatives", "unreliable_labels"])
    assert both == names("multimodal_negatives") & names("unreliable_labels")
    assert both == {"fbeta", "precision", "break_even", "jaccard"}


def test_cautions_are_about_labelling_all_documents_alike():
    cautions = recommend("imbalance").set_index("measure")["caution"]
    told = {name: text.rsplit(" ", 1)[-1] for name, text in cautions.items() if text}
    assert told == {
        "recall": "positive",
        "fnr": "positive",
        "specificity": "negative",
        "fpr": "negative",
    }
    # Not where the measure does not suit anyway.
    assert "Caution: recall and fnr are best" in advice("many_counterexamples")
    assert "specificity and fpr are best" not in advice("many_counterexamples")


def test_settings_of_the_measures_count():
    assert "fbeta" in set(
        recommend("multimodal_negatives", ["f1"]).query("suits == 'yes'")["measure"]
    )
    assert recommend("multimodal_negatives", ["f1"], prevalence=0.1)["suits"].tolist() == ["no"]
    assert recommend("comparable_proportions", ["f1"], beta=0)["suits"].tolist() == ["yes"]


def test_a_measure_of_ones_own_is_judged_too():
    @measures.register("found_share", range=(0, 1))
    def found_share(tp, fp, fn, tn):
        return tp / (tp + fn)

    try:
        row = recommend("imbalance").set_index("measure").loc["found_share"]
    finally:
        del MEASURES["found_share"]
    assert row.to_dict() == {
        "suits": "yes",
        "t1": "-",
        "sizes": "+",
        "caution": "best where everything is called positive",
    }


@pytest.mark.parametrize(
    ("situations", "message"),
    [
        ("imbalanced", "Did you mean 'imbalance'"),
        ([], "at least one name"),
        ([3], "must be one of"),
        (["unreliable_labels", "many_counterexamples"], "at one about t3"),
    ],
)
def test_situations_that_cannot_be_are_errors(situations, message):
    with pytest.raises(InputError, match=message):
        recommend(situations)
