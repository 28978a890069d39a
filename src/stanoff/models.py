"""The models: a Stan program, the data it asks for, and its conjugate sampler where it has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.counts import OUTCOMES, PairedCounts, UnpairedCounts
from stanoff.engines import exact
from stanoff.errors import InputError, invalid, unknown
from stanoff.measures import CELLS, Measure
from stanoff.priors import WEIGHTS, Priors, both, single

AnyCounts = PairedCounts | UnpairedCounts
Data = dict[str, Any]
Sampler = Callable[[Mapping[str, Any], int, np.random.Generator], dict[str, NDArray[np.float64]]]

COORDS = {"outcome": OUTCOMES, "cell": CELLS, "classifier": ("A", "B")}
SHARED_DIMS = {
    "cells_A": ("category", "cell"),
    "cells_B": ("category", "cell"),
    "psi_A": ("category",),
    "psi_B": ("category",),
    "delta": ("category",),
}


@dataclass(frozen=True)
class Model:
    """A model of how two classifiers came to their predictions.

    Attributes
    ----------
    name : the word that ``compare(model=...)`` takes; its program is ``stan/<name>.stan``
    data : counts and prior to the data that only this program asks for
    observed : which of these data are counts
    dims : the dimensions of its own variables, after chain and draw
    exact : its conjugate sampler, or None
    diverges : whether the prior density of delta at 0 is infinite for this measure and prior
    """

    name: str
    data: Callable[[AnyCounts, Priors], Data]
    observed: tuple[str, ...]
    dims: Mapping[str, tuple[str, ...]]
    exact: Sampler | None
    diverges: Callable[[Measure, Priors], bool]

    @property
    def stan_file(self) -> Path:
        """Where its program is."""
        return stan_folder() / f"{self.name}.stan"

    def stan_data(self, counts: AnyCounts, prior: Priors, measure: Measure) -> Data:
        """Gather all that the program asks for."""
        return {
            "K": len(counts.categories),
            **self.data(counts, prior),
            "measure": measure.code or 1,  # a measure that Stan does not know is computed later
            "f_beta": measure.beta,
            "zero_division": measure.zero_division,
            "prevalence": measure.prevalence or 0.0,
            "prior_only": 0,
        }


def stan_folder() -> Path:
    """Find ``stan/``: inside the installed package, or at the top of the repository."""
    package = Path(__file__).resolve().parent
    for folder in (package / "stan", package.parents[1] / "stan"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"The Stan programs are missing from {package}; reinstall stanoff.")


def get(name: str) -> Model:
    """Look up a model by its name."""
    if not isinstance(name, str) or name not in MODELS:
        raise unknown("model", name, MODELS)
    return MODELS[name]


def _paired_data(counts: AnyCounts, prior: Priors) -> Data:
    if not isinstance(counts, PairedCounts):
        raise InputError(
            "The paired model needs both classifiers on the same documents; "
            "pass model='unpaired' for two different test sets."
        )
    shared = single(prior)
    return {
        "c_pos": counts.pos,
        "c_neg": counts.neg,
        "beta": shared.weights("beta", 2),
        "alpha_pos": shared.weights("alpha_pos", 4),
        "alpha_neg": shared.weights("alpha_neg", 4),
    }


def _unpaired_data(counts: AnyCounts, prior: Priors) -> Data:
    weights = {name: np.stack([p.weights(name, 2) for p in both(prior)]) for name in WEIGHTS}
    return {"c_A": counts.cells_A, "c_B": counts.cells_B, **weights}


def _hierarchical_data(counts: AnyCounts, prior: Priors) -> Data:
    location, scale = single(prior).kappa
    return _paired_data(counts, prior) | {"kappa_location": location, "kappa_scale": scale}


def _hierarchical_unpaired_data(counts: AnyCounts, prior: Priors) -> Data:
    location, scale = both(prior)[0].kappa
    return _unpaired_data(counts, prior) | {"kappa_location": location, "kappa_scale": scale}


def _documents_data(counts: AnyCounts, prior: Priors) -> Data:
    if len(counts.categories) > 1:
        raise invalid("model", "another one for many categories", "documents")
    data = _unpaired_data(counts, prior)
    for name in ("A", "B"):
        cells = data.pop(f"c_{name}")[0]
        data[f"N_{name}"] = int(cells.sum())
        data[f"y_{name}"] = np.repeat([1, 0, 1, 0], cells)
        data[f"said_{name}"] = np.repeat([1, 1, 0, 0], cells)
    return data


def _always_diverges(measure: Measure, prior: Priors) -> bool:
    """Tell that a small kappa, which is never impossible, drives all categories into corners."""
    return True


def _paired_diverges(measure: Measure, prior: Priors) -> bool:
    """Tell whether delta piles up at 0 faster than a density can follow.

    It does where a prevalence makes all classifiers equal (with no positives every F1 is 0): delta
    then shrinks like a power of the prevalence, and the prior weight of that class must be above
    that power. And it does where the weights of the outcomes on which the classifiers differ do
    not add up to more than 1.
    """
    shared = single(prior)
    for end, weight in zip((0, 1), shared.weights("beta", 2), strict=True):
        power = _vanishing_power(measure, mu=end)
        if power and weight <= power + 0.01:
            return True
    alpha_pos, alpha_neg = shared.weights("alpha_pos", 4), shared.weights("alpha_neg", 4)
    differing = 0.0  # the middle is where AUC:acc makes all classifiers equal, whatever the prior
    if _depends(measure, mu=0.5, rho_neg=0.3):
        differing += alpha_pos[1] + alpha_pos[2]
    if _depends(measure, mu=0.5, rho_pos=0.3):
        differing += alpha_neg[1] + alpha_neg[2]
    return bool(differing <= 1)


def _unpaired_diverges(measure: Measure, prior: Priors) -> bool:
    """Tell whether two independent scores meet too often at one value.

    The density of their difference at 0 is the integral of the product of their densities. Near
    a value to which parameters at their ends pin a score, its density is a power of the distance:
    the sum of these parameters' weights over the power with which the score approaches the value,
    less 1. If the powers of the two add up to -1 or less, the integral is infinite.
    """
    parameters = dict(zip(("mu", "rho_pos", "rho_neg"), WEIGHTS, strict=True))
    weights = {
        name: np.mean([p.weights(kind, 2) for p in both(prior)], axis=0)
        for name, kind in parameters.items()
    }
    # Near 0 a Beta(a, b) density goes like x^(a - 1), near 1 like (1 - x)^(b - 1).
    ends = [(name, end, w[end]) for name, w in weights.items() for end in (0, 1)]
    for size in (1, 2):
        for chosen in combinations(ends, size):
            power = _vanishing_power(measure, **{name: end for name, end, _ in chosen})
            if power and sum(weight for *_, weight in chosen) <= (power + 0.01) / 2:
                return True
    return False


def _vanishing_power(measure: Measure, **ends: int) -> float:
    """Tell with which power the score nears one value as parameters near their ends, 0 if none."""
    limit, near, nearer = (
        # Not in step, or what is a difference of two parameters would be 0 all the way.
        _scores(
            measure, **{n: abs(end - epsilon / (i + 1)) for i, (n, end) in enumerate(ends.items())}
        )
        for epsilon in (1e-14, 1e-4, 1e-7)
    )
    if np.ptp(limit) > 1e-6:
        return 0.0
    far, close = np.abs(near - limit).max(), np.abs(nearer - limit).max()
    if far < 1e-12:  # it stays where it is
        return 0.0
    if close == 0:  # it arrived earlier than doubles can tell
        return 1.0
    return float(np.log10(far / close) / 3)


def _depends(measure: Measure, **fixed: float) -> bool:
    """Tell whether the score moves when these parameters are fixed and the others vary."""
    return bool(np.ptp(_scores(measure, **fixed)) > 1e-6)


def _scores(measure: Measure, **fixed: float) -> NDArray[np.float64]:
    """Compute the score on a grid of the parameters that are not fixed."""
    axes = [
        np.array([fixed[name]]) if name in fixed else np.linspace(0.1, 0.9, 5)
        for name in ("mu", "rho_pos", "rho_neg")
    ]
    mu, rho_pos, rho_neg = np.meshgrid(*axes)
    cells = [mu * rho_pos, (1 - mu) * rho_neg, mu * (1 - rho_pos), (1 - mu) * (1 - rho_neg)]
    return measure(np.stack(cells, axis=-1))


_PAIRED_DIMS = {
    "mu": ("category",),
    **dict.fromkeys(("theta_pos", "theta_neg", "c_pos", "c_neg"), ("category", "outcome")),
}
_UNPAIRED_DIMS = {
    **dict.fromkeys(("mu", "rho_pos", "rho_neg"), ("classifier", "category")),
    **dict.fromkeys(("c_A", "c_B"), ("category", "cell")),
}
MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model(
            name="paired",
            data=_paired_data,
            observed=("c_pos", "c_neg"),
            dims=_PAIRED_DIMS,
            exact=exact.paired,
            diverges=_paired_diverges,
        ),
        Model(
            name="unpaired",
            data=_unpaired_data,
            observed=("c_A", "c_B"),
            dims=_UNPAIRED_DIMS,
            exact=exact.unpaired,
            diverges=_unpaired_diverges,
        ),
        Model(
            name="hierarchical",
            data=_hierarchical_data,
            observed=("c_pos", "c_neg"),
            dims=_PAIRED_DIMS | dict.fromkeys(("eta_pos", "eta_neg"), ("outcome",)),
            exact=None,
            diverges=_always_diverges,
        ),
        Model(
            name="hierarchical_unpaired",
            data=_hierarchical_unpaired_data,
            observed=("c_A", "c_B"),
            dims=_UNPAIRED_DIMS
            | dict.fromkeys(("eta_pos", "eta_neg", "kappa_pos", "kappa_neg"), ("classifier",)),
            exact=None,
            diverges=_always_diverges,
        ),
        Model(
            name="documents",
            data=_documents_data,
            observed=("y_A", "said_A", "y_B", "said_B"),
            dims=_UNPAIRED_DIMS
            | dict.fromkeys(("y_A", "said_A"), ("document_A",))
            | dict.fromkeys(("y_B", "said_B"), ("document_B",)),
            exact=None,
            diverges=_unpaired_diverges,
        ),
    )
}
