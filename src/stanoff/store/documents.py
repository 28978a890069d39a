"""What a result says of the documents: their likelihood, and others that it would expect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff.engines.draws import Variables, judged
from stanoff.models import Model
from stanoff.models.custom import LOG_PRIOR, REP_SUFFIX, CustomModel

if TYPE_CHECKING:
    from stanoff.results.base import Result

MOST = 40_000_000  # numbers of a group; of more, every so-manieth draw is taken
STREAM = 18  # beside the seed: not the random numbers that the draws were made of


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
    step : int
        It has every so-manieth draw.
    """

    variables: Variables
    own: tuple[str, ...] = ()
    coords: Mapping[str, list[str]] = field(default_factory=dict)
    step: int = 1


@dataclass(frozen=True)
class _How:
    """What is needed to compute the groups: the data, how many numbers these are, and chance."""

    block: Mapping[str, Any]
    size: int
    rng: np.random.Generator


def documents_said(result: Result, *, new_only: bool = False) -> dict[str, Group]:
    """Gather log_likelihood, log_prior, posterior_predictive, prior_predictive, and what they meet.

    Of a program of the user's own they are what it generates by these names; of the models of
    stanoff they are computed of the draws, if these hold what that takes.

    Parameters
    ----------
    result : Comparison or Contest
        Whose documents.
    new_only : bool
        Compute posterior_predictive alone.
    """
    model = result.model
    if not model.predictive_draws:
        return _generated(result)
    block = block_of(result)
    size = sum(np.size(block[name]) for name in model.replicated)
    how = _How(block, size, np.random.default_rng([result.seed, STREAM]))
    posterior = _drawn(result, how)
    if not posterior:
        return {}
    if new_only:
        return {"posterior_predictive": Group(_new(result, posterior, how))}
    prior = _drawn_of_prior(result, how)
    log_lik = model.log_likelihood(posterior, block)
    labels = model.log_likelihood_labels(result.data, block)
    density = model.log_prior(posterior, block)
    groups: dict[str, Variables] = {
        "log_prior": {} if density is None else {"log_prior": density},
        "posterior_predictive": _new(result, posterior, how),
        "prior_predictive": _new(result, prior, how),
    }
    groups["observed_data"] = {
        name: observed(result, block, name) for name in groups["posterior_predictive"]
    }
    found = {"log_likelihood": _of_groups(log_lik, labels, model.unit)}
    found |= {name: Group(variables) for name, variables in groups.items() if variables}
    step = _step(result.fit.draws.shape, size)
    return {
        name: replace(group, step=step) if name != "observed_data" else group
        for name, group in found.items()
    }


def _new(result: Result, drawn: Variables, how: _How) -> Variables:
    """Draw new documents; none where there are no draws."""
    if not drawn:
        return {}
    return judged(result.model.replicate(drawn, how.block, how.rng), len(result.data.categories))


def block_of(result: Result) -> Mapping[str, Any]:
    """Return the data block, with every document where the model says something of each."""
    return result.model.predictive_data(result.data, result.prior)


def observed(result: Result, block: Mapping[str, Any], name: str) -> NDArray[Any]:
    """Return what was observed of something that a model draws anew."""
    return np.asarray(block.get(name, result.data.cells))


def _drawn(result: Result, how: _How) -> Variables:
    """Return draws that say something of documents; none where they cannot."""
    posterior, step = result.fit.draws.posterior, _step(result.fit.draws.shape, how.size)
    drawn: Variables = {name: values[:, ::step] for name, values in posterior.items()}
    if not set(result.model.predictive_draws) <= set(drawn):
        if result.fit.is_part or not _again(result, how):
            return {}
        whole = _whole_draws(result, {}, step, np.random.default_rng(result.seed))
        if not np.array_equal(judged(whole, len(result.data.categories))["cells"], drawn["cells"]):
            return {}  # another NumPy drew them
        drawn = whole
    return result.model.complete_draws(drawn, how.block, how.rng)


def _drawn_of_prior(result: Result, how: _How) -> Variables:
    """Return draws of the prior: as they are, or drawn as if no document had been seen."""
    prior = result.fit.draws.prior
    if set(result.model.predictive_draws) <= set(prior):
        step = _step(next(iter(prior.values())).shape[:2], how.size)
        return {name: values[:, ::step] for name, values in prior.items()}
    if not _again(result, how):
        return {}
    nothing = {name: np.zeros_like(how.block[name]) for name in result.model.observed}
    return _whole_draws(result, nothing, _step(result.fit.draws.shape, how.size), how.rng)


def _again(result: Result, how: _How) -> bool:
    """Return whether the exact sampler can draw once more."""
    return result.engine == "exact" and result.model.can_resample(how.block)


def _whole_draws(
    result: Result, other: Mapping[str, Any], step: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Draw as the fit did, or given other data, and keep what documents are drawn from."""
    from stanoff.engines.exact import drawn_whole

    block = result.model.stan_data(result.data, result.prior, result.measure)
    whole = {**block, **other, "prior_only": 0}
    return drawn_whole(result.model, whole, result.fit.draws.shape, step, rng)


def _step(shape: tuple[int, ...], size: int) -> int:
    return max(1, -(-shape[0] * shape[1] * size // MOST))


def _of_groups(log_lik: NDArray[np.float64], labels: Sequence[str], unit: str) -> Group:
    """Keep the groups of documents that occurred: ArviZ stumbles over a likelihood of 1."""
    flat = log_lik.reshape(*log_lik.shape[:2], -1)
    vary = np.flatnonzero(np.ptp(flat, axis=(0, 1)) > 0).tolist()
    return Group({"log_lik": flat[..., vary]}, coords={unit: [labels[i] for i in vary]})


def _generated(result: Result) -> dict[str, Group]:
    """Find what a program generates by the names that are recognised."""
    found: dict[str, Group] = {}
    posterior, prior = result.fit.draws.posterior, result.fit.draws.prior
    if "log_lik" in posterior:
        sizes = posterior["log_lik"].shape[2:]
        labels = [", ".join(str(i + 1) for i in place) for place in product(*map(range, sizes))]
        kept = _of_groups(posterior["log_lik"], labels, "documents")
        found["log_likelihood"] = replace(kept, own=("log_lik",))
    for name in LOG_PRIOR:
        if name in posterior:
            found["log_prior"] = Group({"log_prior": posterior[name]}, (name,))
    names = [name for name in result.model.observed if f"{name}{REP_SUFFIX}" in posterior]
    own = tuple(f"{name}{REP_SUFFIX}" for name in names)
    for group, drawn in (("posterior_predictive", posterior), ("prior_predictive", prior)):
        if names and drawn:
            variables = {n: _as_declared(result.model, n, drawn[f"{n}{REP_SUFFIX}"]) for n in names}
            found[group] = Group(variables, own)
    return found


def _as_declared(model: Model, name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return counts as whole numbers, unless some are no numbers."""
    whole = isinstance(model, CustomModel) and model.program.inputs[name]["type"] == "int"
    return values.astype(np.int64) if whole and np.isfinite(values).all() else values
