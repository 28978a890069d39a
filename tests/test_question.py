"""The options of the entrance: spelled out, checked, and explained where one is misspelled."""

import inspect

import pytest

from stanoff import InputError, compare, compare_counts, contest
from stanoff.question import OPTIONS, Question, Sampling

COUNTS = [30, 4, 1, 5], [1, 1, 1, 90]


@pytest.mark.parametrize("function", [compare, contest, compare_counts])
def test_every_option_is_in_the_signature(function):
    assert set(OPTIONS) <= set(inspect.signature(function).parameters)


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
    signature = inspect.signature(compare).parameters
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
