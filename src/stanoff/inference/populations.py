"""Which population a verdict is about, and what else the same data can answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stanoff import models
from stanoff.data.base import cells_of_patterns
from stanoff.data.items import ItemValues
from stanoff.engines.draws import Variables
from stanoff.errors import InputError
from stanoff.inference.evidence import About, Evidence, weigh_rows
from stanoff.inference.factors import grows_without_bound
from stanoff.models.priors import Prior
from stanoff.question import Sampling

if TYPE_CHECKING:
    from stanoff.comparison import Comparison

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
            said = _weighed(result, eta, None, About())
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


def new_category(result: Comparison) -> Evidence:
    """Weigh the difference on a category that was not observed, by the hierarchical model.

    Its outcome pairs are drawn from what the categories share, eta and kappa; it is as common as
    one of the categories at hand, taken at random.

    Parameters
    ----------
    result : Comparison
        Of the paired hierarchical model.
    """
    posterior = result.fit.draws.posterior
    if "eta_pos" not in posterior or posterior["eta_pos"].shape[-1] != 4:
        raise InputError("There is no eta: only the paired hierarchical model has one.")
    rng = np.random.default_rng(result.seed)
    psi = _scores(posterior, result, rng)
    prior = _scores(result.fit.draws.prior, result, rng) if result.fit.draws.prior else None
    a, b = result.pair
    means = float(psi[..., a].mean()), float(psi[..., b].mean())
    infinite = False
    if prior is not None:
        prior = prior[..., a] - prior[..., b]
        infinite = grows_without_bound(prior)
    about = About(NEW, means, bf_sd_defined=not infinite)
    return _weighed(result, psi[..., a] - psi[..., b], prior, about)


def _weighed(result: Comparison, delta: Any, prior: Any, about: About) -> Evidence:
    """Weigh draws (chain, draw) of a difference by the rules of a comparison."""
    [said] = weigh_rows(
        delta[None],
        None if prior is None else prior[None],
        [about],
        rope=result.rope,
        hdi_probability=result.hdi,
        higher_is_better=result.measure.higher_is_better,
    )
    return said


def _scores(draws: Variables, result: Comparison, rng: np.random.Generator) -> Any:
    """Draw the scores of both systems on a new category (chain, draw, system)."""
    size = draws["eta_pos"].shape[:2]
    theta = []
    for side in ("pos", "neg"):
        shapes = draws[f"kappa_{side}"].reshape(*size, 1) * draws[f"eta_{side}"]
        gammas = np.maximum(rng.standard_gamma(shapes), np.finfo(float).tiny)
        theta.append((gammas / gammas.sum(axis=-1, keepdims=True))[..., None, :])
    which = rng.integers(0, draws["mu"].shape[-1], size)
    mu = np.take_along_axis(draws["mu"], which[..., None], axis=-1)
    cells = cells_of_patterns(theta[0] * mu[..., None], theta[1] * (1 - mu[..., None]), 2)
    return result.measure(cells)[..., 0]
