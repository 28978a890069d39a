"""Draws as ArviZ sees them: intervals, errors, diagnostics and the DataTree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff.errors import invalid

if TYPE_CHECKING:
    from xarray import DataTree

Array = NDArray[np.float64]
Variables = Mapping[str, NDArray[Any]]

RHAT_MOST = 1.01
ESS_LEAST = 400  # Vehtari et al. (2021): 100 for each of four chains
BFMI_LEAST = 0.3
MOST_COLUMNS, SAMPLED_COLUMNS = 50, 10


@dataclass(frozen=True, eq=False)
class Draws:
    """What an engine returns: arrays whose first two axes are chain and draw.

    Attributes
    ----------
    posterior, prior : the variables of the model, by name
    sample_stats : what the sampler tells of itself, with ArviZ's names
    """

    posterior: Variables
    prior: Variables
    sample_stats: Variables

    def __post_init__(self) -> None:
        for group in (self.posterior, self.prior, self.sample_stats):
            for values in group.values():
                values.flags.writeable = False

    def with_variables(self, posterior: Variables, prior: Variables) -> Draws:
        """Add or replace variables."""
        return replace(
            self, posterior={**self.posterior, **posterior}, prior={**self.prior, **prior}
        )


def hdi(draws: Array, probability: float) -> tuple[float, float]:
    """Return the narrowest interval that holds this share of the draws.

    Examples
    --------
    >>> hdi(np.array([0.0, 5.0, 6.0, 7.0, 20.0]), 0.5)
    (5.0, 7.0)
    """
    low, high = hdis(np.reshape(draws, (1, -1)), probability)
    return float(low[0]), float(high[0])


def hdis(draws: Array, probability: float) -> tuple[Array, Array]:
    """Return the narrowest interval that holds this share of each row's draws.

    These are the intervals of ArviZ's ``hdi(method="nearest")`` to the last digit, without the
    second that its import takes, and for all rows at once.

    Parameters
    ----------
    draws : one row per posterior
    probability : between 0 and 1

    Returns
    -------
    the low ends and the high ends, one of each per row

    Examples
    --------
    >>> low, high = hdis(np.array([[0.0, 5.0, 6.0, 7.0, 20.0], [9.0, 1.0, 1.0, 1.0, 0.0]]), 0.5)
    >>> low.tolist(), high.tolist()
    ([5.0, 1.0], [7.0, 1.0])
    """
    size = draws.shape[-1]
    inside = int(probability * size)
    if not 1 <= inside < size:
        raise invalid("hdi", f"one that {size} draws can show", probability)
    ordered = np.sort(draws, axis=-1).astype(np.float64, copy=False)
    with np.errstate(invalid="ignore"):  # infinite at both ends, so as narrow as can be
        widths = ordered[:, inside:] - ordered[:, : size - inside]
    first = np.argmin(widths, axis=-1)
    rows = np.arange(len(ordered))
    return ordered[rows, first], ordered[rows, first + inside]


def mcse(draws: Array) -> float:
    """Return the Monte-Carlo standard error of the mean of (chain, draw) values."""
    from arviz_stats.base import array_stats

    if np.ptp(draws) == 0:
        return 0.0
    return float(array_stats.mcse(draws, method="mean", chain_axis=0, draw_axis=1))


def trouble(draws: Draws, of: Sequence[str]) -> tuple[str, ...]:
    """Say in words what speaks against trusting a Markov chain.

    Parameters
    ----------
    draws : what the sampler returned
    of : the variables whose R-hat and effective sample size count
    """
    from arviz_stats.base import array_stats

    told = []
    stats = draws.sample_stats
    diverging = int(np.sum(stats["diverging"]))
    if diverging:
        told.append(f"{diverging} of {stats['diverging'].size} transitions diverged")
    columns = [values for name in of for values in _columns(draws.posterior[name])]
    columns = [values for values in (*columns, stats["lp"]) if np.ptp(values) > 0]
    if not columns:
        return (*told, "the chains did not move")
    axes = {"chain_axis": 0, "draw_axis": 1}
    if len(stats["diverging"]) > 1:
        rhat = max(float(array_stats.rhat(c, method="rank", **axes)) for c in columns)
        if not rhat <= RHAT_MOST:
            told.append(f"R-hat is {rhat:.3f}, above {RHAT_MOST}")
    bulk = min(float(array_stats.ess(c, method="bulk", **axes)) for c in columns)
    tail = min(float(array_stats.ess(c, method="tail", prob=(0.05, 0.95), **axes)) for c in columns)
    if not min(bulk, tail) >= ESS_LEAST:
        told.append(f"the effective sample size is {min(bulk, tail):.0f}, below {ESS_LEAST}")
    bfmi = float(np.min(array_stats.bfmi(stats["energy"], **axes)))
    if not bfmi >= BFMI_LEAST:
        told.append(f"E-BFMI is {bfmi:.2f}, below {BFMI_LEAST}")
    return tuple(told)


def _columns(values: NDArray[Any]) -> list[Array]:
    """Split (chain, draw, ...) values into (chain, draw) ones; of very many take a sample.

    Among hundreds of columns one is beyond any bound by chance, and looking takes long.
    """
    flat = np.moveaxis(values.reshape(*values.shape[:2], -1), -1, 0)
    if len(flat) > MOST_COLUMNS:
        flat = flat[np.linspace(0, len(flat) - 1, SAMPLED_COLUMNS).astype(int)]
    return list(flat)


def to_tree(
    draws: Draws,
    *,
    observed: Variables,
    dims: Mapping[str, Sequence[str]],
    coords: Mapping[str, Sequence[str]],
    attrs: Mapping[str, Any],
) -> DataTree:
    """Gather everything in a DataTree with the groups and names that ArviZ expects."""
    from arviz_base import from_dict

    groups = {
        "posterior": dict(draws.posterior),
        "prior": dict(draws.prior),
        "sample_stats": dict(draws.sample_stats),
        "observed_data": dict(observed),
    }
    tree = from_dict(
        {name: variables for name, variables in groups.items() if variables},
        coords={name: list(values) for name, values in coords.items()},
        dims={name: list(names) for name, names in dims.items()},
    )
    tree.attrs.update(attrs)
    return tree
