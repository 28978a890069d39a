"""What speaks against trusting a Markov chain, and what helps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.surroundings import check_surroundings
from stanoff.engines.draws import Draws

Array = NDArray[np.float64]

MAX_RHAT, MIN_ESS = 1.01, 400  # Vehtari et al. (2021): 100 for each of four chains
# Of parameters that are not judged themselves: of dozens, one is above 1.01 by chance.
MAX_RHAT_OTHERS, MIN_ESS_OTHERS = 1.05, 100
JUDGED = ("psi", "delta")
MIN_BFMI = 0.3
MAX_TREEDEPTH = 10  # CmdStan's own
MAX_COLUMNS = 12  # that are looked at closely
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
    n_chains, n_draws = stats["diverging"].shape
    transitions = n_chains * n_draws
    if diverging := int(np.sum(stats["diverging"])):
        problems[f"{diverging} of {transitions} transitions diverged"] = DIVERGING
    deepest = max_treedepth or MAX_TREEDEPTH
    if saturated := int(np.sum(stats.get("tree_depth", np.zeros(1)) >= deepest)):
        message = f"{saturated} of {transitions} transitions had the greatest tree depth, {deepest}"
        problems[message] = SATURATED
    columns = _slowest_columns(draws)
    if not columns:
        return problems | {"the chains did not move": SLOW}
    judged = pd.Series({name: name.startswith(JUDGED) for name in columns})
    if n_chains > 1:
        limit = judged.map({True: MAX_RHAT, False: MAX_RHAT_OTHERS})
        rhat = pd.Series({name: float(array_stats.rhat(c, **axes)) for name, c in columns.items()})
        excess = ((rhat - 1) / (limit - 1)).fillna(np.inf)
        if excess.max() > 1:
            name = str(excess.idxmax())
            problems[f"R-hat of {name} is {rhat[name]:.3f}, above {limit[name]}"] = SLOW
    limit = judged.map({True: MIN_ESS, False: MIN_ESS_OTHERS})
    methods: list[dict[str, Any]] = [{"method": "bulk"}, {"method": "tail", "prob": (0.05, 0.95)}]
    ess = pd.Series(
        {
            name: min(float(array_stats.ess(column, **method, **axes)) for method in methods)
            for name, column in columns.items()
        }
    )
    share = (ess / limit).fillna(0)
    if share.min() < 1:
        name = str(share.idxmin())
        message = f"the effective sample size of {name} is {ess[name]:.0f}, below {limit[name]}"
        problems[message] = SLOW
    bfmi = float(np.min(array_stats.bfmi(stats["energy"], **axes)))
    if not bfmi >= MIN_BFMI:
        problems[f"E-BFMI is {bfmi:.2f}, below {MIN_BFMI}"] = SLOW
    return problems


def _slowest_columns(draws: Draws) -> dict[str, Array]:
    """Return, by name, the (chain, draw) values that mix worst; constants do not count."""
    candidates = []
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
            candidates.append((float(slowness[i]), full_name, flat[..., indices[i]]))
    candidates.sort(key=lambda candidate: -candidate[0])
    judged = [candidate for candidate in candidates if candidate[1].startswith(JUDGED)]
    others = [candidate for candidate in candidates if not candidate[1].startswith(JUDGED)]
    return {name: c for _, name, c in judged[:MAX_COLUMNS] + others[:MAX_COLUMNS]}


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
