import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stanoff.measures import MEASURES, get
from stanoff.measures.surds import InexactError, Surd

FRACTIONS = st.fractions(-20, 20, max_denominator=12)
# a + b√2 + c√6, with which everything but the root of it can be done
NUMBERS = st.builds(
    lambda a, b, c: Surd(a) + Surd(b) * Surd(2).sqrt() + Surd(c) * Surd(6).sqrt(),
    FRACTIONS,
    FRACTIONS,
    FRACTIONS,
)


def as_surds(tables):
    return np.frompyfunc(Surd, 1, 1)(np.asarray(tables, dtype=object))


@given(NUMBERS, NUMBERS)
def test_arithmetic_undoes_itself_exactly(x, y):
    assert x + y - y == x
    assert -(x - y) == y - x
    assert abs(x) >= 0
    assert abs(x) in (x, -x)
    if y != 0:
        assert x / y * y == x
        assert x * y / y == x
        assert y**-2 * y * y == 1


@given(NUMBERS, NUMBERS)
def test_arithmetic_and_order_are_those_of_floats(x, y):
    for ours, theirs in ((x + y, float(x) + float(y)), (x * y, float(x) * float(y))):
        assert float(ours) == pytest.approx(theirs, rel=1e-9, abs=1e-9)
    if abs(float(x) - float(y)) > 1e-9:
        assert (x < y) == (float(x) < float(y))
        assert (x >= y) == (float(x) >= float(y))


@given(st.integers(0, 10**12), st.integers(1, 10**3))
def test_the_square_of_a_root_is_the_number(top, bottom):
    number = Surd(Fraction(top, bottom))
    assert number.sqrt() * number.sqrt() == number
    assert float(number.sqrt()) == pytest.approx(math.sqrt(top / bottom))


def test_roots_that_nearly_agree_are_told_apart():
    # They differ by 2e-29, which no float sees.
    x = (Surd(10**14 + 1).sqrt() - Surd(10**14).sqrt()) - Surd(Fraction(1, 2 * 10**7))
    y = x + Surd(Fraction(1, 8 * 10**21))
    assert x < 0 < y
    assert float(x) == pytest.approx(-1.25e-22, rel=1e-6)


def test_equal_numbers_are_equal_however_they_are_written():
    root = Surd(2).sqrt() + Surd(3).sqrt()
    assert root * root == 5 + 2 * Surd(6).sqrt()
    assert 1 / root == Surd(3).sqrt() - Surd(2).sqrt()
    assert hash(Surd(8).sqrt()) == hash(2 * Surd(2).sqrt())
    assert Surd(0.1) != Surd(Fraction(1, 10))
    assert Surd(0.25) == Fraction(1, 4)
    assert Surd(2).sqrt().rational is None
    assert Surd(4).sqrt().rational == 2


@pytest.mark.parametrize("x", [-2.0, 0.0, 3.0, math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("y", [-2.0, 0.0, 3.0, math.inf, -math.inf, math.nan])
def test_infinities_and_division_by_0_are_those_of_numpy(x, y):
    a, b = np.float64(x), np.float64(y)
    with np.errstate(all="ignore"):
        expected = [a + b, a - b, a * b, a / b, np.sqrt(a)]
    ours = [Surd(x) + Surd(y), x - Surd(y), Surd(x) * y, x / Surd(y), Surd(x).sqrt()]
    np.testing.assert_allclose([float(value) for value in ours], expected, rtol=1e-15)
    assert (Surd(x) < y, Surd(x) <= y, Surd(x) == y) == (x < y, x <= y, x == y)
    assert (Surd(x) > y, Surd(x) >= y, Surd(x) != y) == (x > y, x >= y, x != y)


def test_what_cannot_be_kept_exactly_is_refused():
    root = Surd(2).sqrt()
    with pytest.raises(InexactError, match="root of a root"):
        (1 + root).sqrt()
    with pytest.raises(InexactError, match="power"):
        root ** (1 / 3)
    with pytest.raises(InexactError, match="the root of"):
        Surd(10**16 + 61).sqrt()
    assert Surd(9) ** 0.5 == 3
    with pytest.raises(TypeError):
        root + "1"


def test_numbers_are_written_as_one_would():
    root = Surd(5).sqrt()
    assert str(Surd(Fraction(1, 2)) - 3 * root / 4) == "1/2 - 3√5/4"
    assert str(root) == "√5"
    assert str(Surd(0)) == "0"
    assert repr(-root) == "Surd(-√5)"


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("prevalence", [None, 0.25])
def test_every_measure_can_be_computed_exactly(name, prevalence):
    tables = np.random.default_rng(1).integers(0, 40, (60, 4))
    measure = get(name, beta=0.5, prevalence=prevalence, zero_division=1)
    exact = measure.computed(as_surds(tables))
    assert {type(value) for value in exact} <= {Surd, float}
    np.testing.assert_allclose(exact.astype(float), measure(tables), rtol=1e-12, atol=1e-15)
    positive = (tables > 0).all(axis=1)
    assert {type(value) for value in exact[positive]} == {Surd}
