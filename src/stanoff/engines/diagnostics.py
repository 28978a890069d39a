"""What speaks against trusting a Markov chain, and what helps."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.engines.draws import Draws
from stanoff.errors import StanoffError

Array = NDArray[np.float64]

MAX_RHAT, MIN_ESS = 1.01, 400  # Vehtari et al. (2021): 100 for each of four chains
# Of parameters that are not judged themselves: of dozens, one is above 1.01 by chance.
MAX_RHAT_OTHERS, MIN_ESS_OTHERS = 1.05, 100
JUDGED = ("psi", "delta")
MIN_BFMI = 0.3
MAX_TREEDEPTH = 10  # CmdStan's own
MAX_COLUMNS = 6  # that are looked at closely, which takes 5 ms each
BATCHES = 10  # of a chain
DERIVED = ("cells", "log_lik", "log_prior", "lprior")  # of parameters that are looked at themselves
DIVERGING = (
    "raise adapt_delta, as in sampler_options={'adapt_delta': 0.99}, or reparametrise the program"
)
SATURATED = "raise max_treedepth, as in sampler_options={'max_treedepth': 12}"
SLOW = "draw more, or reparametrise the program; plot_trace() shows the chains"


def diagnose(draws: Draws, *, max_treedepth: int | None = None) -> dict[str, str]:
    """Say what speaks against trusting the chains, and what helps against it.

    Divergences, saturated trees and E-BFMI are those of all transitions; R-hat and effective sample
    sizes those of all parameters and scores. Of many, the slowest to mix are looked at.

    Parameters
    ----------
    draws : Draws
        What the sampler returned.
    max_treedepth : int, optional
        The greatest depth that was allowed, CmdStan's own by default.

    Returns
    -------
    dict
        By problem, in words, what to do about it; empty if all is well.
    """
    check_surroundings()
    from arviz_stats.base import array_stats

    problems: dict[str, str] = {}
    stats, axes = draws.sample_stats, {"chain_axis": 0, "draw_axis": 1}
    n_chains, transitions = len(stats["diverging"]), stats["diverging"].size
    if diverging := int(np.sum(stats["diverging"])):
        problems[f"{diverging} of {transitions} transitions diverged"] = DIVERGING
    deepest = max_treedepth or MAX_TREEDEPTH
    if saturated := int(np.sum(stats.get("tree_depth", np.zeros(1)) >= deepest)):
        message = f"{saturated} of {transitions} transitions had the greatest tree depth, {deepest}"
        problems[message] = SATURATED
    names, columns = _slowest_columns(draws)
    if not names:
        return problems | {"the chains did not move": SLOW}
    judged = [name.startswith(JUDGED) for name in names]
    if n_chains > 1:
        limits = np.where(judged, MAX_RHAT, MAX_RHAT_OTHERS)
        rhat = np.array([array_stats.rhat(column, **axes) for column in columns])
        excess = np.nan_to_num((rhat - 1) / (limits - 1), nan=np.inf)
        if excess[worst := int(excess.argmax())] > 1:
            problems[f"R-hat of {names[worst]} is {rhat[worst]:.3f}, above {limits[worst]}"] = SLOW
    limits = np.where(judged, MIN_ESS, MIN_ESS_OTHERS)
    methods: list[dict[str, Any]] = [{"method": "bulk"}, {"method": "tail", "prob": (0.05, 0.95)}]
    ess = np.array([[array_stats.ess(c, **method, **axes) for c in columns] for method in methods])
    share = np.nan_to_num(ess.min(axis=0) / limits)
    if share[worst := int(share.argmin())] < 1:
        size = ess[:, worst].min()
        message = (
            f"the effective sample size of {names[worst]} is {size:.0f}, below {limits[worst]}"
        )
        problems[message] = SLOW
    bfmi = float(np.min(array_stats.bfmi(stats["energy"], **axes)))
    if not bfmi >= MIN_BFMI:
        problems[f"E-BFMI is {bfmi:.2f}, below {MIN_BFMI}"] = SLOW
    return problems


def _slowest_columns(draws: Draws) -> tuple[list[str], list[Array]]:
    """Return names and (chain, draw) values of what mixes worst; constants do not count."""
    candidates: dict[bool, list[tuple[float, str, Array]]] = {True: [], False: []}  # judged, others
    for name, values in {**draws.posterior, "lp__": draws.sample_stats["lp"]}.items():
        if name in DERIVED or name.endswith("_rep"):
            continue
        flat = values.reshape(*values.shape[:2], -1)
        varying = np.isfinite(flat).all(axis=(0, 1)) & (np.ptp(flat, axis=(0, 1)) > 0)
        indices = np.flatnonzero(varying)
        slowness = _slowness(flat[..., indices]) if indices.size else np.zeros(0)
        for i in np.argsort(-slowness)[:MAX_COLUMNS]:
            position = np.unravel_index(indices[i], values.shape[2:])
            label = ",".join(str(p + 1) for p in position)  # as Stan counts
            full_name = f"{name}[{label}]" if flat.shape[-1] > 1 else name
            candidate = float(slowness[i]), full_name, flat[..., indices[i]]
            candidates[name.startswith(JUDGED)].append(candidate)
    by_slowness = (sorted(group, key=lambda c: -c[0]) for group in candidates.values())
    slowest = [candidate for group in by_slowness for candidate in group[:MAX_COLUMNS]]
    return [name for _, name, _ in slowest], [column for *_, column in slowest]


def _slowness(values: Array) -> Array:
    """Return how far the means of batches vary, next to those of independent draws.

    The batches are those of ranks, of their distances from the middle and of both tails: what R-hat
    and the effective sample sizes look at, but for all columns at once.
    """
    chains, n_draws, n_columns = values.shape
    ranks = values.reshape(-1, n_columns).argsort(axis=0).argsort(axis=0) / (chains * n_draws)
    length = max(1, n_draws // BATCHES)
    slowness = np.zeros(n_columns)
    for feature in (ranks, np.abs(ranks - 0.5), ranks < 0.05, ranks >= 0.95):
        chain = feature.reshape(chains, n_draws, n_columns)[:, : length * (n_draws // length)]
        batches = chain.reshape(-1, length, n_columns).mean(axis=1)
        slowness = np.maximum(slowness, length * batches.var(axis=0) / feature.var(axis=0))
    return slowness


def check_surroundings() -> None:
    """Refuse a Python without docstrings, and a working directory that is gone."""
    if sys.flags.optimize > 1:
        raise StanoffError("python -OO takes away the docstrings that ArviZ needs: use -O.")
    if "arviz_base" in sys.modules:
        return
    try:
        os.getcwd()  # noqa: PTH109 - the same without a Path
    except OSError as error:
        raise StanoffError("The working directory is gone: change to one that exists.") from error
