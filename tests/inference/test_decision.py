import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stanoff._lib.arguments import as_rope, check_probability
from stanoff.errors import InputError
from stanoff.inference.decision import Decision, decide, decide_all

ROPE = (-0.05, 0.05)


@pytest.mark.parametrize(
    ("hdi", "verdict"),
    [
        ((-0.04, 0.04), "="),
        ((-0.05, 0.05), "="),  # closed: touching from inside is inside
        ((-0.20, -0.06), "<<"),
        ((-0.20, -0.05), "<<"),  # closed: touching from outside is outside
        ((0.05, 0.20), ">>"),
        ((0.06, 0.20), ">>"),
        ((-0.20, -0.04), "<"),
        ((-0.06, 0.05), "<"),
        ((-0.05, 0.06), ">"),
        ((-0.30, 0.31), ">"),
        ((-0.06, 0.06), ">"),  # a tie counts as the right side
    ],
)
def test_the_rule_of_the_paper(hdi, verdict):
    assert decide(hdi, ROPE) == verdict


def test_a_rope_away_from_zero():
    assert decide((0.02, 0.09), (0.01, 0.1)) == "="
    assert decide((-0.02, 0.009), (0.01, 0.1)) == "<<"
    assert decide((-0.02, 0.05), (0.01, 0.1)) == "<"


ends = st.floats(-1, 1)
MIRROR = {"<<": ">>", "<": ">", "=": "=", ">": "<", ">>": "<<"}


@given(ends, ends, st.floats(0, 0.5))
def test_swapping_the_classifiers_mirrors_the_verdict(x, y, half):
    low, high = sorted((x, y))
    verdict = decide((low, high), (-half, half))
    if low + high != 0:
        assert decide((-high, -low), (-half, half)) == MIRROR[verdict]
        assert decide((low, high), (-half, half), higher_is_better=False) == MIRROR[verdict]


def test_every_decision_can_be_shown():
    assert [d.symbol for d in Decision] == ["≪", "<", "≈", ">", "≫"]
    assert len({d.words for d in Decision}) == 5
    assert [d.conclusive for d in Decision] == [True, False, True, False, True]


@pytest.mark.parametrize(
    "rope",
    [
        -0.1,
        math.nan,
        math.inf,
        (0.1, -0.1),
        (0, math.inf),
        "x",
        (1, 2, 3),
        None,
        True,
        (math.nan, 1),
    ],
)
def test_bad_rope(rope):
    with pytest.raises(
        InputError, match="'rope' parameter must be a half-width >= 0 or two finite"
    ):
        as_rope(rope)


def test_good_rope():
    assert str(as_rope(0)) == "(0.0, 0.0)"  # no minus zero
    assert as_rope(np.float32(0.5)) == (-0.5, 0.5)
    assert as_rope(np.array([-0.1, 0.2])) == (-0.1, 0.2)


@pytest.mark.parametrize("value", [0, 1, -0.5, 95, math.nan, "0.95", None, True])
def test_bad_probability(value):
    with pytest.raises(InputError, match="'hdi_prob' parameter must be a number between 0 and 1"):
        check_probability("hdi_prob", value)


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("rope", [(-0.05, 0.05), (0.0, 0.0), (-0.02, 0.1)])
def test_many_decisions_at_once_are_those_made_one_by_one(rope, higher_is_better):
    ends = np.linspace(-0.15, 0.15, 31).round(2)  # with the edges of the ROPE among them
    low, high = (grid.ravel() for grid in np.meshgrid(ends, ends))
    low, high = low[low <= high], high[low <= high]
    alone = [
        str(decide(hdi, rope, higher_is_better=higher_is_better))
        for hdi in zip(low.tolist(), high.tolist(), strict=True)
    ]
    assert decide_all(low, high, rope, higher_is_better=higher_is_better).tolist() == alone
    assert len(set(alone)) == 5
