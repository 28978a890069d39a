"""Which population a verdict is about, and what else the same data can answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff import models
from stanoff.data.items import ItemValues
from stanoff.engines.draws import Variables
from stanoff.errors import InputError
from stanoff.inference.evidence import Evidence, RowInfo, summarize_rows
from stanoff.inference.factors import grows_without_bound
from stanoff.models.counts import Hierarchical, HierarchicalUnpaired
from stanoff.models.priors import Prior
from stanoff.question import Sampling

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison

Array = NDArray[np.float64]

NEW = "a new category"


def populations(result: Comparison) -> pd.DataFrame:
    """Judge the same values for every population that they can tell about.

    Parameters
    ----------
    result : Comparison
        Of values per item.

    Returns
    -------
    DataFrame
        A row per population: its model, mean, std, hdi_low, hdi_high, p_rope and decision.
    """
    from stanoff.fit import fit

    if not isinstance(result.data, ItemValues):
        raise InputError("Only values per item have populations: pass measure='mean'.")
    rows = []
    for model in models.POPULATIONS.values():
        chosen = model or models.for_data(result.data)
        sampling = Sampling(chosen, Prior(), "exact", None, None, None, result.seed)
        try:
            made = fit(result.data, result.question, sampling)
        except InputError:
            continue  # the data have no runs, or no data sets
        again = made.between(*result.names, result.question)
        rows.append(_row(chosen.population(result.data), chosen.name, again.evidence()))
        if "eta" in made.draws.posterior:
            eta = made.draws.posterior["eta"]
            said = _weighed(result, eta, None, RowInfo())
            rows.append(_row("data sets on average", chosen.name, said))
    return pd.DataFrame(rows)


def _row(population: str, model: str, said: Evidence) -> dict[str, Any]:
    return {
        "population": population,
        "model": model,
        "mean": said.mean,
        "std": said.std,
        "hdi_low": said.hdi[0],
        "hdi_high": said.hdi[1],
        "p_rope": said.p_rope,
        "decision": str(said.decision),
    }


def delta_new(result: Comparison) -> Array:
    """Return draws (chain, draw) of the difference where nobody has looked yet.

    That is a new data set under the datasets model, and a new category under the hierarchical ones:
    its rates are drawn from what the categories share, eta and kappa; it is as common as one of the
    categories at hand, taken at random.

    Parameters
    ----------
    result : Comparison
        Of one of these models.
    """
    if "delta_new" in result.fit.draws.posterior:
        return np.asarray(result.fit.draws.posterior["delta_new"])
    psi = _new_scores(result.fit.draws.posterior, result, np.random.default_rng(result.seed))
    a, b = result.pair
    return np.asarray(psi[..., a] - psi[..., b])


def new_category(result: Comparison) -> Evidence:
    """Weigh the difference on a category that was not observed; see :func:`delta_new`.

    Parameters
    ----------
    result : Comparison
        Of a hierarchical model.
    """
    rng = np.random.default_rng(result.seed)
    psi = _new_scores(result.fit.draws.posterior, result, rng)
    prior = _new_scores(result.fit.draws.prior, result, rng) if result.fit.draws.prior else None
    a, b = result.pair
    means = float(psi[..., a].mean()), float(psi[..., b].mean())
    infinite = False
    if prior is not None:
        prior = prior[..., a] - prior[..., b]
        infinite = grows_without_bound(prior)
    about = RowInfo(NEW, means, bf_sd_defined=not infinite)
    return _weighed(result, psi[..., a] - psi[..., b], prior, about)


def _weighed(result: Comparison, delta: Any, prior: Any, about: RowInfo) -> Evidence:
    """Weigh draws (chain, draw) of a difference by the rules of a comparison."""
    [said] = summarize_rows(
        delta[None],
        None if prior is None else prior[None],
        [about],
        rope=result.rope,
        hdi_prob=result.hdi_prob,
        higher_is_better=result.measure.higher_is_better,
    )
    return said


def _new_scores(draws: Variables, result: Comparison, rng: np.random.Generator) -> Array:
    """Draw the scores of both systems on a new category (chain, draw, system)."""
    model = result.model
    if not isinstance(model, Hierarchical | HierarchicalUnpaired) or "eta_pos" not in draws:
        raise InputError("There is no eta: only the hierarchical models know of new categories.")
    every = draws["mu"]  # of the categories at hand: (chain, draw, category), or one per system
    which = rng.integers(0, every.shape[-1], every.shape[:2])
    place = which.reshape(*which.shape, *(1,) * (every.ndim - 2))
    mu = np.take_along_axis(every, place, axis=-1)
    cells = model.draw_new_category(draws, mu, rng)
    return np.asarray(result.measure(cells)[..., 0])
