"""What speaks against trusting a Markov chain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.surroundings import check_surroundings
from stanoff.engines.draws import Draws

Array = NDArray[np.float64]

RHAT_MOST = 1.01
ESS_LEAST = 400  # Vehtari et al. (2021): 100 for each of four chains
BFMI_LEAST = 0.3
MOST_COLUMNS, SAMPLED_COLUMNS = 50, 10


def trouble(draws: Draws, judged: Iterable[NDArray[Any]]) -> tuple[str, ...]:
    """Say in words what speaks against trusting a Markov chain.

    Parameters
    ----------
    draws : Draws
        What the sampler returned.
    judged : iterable of ndarray
        The (chain, draw, ...) values whose R-hat and effective sample size count.
    """
    check_surroundings()
    from arviz_stats.base import array_stats

    told = []
    stats = draws.sample_stats
    diverging = int(np.sum(stats["diverging"]))
    if diverging:
        told.append(f"{diverging} of {stats['diverging'].size} transitions diverged")
    columns = [column for values in judged for column in _columns(values)]
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
