"""Draws as an ArviZ DataTree, with the groups and names that ArviZ expects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stanoff._lib.surroundings import check_surroundings
from stanoff.data.types import AVERAGES
from stanoff.engines.draws import Draws, Variables
from stanoff.models.base import COORDS, SHARED_DIMS
from stanoff.results.contest import Contest
from stanoff.store.documents import documents_said

if TYPE_CHECKING:
    from xarray import DataTree

    from stanoff.results.comparison import Comparison

COORDINATES = ("category", "truth")  # names of dimensions that parts of a data block have, too


def tree_of(result: Comparison | Contest) -> DataTree:
    """Gather the draws of a comparison or contest, and what they say of the documents.

    The groups are posterior, prior, sample_stats, observed_data and constant_data; of models that
    say how documents came about also log_likelihood, log_prior, posterior_predictive and
    prior_predictive.
    """
    draws, said = _draws(result), documents_said(result)
    apart = {name for group in said.values() for name in group.own}
    groups: dict[str, Variables] = {
        "posterior": {name: v for name, v in draws.posterior.items() if name not in apart},
        "prior": {name: v for name, v in draws.prior.items() if name not in apart},
        "sample_stats": draws.sample_stats,
        **{name: group.variables for name, group in said.items()},
        "constant_data": _constant(result),
    }
    labels = {name: tuple(v) for group in said.values() for name, v in group.coords.items()}
    rows = {"row": result.categories} if isinstance(result, Contest) else {}
    tree = data_tree(result, groups, {**labels, **rows}, {"log_lik": tuple(labels)})
    for name, group in said.items():
        if group.step > 1:  # say which of the draws they are
            dataset = tree[name].to_dataset()
            tree[name] = dataset.assign_coords(draw=np.arange(dataset.sizes["draw"]) * group.step)
    return tree


def _draws(result: Comparison | Contest) -> Draws:
    """Return the draws with the scores that the question is about."""
    if not isinstance(result, Contest):
        return result.draws
    drawn, prior = result.fit.draws, dict(result.fit.draws.prior)
    if prior:
        prior["psi"] = result.model.scores(prior, result.measure, result.average)
    return replace(drawn, posterior={**drawn.posterior, "psi": result.psi}, prior=prior)


def _constant(result: Comparison | Contest) -> dict[str, Any]:
    """Return the numbers that were given to the model beside what was observed."""
    block = result.model.data(result.data, result.prior)
    numbers = {name: np.asarray(value) for name, value in block.items()}
    return {
        f"{name}_of_row" if name in COORDINATES else name: values
        for name, values in numbers.items()
        if name not in result.model.observed and values.dtype.kind in "iuf"
    }


def data_tree(
    result: Comparison | Contest,
    groups: dict[str, Variables],
    more_coords: Mapping[str, tuple[str, ...]] | None = None,
    more_dims: Mapping[str, tuple[str, ...]] | None = None,
) -> DataTree:
    """Give groups of variables their dimensions, and add what was observed and how."""
    check_surroundings()
    from arviz_base import from_dict

    block = result.model.data(result.data, result.prior)
    observed = {name: np.asarray(block[name]) for name in result.model.observed}
    observed |= _observed_scores(result)
    coords = {**COORDS, "category": result.data.categories, "system": result.data.systems}
    coords |= more_coords or {}
    dims = {**SHARED_DIMS, **result.model.dims, **(more_dims or {})}
    every = {**groups, "observed_data": {**observed, **groups.get("observed_data", {})}}
    tree = from_dict(
        {name: dict(group) for name, group in every.items() if group},
        coords={name: list(values) for name, values in coords.items()},
        dims={name: list(dims) for name, dims in dims.items()},
    )
    tree.attrs.update(_attrs(result))
    return tree


def _observed_scores(result: Comparison | Contest) -> dict[str, Any]:
    """Name the scores of the data themselves as psi is named."""
    if isinstance(result, Contest):
        return {"observed": result.observed}
    count = len(result.data.categories)
    named: dict[str, Any] = {}
    for letter, scores in zip("AB", result.observed, strict=True):
        if not np.isnan(scores).all():
            named[f"observed_{letter}"] = scores[:count]
            averages = zip(AVERAGES, scores[count:], strict=False)
            named |= {f"observed_{letter}_{name}": score for name, score in averages}
    return named


def _attrs(result: Comparison | Contest) -> dict[str, Any]:
    told = {
        "model": result.model.name,
        "engine": result.engine,
        "seed": result.seed,
        "measure": result.measure.label,
    }
    if isinstance(result, Contest):
        return told
    return told | {"name_A": result.names[0], "name_B": result.names[1]}
