"""The options of the entrance: spelled out, checked, and explained where one is misspelled."""

import inspect

import pandas as pd
import pytest

from stanoff import InputError, compare, compare_counts, contest
from stanoff.options import FIT as OPTIONS
from stanoff.options import OF_CONTESTS
from stanoff.question import Question, Sampling

COUNTS = [30, 4, 1, 5], [1, 1, 1, 90]
QUICK = {"engine": "exact", "seed": 1}


@pytest.mark.parametrize("function", [compare, contest, compare_counts])
def test_every_option_is_in_the_signature(function):
    offered = OPTIONS if function is contest else set(OPTIONS) - set(OF_CONTESTS)
    assert set(offered) <= set(inspect.signature(function).parameters)


@pytest.mark.parametrize("function", [compare, contest, compare_counts])
def test_an_unknown_keyword_is_told_with_the_nearest(function):
    message = rf"{function.__name__}\(\) has no option 'ropee'; did you mean 'rope'\?"
    for error in (InputError, TypeError):
        with pytest.raises(error, match=message):
            function(ropee=0.1)
    with pytest.raises(InputError, match=rf"{function.__name__}\(\) has no option 'xyzzy'\."):
        function(xyzzy=1)


def test_judge_names_what_it_does_not_know():
    result = compare_counts(*COUNTS, engine="exact", seed=1, draws=100)
    with pytest.raises(InputError, match=r"judge\(\) has no option 'ropes'; did you mean 'rope'"):
        result.judge(ropes=0.1)


def test_none_stands_for_the_default():
    assert Question.read(rope=None, hdi_prob=None) == Question.read()
    assert Sampling.read(engine=None, seed=1) == Sampling.read(engine="auto", seed=1)


def test_the_defaults_in_the_signature_are_those_of_the_objects():
    signature = inspect.signature(contest).parameters
    given = {name: signature[name].default for name in OPTIONS} | {"seed": 1}
    question, sampling = Question.read(), Sampling.read(seed=1)
    assert Question.read(**{k: given[k] for k in given if k in Question.__match_args__}) == question
    assert Sampling.read(**{k: given[k] for k in given if k in Sampling.__match_args__}) == sampling


def test_an_input_error_carries_what_it_is_about():
    with pytest.raises(InputError) as caught:
        compare_counts(*COUNTS, hdi_prob=95)
    error = caught.value
    assert (error.parameter, error.value) == ("hdi_prob", "95")
    assert error.rule == "a number between 0 and 1, both excluded"


def test_a_changed_question_keeps_the_rest():
    question = Question.read(measure="fbeta", beta=2, zero_division=1, rope=0.02)
    assert question.changed(hdi_prob=0.9).measure == question.measure
    assert question.changed(zero_division=0).measure.beta == 2
    other = question.changed(measure="f1").measure
    assert (other.beta, other.zero_division) == (1, 1)
    share = Question.read(measure="mean", rope="2%")
    assert (share.rope, share.rope_of) == ((-0.02, 0.02), "mean")
    assert share.changed(hdi_prob=0.9).rope_of == "mean"
    assert share.changed(rope=0.1).rope_of is None


@pytest.mark.parametrize("rope", [2, 0.3, 0.6, (-0.01, 1), (-0.3, 0.3)])
def test_a_rope_that_holds_half_of_all_scores_is_refused(rope):
    with pytest.raises(InputError, match="at most half as wide as the range of F1, which is 0 to"):
        compare_counts(*COUNTS, rope=rope)
    result = compare_counts(*COUNTS, engine="exact", seed=1, draws=100, rope=0.25)
    with pytest.raises(InputError, match="'rope'"):
        result.judge(rope=rope)


def test_hundredths_are_advised():
    with pytest.raises(InputError, match=r"Got 2 instead\. For 2 of a hundred pass 0\.02\."):
        Question.read(rope=2)
    assert Question.read(measure="mean", rope=2).rope == (-2, 2)
    assert Question.read(measure="mcc", rope=0.5).rope == (-0.5, 0.5)
    assert Question.read(measure="mean", rope="50%").rope_of == "mean"


A_VALUES, B_VALUES = [3.0, 4.0, 5.0, 6.5] * 5, [3.5, 4.0, 4.5, 6.0] * 5


@pytest.mark.parametrize("name", ["abs_error", "loss", "latency", "Loss ", "test-errors"])
def test_costs_ask_which_way_is_better(name):
    table = {f"{name}_a": A_VALUES, f"{name}_b": B_VALUES}
    frame = pd.DataFrame(table)
    a, b = table
    with pytest.raises(InputError, match="small ones are good: pass higher_is_better=False"):
        compare(frame, a=a, b=b, measure="mean", **QUICK)
    with pytest.raises(InputError, match="higher_is_better=False"):
        contest(table, measure="mean", **QUICK)
    for higher in (True, False):
        result = compare(frame, a=a, b=b, measure="mean", higher_is_better=higher, **QUICK)
        assert result.measure.higher_is_better == higher
    compare(frame, a=a, b=b, measure="mean", names=("x", "y"), higher_is_better=True, **QUICK)


def test_other_names_are_not_asked():
    for name in ("gloss", "terror", "glossary"):
        compare(
            pd.DataFrame({name: A_VALUES, "b": B_VALUES}), a=name, b="b", measure="mean", **QUICK
        )


def test_a_column_of_costs_in_long_format_asks_too():
    frame = pd.DataFrame(
        {"i": [*range(20), *range(20)], "s": ["p"] * 20 + ["q"] * 20, "loss": A_VALUES + B_VALUES}
    )
    options = {"item": "i", "system": "s", "value": "loss", "measure": "mean"}
    with pytest.raises(InputError, match="'loss' seems to hold"):
        contest(frame, **options, **QUICK)
    assert contest(frame, **options, higher_is_better=False, **QUICK).systems == ("p", "q")


def test_the_default_rope_on_another_scale_is_pointed_out_with_the_means():
    def told(scale, **options):
        a, b = ([scale * v for v in values] for values in (A_VALUES, B_VALUES))
        return str(compare(a, b, measure="mean", **QUICK, **options))

    said = told(1)
    assert "Note: The ROPE ±0.05 suits scores between 0 and 1, but what was observed is" in said
    assert "is 4.62 (A), 4.5 (B): pass a ROPE in the unit of the values" in said
    assert "rope='2%'" in said
    assert "suits scores" in told(0.001)
    assert "suits scores" not in told(0.1)
    assert "suits scores" not in told(1, rope=0.5)
    assert "suits scores" not in told(1, rope="2%")


def test_what_matters_is_printed_with_the_sentence():
    result = compare_counts(
        *COUNTS, engine="exact", seed=1, draws=100, prevalence=0.3, measure="recall"
    )
    [note] = [w for w in result.warnings if "prevalence=0.3 changes nothing" in w]
    assert str(result) == f"{result.sentence()}\nNote: {note}"
    f1 = compare_counts([300, 40, 10, 50], [10, 10, 10, 900], engine="exact", seed=1)
    assert not any("bf_sd" in warning for warning in f1.warnings)
    assert str(f1) == f1.sentence()
    assert (
        "the prior density at 0 is infinite: it depends on the kernel's bandwidth"
        in f1.to_markdown()
    )
