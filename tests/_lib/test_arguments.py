"""Readers of arguments: what they take, and what they say of the rest."""

import math

import numpy as np
import pytest

from stanoff._lib.arguments import (
    MAX_SEED,
    as_jobs,
    as_names,
    as_rope,
    as_seed,
    check_bool,
    check_choice,
    check_int,
    check_probability,
    cores,
)
from stanoff.errors import InputError


@pytest.mark.parametrize(
    ("given", "rope"),
    [
        (0.05, (-0.05, 0.05)),
        (0, (0.0, 0.0)),
        ((-0.01, 0.03), (-0.01, 0.03)),
        ([0.01, 0.01], (0.01, 0.01)),
        (np.float64(0.1), (-0.1, 0.1)),
        (np.array([-1, 2]), (-1.0, 2.0)),
    ],
)
def test_a_rope_is_a_half_width_or_two_ends(given, rope):
    read = as_rope(given)
    assert read == rope
    assert all(isinstance(end, float) for end in read)
    assert math.copysign(1, as_rope(0)[0]) == 1  # not -0.0


@pytest.mark.parametrize(
    "wrong",
    [-1, (0.1, -0.1), (0.1,), (1, 2, 3), math.nan, math.inf, "0.1", "12", None, True, {0: 1, 1: 2}],
)
def test_a_rope_that_is_none_is_told_as_it_was_given(wrong):
    with pytest.raises(InputError, match="'rope' parameter must be a half-width >= 0 or") as told:
        as_rope(wrong)
    assert str(told.value).endswith(f"Got {wrong!r} instead.")


def test_whole_numbers_may_be_numpys_but_not_true():
    assert check_int("draws", np.int64(7)) == 7
    for wrong in (0, -1, 1.0, True, "3", None):
        with pytest.raises(InputError, match="'draws' parameter must be a whole number >= 1"):
            check_int("draws", wrong)
    with pytest.raises(InputError, match=r"'n' parameter must be a whole number from 2 to 1,000\."):
        check_int("n", 1001, least=2, most=1000)


def test_a_seed_is_taken_or_made():
    assert as_seed(0) == 0
    assert as_seed(MAX_SEED) == MAX_SEED
    assert 1 <= as_seed(None) <= MAX_SEED
    for wrong in (-1, MAX_SEED + 1, 1.5, "1", False):
        with pytest.raises(InputError, match="'seed'"):
            as_seed(wrong)


def test_a_probability_is_strictly_between_0_and_1():
    assert check_probability("hdi_prob", np.float32(0.5)) == 0.5
    for wrong in (0, 1, 95, math.nan, "0.5", None, True):
        with pytest.raises(InputError, match="'hdi_prob' parameter must be a number between 0"):
            check_probability("hdi_prob", wrong)


def test_a_flag_is_true_or_false():
    assert check_bool("same_documents", False) is False
    for wrong in (0, 1, "no", None):
        with pytest.raises(InputError, match="'same_documents' parameter must be True or False"):
            check_bool("same_documents", wrong)


def test_an_unknown_word_is_told_with_the_nearest():
    assert check_choice("average", "macro", ("macro", "micro")) == "macro"
    with pytest.raises(InputError, match=r"one of macro, micro\. Got 'makro' .* mean 'macro'"):
        check_choice("average", "makro", ("macro", "micro"))
    with pytest.raises(InputError, match="'average'"):
        check_choice("average", 3, ("macro", "micro"))


def test_names_are_two_different_ones():
    assert as_names(["svm ", "naive\n Bayes"]) == ("svm", "naive Bayes")
    for wrong in ("ab", ("a", "a"), ("a", " a"), ("a",), ("a", "b", "c"), ("a", ""), None, 3):
        with pytest.raises(InputError, match="'names' parameter must be two different names"):
            as_names(wrong)
    with pytest.raises(InputError, match="'names' parameter must be printable"):
        as_names(("a", "\u202egnp.exe"))


def test_jobs_are_one_per_processor_by_default():
    assert as_jobs(None) == cores() >= 1
    assert as_jobs(3) == 3
    with pytest.raises(InputError, match="'jobs'"):
        as_jobs(0)
