"""Numbers with square roots, kept exactly: what measures are computed with to prove equality.

A float that comes out equal proves nothing, nor does one that comes out different. A :class:`Surd`
is a sum of rational multiples of square roots, such as 1/2 + 3√5; NumPy's arithmetic and its
``sqrt`` work on arrays of them, so every measure can be computed exactly as it stands.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from numbers import Rational, Real
from typing import Any

Terms = Mapping[int, Fraction]
LARGEST = 10**15  # whose square factors are still found at once


class InexactError(ArithmeticError):
    """The result is no sum of rational multiples of square roots, or too large to tell."""


class Surd:
    """A number, exactly: the sum of coefficients times roots of square-free whole numbers.

    It may also be infinite or not a number, and divides by 0 as floats of NumPy do.

    Parameters
    ----------
    value : Real or float
        A whole number, a fraction, or a float (which is the binary fraction that it stores).

    Examples
    --------
    >>> half = Surd(1) / 2
    >>> (Surd(12).sqrt() + half) * 2 - 4 * Surd(3).sqrt() == 1
    True
    >>> print(Surd(12).sqrt() + half, Surd(1) / 0)
    1/2 + 2√3 inf
    """

    __slots__ = ("special", "terms")
    terms: Terms
    special: float | None  # an infinity or NaN

    def __init__(self, value: Real | float) -> None:
        self.special = None
        if isinstance(value, Rational):
            self.terms = _kept({1: Fraction(int(value.numerator), int(value.denominator))})
        elif not math.isfinite(value):
            self.special, self.terms = float(value), {}
        else:
            self.terms = _kept({1: Fraction(float(value))})

    def __add__(self, other: Any) -> Surd:
        number = _surd(other)
        return NotImplemented if number is None else self._with(number, _sum, operator.add)

    def __sub__(self, other: Any) -> Surd:
        number = _surd(other)
        return NotImplemented if number is None else self.__add__(-number)

    def __mul__(self, other: Any) -> Surd:
        number = _surd(other)
        return NotImplemented if number is None else self._with(number, _times, operator.mul)

    def __truediv__(self, other: Any) -> Surd:
        number = _surd(other)
        if number is None:
            return NotImplemented
        if number == 0 or not (self.is_finite and number.is_finite):
            return Surd(_over(float(self), float(number)))
        return _of(_times(self.terms, _inverse(number.terms)))

    def __radd__(self, other: Any) -> Surd:
        return self.__add__(other)

    def __rmul__(self, other: Any) -> Surd:
        return self.__mul__(other)

    def __rsub__(self, other: Any) -> Surd:
        return self.__neg__().__add__(other)

    def __rtruediv__(self, other: Any) -> Surd:
        number = _surd(other)
        return NotImplemented if number is None else number / self

    def __pow__(self, power: Any) -> Surd:
        if power == 0.5:
            return self.sqrt()
        whole = int(float(power)) if isinstance(power, Real) and float(power).is_integer() else None
        if whole is None or abs(whole) > 9:
            raise InexactError(f"the power {power} of a number")
        result = Surd(1)
        for _ in range(abs(whole)):
            result = result * self
        return result if whole >= 0 else Surd(1) / result

    def __neg__(self) -> Surd:
        return self * -1

    def __pos__(self) -> Surd:
        return self

    def __abs__(self) -> Surd:
        return -self if self < 0 else self

    def sqrt(self) -> Surd:
        """Return the root, as NumPy asks of the elements of an array; of what is below 0, NaN."""
        if self.special is not None or self < 0:
            return Surd(math.inf if self.special == math.inf else math.nan)
        if set(self.terms) - {1}:
            raise InexactError("the root of a root")
        number = self.terms.get(1, Fraction(0))
        outside, inside = _split(number.numerator * number.denominator)
        return _of({inside: Fraction(outside, number.denominator)})

    @property
    def is_finite(self) -> bool:
        """False of the infinities and of NaN."""
        return self.special is None

    @property
    def rational(self) -> Fraction | None:
        """The number as a fraction; None if it is none."""
        if self.special is not None or set(self.terms) - {1}:
            return None
        return self.terms.get(1, Fraction(0))

    def __eq__(self, other: object) -> bool:
        number = _surd(other)
        if number is None:
            return NotImplemented
        # Roots of different square-free numbers are independent: equal is the same terms.
        return self.special == number.special and self.terms == number.terms

    def __lt__(self, other: Any) -> bool:
        number = _surd(other)
        if number is None:
            return NotImplemented
        if self.special is not None or number.special is not None:
            return float(self) < float(number)
        return _scaled((self - number).terms)[0] < 0

    def __le__(self, other: Any) -> bool:
        return bool(self < other or self == other)  # not "not above": NaN is neither

    def __gt__(self, other: Any) -> bool:
        number = _surd(other)
        return NotImplemented if number is None else number < self

    def __ge__(self, other: Any) -> bool:
        return bool(self > other or self == other)

    def __hash__(self) -> int:
        return hash((self.special, frozenset(self.terms.items())))

    def __bool__(self) -> bool:
        return self != 0

    def __float__(self) -> float:
        if self.special is not None:
            return self.special
        return float(Fraction(*_scaled(self.terms)))

    def __repr__(self) -> str:
        return f"Surd({self})"

    def __str__(self) -> str:
        if self.special is not None:
            return str(self.special)
        parts = [_term(inside, number) for inside, number in sorted(self.terms.items())]
        return " + ".join(parts).replace("+ -", "- ") or "0"

    def _with(
        self,
        other: Surd,
        exact: Callable[[Terms, Terms], Terms],
        rough: Callable[[float, float], float],
    ) -> Surd:
        if self.is_finite and other.is_finite:
            return _of(exact(self.terms, other.terms))
        return Surd(rough(float(self), float(other)))


def _surd(value: object) -> Surd | None:
    if isinstance(value, Surd):
        return value
    return Surd(value) if isinstance(value, Real) else None


def _of(terms: Terms) -> Surd:
    number = Surd(0)
    number.terms = _kept(terms)
    return number


def _kept(terms: Terms) -> Terms:
    return {inside: number for inside, number in terms.items() if number}


def _sum(x: Terms, y: Terms) -> Terms:
    return {n: x.get(n, Fraction(0)) + y.get(n, Fraction(0)) for n in {**x, **y}}


def _times(x: Terms, y: Terms) -> Terms:
    product: dict[int, Fraction] = {}
    for n, a in x.items():
        for m, b in y.items():
            shared = math.gcd(n, m)
            inside = (n // shared) * (m // shared)
            product[inside] = product.get(inside, Fraction(0)) + a * b * shared
    return product


def _inverse(terms: Terms) -> Terms:
    """Make the denominator rational, one prime under the roots after the other."""
    inverse: Terms = {1: Fraction(1)}
    while set(terms) - {1}:
        prime = _least_factor(max(terms))
        flipped = {n: -number if n % prime == 0 else number for n, number in terms.items()}
        inverse, terms = _times(inverse, flipped), _kept(_times(terms, flipped))
    return _times(inverse, {1: 1 / terms[1]})


def _over(x: float, y: float) -> float:
    if y == 0:
        return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x)
    return x / y


def _scaled(terms: Terms) -> tuple[int, int]:
    """Approximate by (n, d), n / d, to 60 bits at least, so that the sign of n is certain."""
    bits = 64
    while terms:
        total = 0
        for inside, number in terms.items():
            square = number * number * inside * 4**bits
            root = math.isqrt(square.numerator // square.denominator)
            total += root if number > 0 else -root
        if abs(total) > len(terms) << 60:
            return total, 1 << bits
        bits *= 2
    return 0, 1


@lru_cache(maxsize=4096)
def _split(number: int) -> tuple[int, int]:
    """Write a whole number as outside² · inside, with nothing square left inside."""
    if number > LARGEST:
        raise InexactError(f"the root of {number}")
    outside, inside = 1, 1
    for prime in _primes():
        if prime**3 > number:
            break
        while number % prime**2 == 0:
            outside, number = outside * prime, number // prime**2
        if number % prime == 0:
            inside, number = inside * prime, number // prime
    whole = math.isqrt(number)  # what is left has two prime factors at most
    return (outside * whole, inside) if whole**2 == number else (outside, inside * number)


@lru_cache(maxsize=1)
def _primes() -> list[int]:
    """List the primes up to the cube root of ``LARGEST``."""
    sieve = bytearray([1]) * round(LARGEST ** (1 / 3) + 1)
    sieve[:2] = 0, 0
    for number in range(2, math.isqrt(len(sieve)) + 1):
        if sieve[number]:
            sieve[number * number :: number] = bytes(len(sieve[number * number :: number]))
    return [number for number, prime in enumerate(sieve) if prime]


def _least_factor(number: int) -> int:
    return next((p for p in _primes() if number % p == 0), number)


def _term(inside: int, number: Fraction) -> str:
    if inside == 1:
        return str(number)
    sign = "-" if number < 0 else ""
    top = "" if abs(number.numerator) == 1 else str(abs(number.numerator))
    bottom = "" if number.denominator == 1 else f"/{number.denominator}"
    return f"{sign}{top}√{inside}{bottom}"
