"""What a comparison says of the documents: their likelihood, and others that it would expect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff.engines.draws import Variables
from stanoff.models import Model
from stanoff.models.base import COORDS
from stanoff.models.declared import LOG_PRIOR, REPLICATED
from stanoff.models.own import OwnModel

if TYPE_CHECKING:
    from stanoff.judgement import Judgement

MOST = 40_000_000  # numbers of a group; of more, every so-manieth draw is taken


@dataclass(frozen=True, eq=False)
class Group:
    """One group of the tree.

    Attributes
    ----------
    variables : mapping
        What it holds, by name.
    own : tuple of str
        The variables of the program that it was made of.
    coords : mapping
        Labels of the dimension that it brings along.
    """

    variables: Variables
    own: tuple[str, ...] = ()
    coords: Mapping[str, list[str]] = field(default_factory=dict)


def documents_said(result: Judgement) -> dict[str, Group]:
    """Gather log_likelihood, log_prior, posterior_predictive and prior_predictive.

    Of a program of the user's own they are what it generates by these names; of the models of
    stanoff they are computed of the draws.
    """
    if result.model.predictive is None:
        return _generated(result)
    said, block = result.model.predictive, result.model.data(result.data, result.prior)
    size = sum(np.size(block[name]) for name in result.model.observed)
    posterior = _thinned(result.fit.draws.posterior, size)
    prior = _thinned(result.fit.draws.prior, size) if result.fit.draws.prior else {}
    rng = np.random.default_rng(result.seed)
    names = {**COORDS, "category": result.data.categories}
    likelihood = _of_groups(
        said.log_likelihood(posterior, block), [names[dim] for dim in said.dims]
    )
    groups = {
        "log_prior": {"log_prior": said.log_prior(posterior, block)},
        "posterior_predictive": said.replicate(posterior, block, rng),
        "prior_predictive": said.replicate(prior, block, rng) if prior else {},
    }
    found = {name: Group(variables) for name, variables in groups.items() if variables}
    return {"log_likelihood": likelihood, **found}


def _of_groups(log_lik: NDArray[np.float64], names: Sequence[Sequence[str]]) -> Group:
    """Keep the groups of documents that occurred: ArviZ stumbles over a likelihood of 1."""
    flat = log_lik.reshape(*log_lik.shape[:2], -1)
    labels = [", ".join(map(str, parts)) for parts in product(*names)]
    vary = np.flatnonzero(np.ptp(flat, axis=(0, 1)) > 0)
    return Group({"log_lik": flat[..., vary]}, coords={"documents": [labels[i] for i in vary]})


def _thinned(drawn: Variables, size: int) -> Variables:
    chains, draws = next(iter(drawn.values())).shape[:2]
    step = max(1, -(-chains * draws * size // MOST))
    return {name: values[:, ::step] for name, values in drawn.items()} if step > 1 else drawn


def _generated(result: Judgement) -> dict[str, Group]:
    """Find what a program generates by the names that are recognised."""
    found: dict[str, Group] = {}
    posterior, prior = result.fit.draws.posterior, result.fit.draws.prior
    if "log_lik" in posterior:
        sizes = posterior["log_lik"].shape[2:]
        kept = _of_groups(posterior["log_lik"], [[str(i + 1) for i in range(n)] for n in sizes])
        found["log_likelihood"] = replace(kept, own=("log_lik",))
    for name in LOG_PRIOR:
        if name in posterior:
            found["log_prior"] = Group({"log_prior": posterior[name]}, (name,))
    names = [name for name in result.model.observed if f"{name}{REPLICATED}" in posterior]
    own = tuple(f"{name}{REPLICATED}" for name in names)
    for group, drawn in (("posterior_predictive", posterior), ("prior_predictive", prior)):
        if names and drawn:
            variables = {n: _as_declared(result.model, n, drawn[f"{n}{REPLICATED}"]) for n in names}
            found[group] = Group(variables, own)
    return found


def _as_declared(model: Model, name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return counts as whole numbers, unless some are no numbers."""
    whole = isinstance(model, OwnModel) and model.program_of.inputs[name]["type"] == "int"
    return values.astype(np.int64) if whole and np.isfinite(values).all() else values
