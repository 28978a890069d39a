"""What a result says of the documents: their likelihood, and others that it would expect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stanoff.engines.draws import Variables, judged
from stanoff.engines.sampling import resample_whole
from stanoff.models import Model
from stanoff.models.base import LogLikelihood, PredictiveModel
from stanoff.models.custom import LOG_PRIOR, REP_SUFFIX, CustomModel

if TYPE_CHECKING:
    from stanoff.results.base import Result

MAX_NUMBERS = 8_000_000  # of a group; of more, every so-manieth draw is taken
MAX_LOG_LIKELIHOOD = 8_000_000  # documents times draws that are written out
STREAM = 18  # beside the seed: not the random numbers that the draws were made of


class Group(NamedTuple):
    """One group of the tree.

    Attributes
    ----------
    variables : mapping
        What it holds, by name.
    own : tuple of str
        The variables of the program that it was made of.
    coords : mapping
        The dimension that it brings along.
    labels : sequence of str
        What the places of this dimension are called.
    step : int
        It has every so-manieth draw.
    """

    variables: Variables
    own: tuple[str, ...] = ()
    coords: Mapping[str, range] = MappingProxyType({})
    labels: Sequence[str] = ()
    step: int = 1


def _by_document(
    likelihood: LogLikelihood, unit: str, own: tuple[str, ...] = ()
) -> dict[str, Group]:
    """Return the group of the tree, document by document; none of very many."""
    values, counts, labels, step = likelihood
    n = int(counts.sum())
    if n * values[..., 0].size > MAX_LOG_LIKELIHOOD:
        return {}
    variables = {"log_lik": np.repeat(values, counts, axis=-1)}
    names = np.repeat(labels, counts).tolist()
    return {"log_likelihood": Group(variables, own, {unit: range(n)}, names, step)}


def log_likelihood(result: Result) -> LogLikelihood | None:
    """Return the log-likelihood of the documents or items of a result, if its model has one.

    Parameters
    ----------
    result : Comparison or Contest
        Whose documents.
    """
    if not isinstance(result.model, PredictiveModel):
        return _generated_log_likelihood(result.fit.draws.posterior)
    computation = _Computation(result, result.model)
    posterior = computation.posterior()
    return computation.log_likelihood(posterior) if posterior else None


def predictive_groups(result: Result, *, new_only: bool = False) -> dict[str, Group]:
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
    if not isinstance(result.model, PredictiveModel):
        return _generated_groups(result)
    computation = _Computation(result, result.model)
    posterior = computation.posterior()
    if not posterior:
        return {}
    if new_only:
        return {"posterior_predictive": Group(computation.replicate(posterior))}
    return computation.groups(posterior)


def stan_data_of(result: Result) -> Mapping[str, Any]:
    """Return the data block, with every document where the model says something of each."""
    model = result.model
    if isinstance(model, PredictiveModel):
        return model.predictive_data(result.data, result.prior)
    return model.stan_data(result.data, result.prior)


class _Computation:
    """Computes the groups of one result; ``rng`` is used in the order of the calls."""

    def __init__(self, result: Result, model: PredictiveModel) -> None:
        self.result, self.model = result, model
        self.stan_data = model.predictive_data(result.data, result.prior)
        self.size = sum(map(np.size, self.stan_data.values()))
        self.step = self.step_of(result.fit.draws.shape)
        self.rng = np.random.default_rng([result.seed, STREAM])

    def step_of(self, shape: tuple[int, ...]) -> int:
        """Return the step between draws by which a group stays bearable."""
        return max(1, -(-shape[0] * shape[1] * self.size // MAX_NUMBERS))

    def groups(self, posterior: Variables) -> dict[str, Group]:
        data, prior = self.result.data, self.prior()
        density = self.model.log_prior(posterior, self.stan_data)
        new = self.replicate(posterior)
        variables = {
            "log_prior": {} if density is None else {"log_prior": density},
            "posterior_predictive": new,
            "prior_predictive": self.replicate(prior),
        }
        groups = {name: Group(v, step=self.step) for name, v in variables.items() if v}
        groups |= _by_document(self.log_likelihood(posterior), data.unit)
        observed = {name: np.asarray(self.stan_data.get(name, data.cells)) for name in new}
        return groups | {"observed_data": Group(observed)}

    def log_likelihood(self, posterior: Variables) -> LogLikelihood:
        """Return the log-likelihood of one document of each kind that occurred."""
        likelihood = self.model.log_likelihood(posterior, self.result.data, self.stan_data)
        return likelihood._replace(step=self.step)

    def replicate(self, draws: Variables) -> Variables:
        """Draw new documents; none where there are no draws."""
        if not draws:
            return {}
        new = self.model.replicate(draws, self.stan_data, self.rng)
        return judged(new, len(self.result.data.categories))

    def posterior(self) -> Variables:
        """Return draws that say something of documents; none where they cannot."""
        result = self.result
        stored = result.fit.draws.posterior
        draws: Variables = {name: values[:, :: self.step] for name, values in stored.items()}
        if not set(self.model.predictive_draws) <= set(draws):
            again = {}
            if not result.fit.is_part:
                again = self.draw_again({}, np.random.default_rng(result.seed))
            cells = judged(again, len(result.data.categories)).get("cells")
            if cells is None or not np.array_equal(cells, draws["cells"]):
                return {}  # another NumPy drew them
            draws = again
        return self.model.complete_draws(draws, self.stan_data, self.rng)

    def prior(self) -> Variables:
        """Return draws of the prior: as they are, or drawn as if no document had been seen."""
        prior = self.result.fit.draws.prior
        if set(self.model.predictive_draws) <= set(prior):
            step = self.step_of(next(iter(prior.values())).shape[:2])
            return {name: values[:, ::step] for name, values in prior.items()}
        names = self.result.model.observed
        return self.draw_again({n: np.zeros_like(self.stan_data[n]) for n in names}, self.rng)

    def draw_again(
        self, other_data: Mapping[str, Any], rng: np.random.Generator
    ) -> dict[str, NDArray[Any]]:
        """Draw as the fit did, or given other data, and keep what documents are drawn from.

        None where the exact sampler cannot draw once more.
        """
        result = self.result
        if result.engine != "exact" or not self.model.can_resample(self.stan_data):
            return {}
        stan_data = result.model.stan_data(result.data, result.prior, result.measure)
        stan_data = {**stan_data, **other_data, "prior_only": 0}
        return resample_whole(result.model, stan_data, result.fit.draws.shape, self.step, rng)


def _generated_log_likelihood(posterior: Variables) -> LogLikelihood | None:
    """Return what a program generates as ``log_lik``."""
    if "log_lik" not in posterior:
        return None
    values = posterior["log_lik"]
    labels = [", ".join(str(i + 1) for i in index) for index in np.ndindex(values.shape[2:])]
    flat = values.reshape(*values.shape[:2], -1)
    return LogLikelihood(flat, np.ones(len(labels), dtype=np.int64), labels)


def _generated_groups(result: Result) -> dict[str, Group]:
    """Find what a program generates by the names that are recognised."""
    groups: dict[str, Group] = {}
    posterior, prior = result.fit.draws.posterior, result.fit.draws.prior
    likelihood = _generated_log_likelihood(posterior)
    if likelihood is not None:
        groups = _by_document(likelihood, result.data.unit, ("log_lik",))
    for name in LOG_PRIOR:
        if name in posterior:
            groups["log_prior"] = Group({"log_prior": posterior[name]}, (name,))
    own = {f"{name}{REP_SUFFIX}": name for name in result.model.observed}
    own = {generated: name for generated, name in own.items() if generated in posterior}
    for key, draws in (("posterior_predictive", posterior), ("prior_predictive", prior)):
        if own and draws:
            new = {name: _as_declared(result.model, name, draws[g]) for g, name in own.items()}
            groups[key] = Group(new, tuple(own))
    return groups


def _as_declared(model: Model, name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return counts as whole numbers, unless some are no numbers."""
    whole = isinstance(model, CustomModel) and model.program.inputs[name]["type"] == "int"
    return values.astype(np.int64) if whole and np.isfinite(values).all() else values
