"""The prior weights: how many imagined documents stand behind each outcome."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stanoff._lib.arguments import check_choice, check_float
from stanoff.errors import invalid

Array = NDArray[np.float64]
MAX_WEIGHT, MAX_KAPPA = 1e12, 100
WEIGHTS = ("beta", "alpha_pos", "alpha_neg")
KAPPAS = ("kappa", "kappa_neg")
DATASETS = ("student", "normal", "corani2017")


@dataclass(frozen=True)
class Prior:
    """Hyper-parameters of the models; a single number stands for all cells of its kind.

    Attributes
    ----------
    beta : array_like
        Weights of the positive and the negative class (2).
    alpha_pos : array_like
        Weights of the outcomes on positive documents: of the four outcome pairs in the paired
        model, of yes and no in the unpaired one.
    alpha_neg : array_like
        The same on negative documents.
    mass : float or None
        If given, every simplex shares out this total weight equally, and the others are unused.
    kappa : tuple of float
        Location and scale of the log-normal prior on a concentration: how many documents' worth the
        other categories tell about one. Of the hierarchical models that of positive documents.
    kappa_neg : tuple of float
        The same of negative documents, on which categories are more alike.
    items : tuple of float or None
        The prior of a difference of values: how many items it is worth, the standard deviation of
        differences that it expects, and with how many degrees. The difference is then a priori a t
        around 0 with the scale sd / sqrt(items). None is flat, without Bayes factors.
    datasets : str
        How differences vary over data sets: ``"student"`` or ``"normal"``, both with pooled
        standard deviations within data sets, or the priors of Corani et al. (2017),
        ``"corani2017"``.

    Examples
    --------
    >>> Prior(beta=2).weights("beta", 2)
    array([2., 2.])
    >>> Prior.perks().weights("alpha_pos", 4)
    array([0.25, 0.25, 0.25, 0.25])
    """

    beta: ArrayLike = 1.0
    alpha_pos: ArrayLike = 1.0
    alpha_neg: ArrayLike = 1.0
    mass: float | None = None
    kappa: tuple[float, float] = (3.0, 1.5)
    kappa_neg: tuple[float, float] = (5.5, 1.5)
    items: tuple[float, float, float] | None = None
    datasets: str = "student"

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {name: _positive(name, getattr(self, name)) for name in WEIGHTS}
        if self.mass is not None:
            mass = check_float("prior.mass", self.mass, "a number")
            checked["mass"] = _positive("mass", mass)
        checked |= {name: _location_and_scale(name, getattr(self, name)) for name in KAPPAS}
        if self.items is not None:
            checked["items"] = _positive("items", self.items)
            if np.shape(checked["items"]) != (3,):
                raise invalid("prior.items", "how many items, their sd, degrees", self.items)
        check_choice("prior.datasets", self.datasets, DATASETS)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def uniform(cls) -> Prior:
        """Give every simplex the flat prior that the paper uses."""
        return cls()

    @classmethod
    def jeffreys(cls) -> Prior:
        """Give every cell the weight 1/2."""
        return cls(0.5, 0.5, 0.5)

    @classmethod
    def perks(cls) -> Prior:
        """Give every simplex the total weight 1, shared out equally."""
        return cls(mass=1.0)

    def weights(self, name: str, size: int) -> Array:
        """Return the weights called ``name`` as a vector of this size."""
        if self.mass is not None:
            return np.full(size, self.mass / size)
        values = np.asarray(getattr(self, name), dtype=np.float64)
        if values.ndim and values.shape != (size,):
            raise invalid(f"prior.{name}", f"one number or {size} of them", getattr(self, name))
        return np.broadcast_to(values, (size,)).copy()


def _positive(name: str, value: Any) -> float | tuple[float, ...]:
    values = _floats(value)
    if values.ndim > 1 or not values.size or not ((values > 0) & (values <= MAX_WEIGHT)).all():
        # Beyond, nothing could be learned.
        raise invalid(f"prior.{name}", f"positive, and at most {MAX_WEIGHT:.0e}", value)
    return float(values) if values.ndim == 0 else tuple(values.tolist())


def _location_and_scale(name: str, pair: Any) -> tuple[float, float]:
    values = _floats(pair)
    if values.shape != (2,) or not (abs(values[0]) <= MAX_KAPPA and 0 < values[1] <= MAX_KAPPA):
        rule = f"a location and a positive scale, up to {MAX_KAPPA}"
        raise invalid(f"prior.{name}", rule, pair)
    return float(values[0]), float(values[1])


def _floats(value: Any) -> Array:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.array(np.nan)


Priors = Prior | tuple[Prior, Prior]


def both(prior: Priors) -> tuple[Prior, Prior]:
    """Return the priors of A and of B."""
    return prior if isinstance(prior, tuple) else (prior, prior)


def swap_prior(prior: Priors) -> Priors:
    """Return the prior of the same two classifiers in the other order.

    Examples
    --------
    >>> swap_prior(Prior(alpha_pos=(1, 2, 3, 4))).alpha_pos
    (1.0, 3.0, 2.0, 4.0)
    """
    if isinstance(prior, tuple):
        return prior[::-1]
    pairs: dict[str, Any] = {
        name: (weights[0], weights[2], weights[1], weights[3])
        for name in ("alpha_pos", "alpha_neg")
        if isinstance(weights := getattr(prior, name), tuple) and len(weights) == 4
    }
    return replace(prior, **pairs)


def single(prior: Priors) -> Prior:
    """Return the one prior that both classifiers share, or refuse."""
    if isinstance(prior, tuple):
        raise invalid("prior", "one Prior for both classifiers in a paired model", "two")
    return prior


def as_prior(prior: Any) -> Priors:
    """Read a prior: one, one for A and one for B, or a name; uniform by default."""
    if prior is None:
        return Prior.uniform()
    if isinstance(prior, Prior):
        return prior
    if isinstance(prior, str):
        return _from_words(prior)
    pair = tuple(prior) if isinstance(prior, (tuple, list)) else ()
    if len(pair) == 2 and all(isinstance(of_system, Prior) for of_system in pair):
        return pair[0], pair[1]
    raise invalid("prior", "a stanoff.Prior, or two of them in an unpaired model", prior)


def _from_words(text: str) -> Prior:
    """Read a prior as it is written on the command line.

    Examples
    --------
    >>> _from_words("jeffreys") == Prior.jeffreys(), _from_words("beta=2:5,mass=1").beta
    (True, (2.0, 5.0))
    """
    if text in DATASETS:
        return Prior(datasets=text)
    if "=" not in text:
        return NAMED[check_choice("prior", text, [*NAMED, *DATASETS])]
    weights: dict[str, Any] = {}
    for assignment in text.split(","):
        name, _, value = assignment.partition("=")
        check_choice("prior", name.strip(), [*WEIGHTS, "mass", *KAPPAS, "items"])
        try:
            numbers = [float(number) for number in value.split(":")]
        except ValueError:
            raise invalid("prior", "made of parts such as beta=2 or beta=2:5", text) from None
        weights[name.strip()] = numbers[0] if len(numbers) == 1 else tuple(numbers)
    return Prior(**weights)


NAMED = {"uniform": Prior.uniform(), "jeffreys": Prior.jeffreys(), "perks": Prior.perks()}
NAMES = {
    "uniform": "uniform (every weight 1)",
    "jeffreys": "Jeffreys (every weight 1/2)",
    "perks": "Perks (weights that sum to 1)",
    "normal": "normal over data sets",
    "corani2017": "that of Corani et al. (2017)",
}


def describe_prior(prior: Priors) -> str:
    """Describe a prior in words.

    Examples
    --------
    >>> describe_prior(Prior.jeffreys())
    'Jeffreys (every weight 1/2)'
    >>> describe_prior(Prior(beta=(2, 3)))
    'beta 2 and 3, alpha_pos 1, alpha_neg 1'
    """
    if isinstance(prior, tuple):
        return f"A: {describe_prior(prior[0])}; B: {describe_prior(prior[1])}"
    if prior.datasets != DATASETS[0]:
        return NAMES[prior.datasets]
    if prior.items is not None:
        weight, sd, degrees = prior.items
        return f"worth {weight:g} items with a standard deviation of {sd:g}, {degrees:g} degrees"
    usual = {name: getattr(NAMED["uniform"], name) for name in KAPPAS}
    kappa = "".join(
        f", {name} log-normal ({location:g}, {scale:g})"
        for name, (location, scale) in ((name, getattr(prior, name)) for name in KAPPAS)
        if (location, scale) != usual[name]
    )
    for name, named in NAMED.items():
        if replace(prior, **usual) == named:
            return NAMES[name] + kappa
    if prior.mass is not None:
        return f"weights that sum to {prior.mass:g}, shared out equally{kappa}"
    texts = []
    for name in WEIGHTS:
        numbers = [f"{weight:g}" for weight in np.atleast_1d(getattr(prior, name))]
        texts.append(f"{name} {' and '.join(filter(None, (', '.join(numbers[:-1]), numbers[-1])))}")
    return ", ".join(texts) + kappa
