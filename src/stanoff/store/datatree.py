"""Draws as an ArviZ DataTree, with the groups and names that ArviZ expects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.surroundings import check_surroundings
from stanoff.engines.draws import Variables
from stanoff.models.base import COORDS, SHARED_DIMS
from stanoff.store.predictive import MAX_LOG_LIKELIHOOD, predictive_groups

if TYPE_CHECKING:
    from xarray import DataTree

    from stanoff.results.base import Result

COORDINATES = ("category", "truth")  # names of dimensions that variables of a data block have, too
ROWS_OF_PAIR = ("psi_A", "psi_B", "delta", "observed_A", "observed_B")


def to_datatree(result: Result) -> DataTree:
    """Gather the draws of a comparison or contest, and what they say of the documents.

    The groups are posterior, prior, sample_stats, observed_data and constant_data; of models that
    say how documents came about also log_likelihood, log_prior, posterior_predictive and
    prior_predictive. Where an average is asked for, scores and differences have a row per category
    and average. A contest has delta of every pair, unless these are very many.
    """
    check_surroundings()
    from arviz_base import from_dict

    posterior, prior = _draws(result)
    predictive = predictive_groups(result)
    apart = {name for group in predictive.values() for name in group.own}
    stan_data = result.model.stan_data(result.data, result.prior)
    observed = {name: np.asarray(stan_data[name]) for name in result.model.observed}
    scores = {"observed": result.observed}
    if result.is_pair:
        scores = dict(zip(("observed_A", "observed_B"), result.observed, strict=True))
        scores = {name: row for name, row in scores.items() if not np.isnan(row).all()}
    groups: dict[str, Variables] = {
        "posterior": {name: values for name, values in posterior.items() if name not in apart},
        "prior": {name: values for name, values in prior.items() if name not in apart},
        "sample_stats": result.fit.draws.sample_stats,
        "observed_data": observed | scores,
        "constant_data": _constant_data(result, stan_data),
    }
    for name, group in predictive.items():
        groups[name] = {**groups.get(name, {}), **group.variables}
    names = {"category": result.data.categories, "system": result.data.systems}
    coords: dict[str, Sequence[Any]] = {**COORDS, **names, "row": result.categories}
    new_coords = {name: n for group in predictive.values() for name, n in group.coords.items()}
    dims: dict[str, Sequence[str]] = {**SHARED_DIMS, **result.model.dims}
    dims |= {  # a program of the user's may get one category without its dimension
        name: names
        for name, names in result.data.dims.items()
        if np.ndim(stan_data.get(name, 0)) == len(names)
    }
    dims["log_lik"] = [*new_coords]
    if result.is_pair:
        dims |= dict.fromkeys(ROWS_OF_PAIR, ("row" if result.average else "category",))
    else:
        coords["pair"] = [" - ".join(names) for names in combinations(result.names, 2)]
        dims |= {"psi": ("system", "row"), "delta": ("pair", "row")}
    tree = from_dict(
        {name: dict(variables) for name, variables in groups.items() if variables},
        coords={name: list(values) for name, values in {**coords, **new_coords}.items()},
        dims={name: list(names) for name, names in dims.items()},
    )
    for node in (tree, tree["posterior"]):
        node.attrs.update(_attrs(result))
    for name, group in predictive.items():
        dataset = tree[name].to_dataset()
        if group.step > 1:  # say which of the draws they are
            dataset = dataset.assign_coords(draw=np.arange(dataset.sizes["draw"]) * group.step)
        for dim in group.coords:
            dataset = dataset.assign_coords(group=(dim, list(group.labels)))
        tree[name] = dataset
    return tree


def _draws(result: Any) -> tuple[Variables, Variables]:
    """Return posterior and prior with the scores that the question is about."""
    if result.is_pair:
        return result.draws.posterior, result.draws.prior
    prior = dict(result.fit.draws.prior)
    if prior:
        psi = result.model.scores(prior, result.measure, result.average)
        prior |= _scores_of_all(psi)
    return {**result.fit.draws.posterior, **_scores_of_all(result.psi)}, prior


def _scores_of_all(psi: NDArray[np.float64]) -> Variables:
    """Name the scores of all systems, and the differences of all pairs."""
    first, second = np.triu_indices(psi.shape[2], 1)
    if psi[:, :, 0].size * len(first) > MAX_LOG_LIKELIHOOD:
        return {"psi": psi}
    with np.errstate(invalid="ignore"):  # both infinite
        return {"psi": psi, "delta": psi[:, :, first] - psi[:, :, second]}


def _constant_data(result: Result, stan_data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers that were given to the model beside what was observed."""
    numbers = {name: np.asarray(value) for name, value in stan_data.items()}
    return {
        f"{name}_of_row" if name in COORDINATES else name: values
        for name, values in numbers.items()
        if name not in (*result.model.observed, "prior_only", "simulate")
        and values.dtype.kind in "iuf"
        and values.size
    }


def _attrs(result: Any) -> dict[str, Any]:
    attrs = {name: getattr(result, name) for name in ("engine", "seed")}
    attrs |= {"model": result.model.name, "measure": result.measure.label}
    attrs |= {"rope": list(result.rope), "hdi_prob": result.hdi_prob}
    provenance, library = result.provenance, "cmdstanpy" if result.engine == "stan" else "stanoff"
    attrs["inference_library"] = library
    attrs["inference_library_version"] = provenance.versions.get(library, "")
    arguments = {name: x for name, x in provenance.settings.items() if name != "output_dir"}
    attrs["tuning_steps"] = arguments.get("warmup", 0)
    attrs["arguments"] = json.dumps(arguments, sort_keys=True)
    if result.is_pair:
        attrs["name_A"], attrs["name_B"] = result.names
    return attrs
