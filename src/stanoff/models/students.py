"""Student's t as a posterior: what is known in closed form need not be counted in draws."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Student(NamedTuple):
    """One t distribution, or many of one number of degrees.

    Attributes
    ----------
    location, scale : float or ndarray
        Where it is, and how wide.
    degrees : float
        Its degrees of freedom.

    Examples
    --------
    >>> t = Student(0.0, 1.0, 9.0)
    >>> round(float(t.below(-2.262157)), 6), [round(float(end), 4) for end in t.interval(0.95)]
    (0.025, [-2.2622, 2.2622])
    """

    location: Any  # a number, or as many as there are distributions
    scale: Any
    degrees: float

    @property
    def only(self) -> Student:
        """The only one of these t distributions."""
        [location], [scale] = np.broadcast_arrays(*map(np.atleast_1d, (self.location, self.scale)))
        return Student(float(location), float(scale), self.degrees)

    def below(self, x: ArrayLike) -> Array:
        """Return the probability of being below x."""
        from scipy.special import stdtr

        away = np.subtract(x, self.location)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = away / self.scale
        # Two systems that are the same have no width: all of it is where they are.
        return np.asarray(stdtr(self.degrees, np.where(away == 0, 0.0, t)))

    def above(self, x: ArrayLike) -> Array:
        """Return the probability of being above x, as exact in the tail as :meth:`below`."""
        return Student(np.negative(self.location), self.scale, self.degrees).below(np.negative(x))

    def interval(self, probability: float) -> tuple[Array, Array]:
        """Return the ends of the narrowest interval with this probability."""
        from scipy.special import stdtrit

        half = float(stdtrit(self.degrees, (1 + probability) / 2)) * np.asarray(self.scale)
        return np.asarray(self.location - half), np.asarray(self.location + half)

    def quantiles(self, n: int) -> Array:
        """Return n values in order, spread as this one t is.

        Examples
        --------
        >>> Student(1.0, 2.0, 5.0).quantiles(3).round(3).tolist()
        [-1.141, 1.0, 3.141]
        """
        from scipy.special import stdtrit

        return np.asarray(
            self.location + self.scale * stdtrit(self.degrees, (np.arange(n) + 0.5) / n)
        )

    @property
    def std(self) -> Array:
        """The standard deviation; infinite for two degrees or fewer."""
        if self.degrees <= 2:
            return np.full(np.shape(self.scale), np.inf)
        return np.asarray(self.scale * np.sqrt(self.degrees / (self.degrees - 2)))

    def density(self, x: float) -> Array:
        """Return the density at x."""
        from scipy.special import gammaln

        v = self.degrees
        z = np.subtract(x, self.location) / np.asarray(self.scale)
        log = gammaln((v + 1) / 2) - gammaln(v / 2) - 0.5 * np.log(v * np.pi)
        return np.asarray(np.exp(log - (v + 1) / 2 * np.log1p(z**2 / v)) / self.scale)
