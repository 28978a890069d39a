"""Draws as an ArviZ DataTree, with the groups and names that ArviZ expects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stanoff._lib.surroundings import check_surroundings
from stanoff.contests import Contest
from stanoff.data.counts import AVERAGES
from stanoff.engines.draws import Variables
from stanoff.models.base import COORDS, SHARED_DIMS
from stanoff.store.documents import documents_said

if TYPE_CHECKING:
    from xarray import DataTree

    from stanoff.judgement import Judgement


def tree_of(result: Judgement) -> DataTree:
    """Gather the draws of a comparison, and what they say of the documents.

    The groups are posterior, prior, sample_stats, observed_data and constant_data; of models that
    say how documents came about also log_likelihood, log_prior, posterior_predictive and
    prior_predictive.
    """
    draws, said = result.draws, documents_said(result)
    apart = {name for group in said.values() for name in group.own}
    groups: dict[str, Variables] = {
        "posterior": {name: v for name, v in draws.posterior.items() if name not in apart},
        "prior": {name: v for name, v in draws.prior.items() if name not in apart},
        "sample_stats": draws.sample_stats,
        **{name: group.variables for name, group in said.items()},
        "constant_data": _constant(result),
    }
    return data_tree(result, groups, {k: v for g in said.values() for k, v in g.coords.items()})


def _constant(result: Judgement) -> dict[str, Any]:
    """Return the numbers that were given to the model beside what was observed."""
    block = result.model.data(result.data, result.prior)
    numbers = {name: np.asarray(value) for name, value in block.items()}
    return {
        name: values
        for name, values in numbers.items()
        if name not in result.model.observed and values.dtype.kind in "iuf"
    }


def data_tree(
    result: Judgement | Contest,
    groups: dict[str, Variables],
    labels: Mapping[str, list[str]] | None = None,
) -> DataTree:
    """Give groups of variables their dimensions, and add what was observed and how."""
    check_surroundings()
    from arviz_base import from_dict

    block = result.model.data(result.data, result.prior)
    observed = {name: np.asarray(block[name]) for name in result.model.observed}
    observed |= _observed_scores(result)
    coords = {**COORDS, "category": result.data.categories, "system": result.data.systems}
    dims = {**SHARED_DIMS, **result.model.dims}
    if labels:
        dims["log_lik"] = tuple(labels)
    coords |= {name: tuple(values) for name, values in (labels or {}).items()}
    every: dict[str, Variables] = {**groups, "observed_data": observed}
    tree = from_dict(
        {name: dict(group) for name, group in every.items() if group},
        coords={name: list(values) for name, values in coords.items()},
        dims={name: list(dims) for name, dims in dims.items()},
    )
    tree.attrs.update(_attrs(result))
    return tree


def _observed_scores(result: Judgement | Contest) -> dict[str, Any]:
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


def _attrs(result: Judgement | Contest) -> dict[str, Any]:
    told = {
        "model": result.model.name,
        "engine": result.engine,
        "seed": result.seed,
        "measure": result.measure.label,
    }
    if isinstance(result, Contest):
        return told
    return told | {"name_A": result.names[0], "name_B": result.names[1]}
