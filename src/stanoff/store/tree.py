"""Draws as an ArviZ DataTree, with the groups and names that ArviZ expects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stanoff.engines.draws import Variables
from stanoff.models.base import COORDS, SHARED_DIMS

if TYPE_CHECKING:
    from xarray import DataTree

    from stanoff.answer import Answer
    from stanoff.judgement import Judgement


def tree_of(result: Judgement) -> DataTree:
    """Gather the draws of a comparison: posterior, prior, sample_stats, observed_data."""
    draws = result.draws
    groups: dict[str, Variables] = {
        "posterior": draws.posterior,
        "prior": draws.prior,
        "sample_stats": draws.sample_stats,
    }
    return data_tree(result, groups)


def data_tree(result: Answer, groups: dict[str, Variables]) -> DataTree:
    """Give groups of variables their dimensions, and add what was observed and how."""
    from arviz_base import from_dict

    block = result.model.data(result.data, result.prior)
    observed = {name: block[name] for name in result.model.observed}
    coords = {**COORDS, "category": result.data.categories, "system": result.data.systems}
    every: dict[str, Variables] = {**groups, "observed_data": observed}
    tree = from_dict(
        {name: dict(group) for name, group in every.items() if group},
        coords={name: list(values) for name, values in coords.items()},
        dims={name: list(dims) for name, dims in {**SHARED_DIMS, **result.model.dims}.items()},
    )
    tree.attrs.update(_attrs(result))
    return tree


def _attrs(result: Answer) -> dict[str, Any]:
    pair = getattr(result, "names", ())  # a contest has the dimension of the systems
    return {
        "model": result.model.name,
        "engine": result.engine,
        "seed": result.seed,
        "measure": result.measure.label,
        **{f"name_{letter}": name for letter, name in zip("AB", pair, strict=False)},
    }
