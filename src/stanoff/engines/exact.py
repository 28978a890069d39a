"""Draws from conjugate posteriors, in NumPy: no compiler, and the yardstick for Stan."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import Data
from stanoff.engines.draws import Draws, Later, Variables, judged
from stanoff.errors import invalid
from stanoff.measures import Measure
from stanoff.models import Model, is_conjugate
from stanoff.models.patterns import Contest, Joint

if TYPE_CHECKING:
    from stanoff.question import Sampling

EXACT_DRAWS = {"joint": 10_000, "bootstrap": 4000, "clusters": 20_000}  # which take longer
MIN_DRAWS = 1000
CELLS = 2_000_000  # with many categories fewer draws, or they would not fit into memory
FEW_SYSTEMS, MANY_DRAWS = 10, 10_000  # all pairs of many systems take long


def sample(model: Model, data: Data, sampling: Sampling, measure: Measure) -> Draws:
    """Draw independently from posterior and prior, as :func:`stanoff.engines.sampling.sample`."""
    if not is_conjugate(model):
        raise invalid("engine", f"'stan' for {model.name}, which is not conjugate", "exact")
    stan_data = model.stan_data(data, sampling.prior, measure)
    n_categories, n_systems = len(data.categories), len(data.systems)
    enough = min(
        EXACT_DRAWS.get(model.name, 50_000), max(MIN_DRAWS, CELLS // (n_categories * n_systems))
    )
    if n_systems > FEW_SYSTEMS:
        enough = min(enough, MANY_DRAWS)
    chains, draws = sampling.chains or 1, sampling.draws or enough
    rng, sample_exact = np.random.default_rng(sampling.seed), model.sample_exact

    def draw(prior_only: int, **options: Any) -> Variables:
        block = stan_data | {"prior_only": prior_only}
        try:
            drawn = sample_exact(block, chains * draws, rng, **options)
        except MemoryError:
            rule = "so few that they fit into memory"
            raise invalid("draws", rule, f"{chains} x {draws}") from None
        shaped = {k: v.reshape(chains, draws, *v.shape[1:]) for k, v in drawn.items()}
        return judged(shaped, n_categories)

    options = {}
    if sampling.executor is not None and isinstance(model, Contest) and n_categories > 1:
        options["map_categories"] = partial(_map_by, sampling.executor)
    no_trouble = {"diverging": np.zeros((chains, draws), dtype=bool)}
    # Of values a difference has a prior if that has a weight; all other priors of theirs are flat.
    has_prior = "prior_only" in stan_data or stan_data.get("prior_weight", 0) > 0
    prior = Later(lambda: draw(1)) if has_prior else {}
    return Draws(draw(0, **options), prior, sample_stats=no_trouble)


def resample_whole(
    model: Model,
    stan_data: Mapping[str, Any],
    shape: tuple[int, int],
    step: int,
    rng: np.random.Generator,
) -> dict[str, NDArray[Any]]:
    """Draw once more, and keep what is usually too much to keep.

    Parameters
    ----------
    model : Model
        Whose sampler takes ``keep``.
    stan_data : mapping
        All that the program asks for.
    shape : tuple of int
        How many chains, and how many draws of each.
    step : int
        Every so-manieth draw of a chain is returned.
    rng : Generator
        By the seed of a fit it gives the draws of that fit again.
    """
    assert isinstance(model, Contest | Joint)
    keep = np.arange(np.prod(shape)).reshape(shape)[:, ::step]
    drawn = model.sample_exact(stan_data, int(np.prod(shape)), rng, keep=keep.ravel())
    return {
        # What was not cut down by the sampler is whole.
        name: (values[keep.ravel()] if len(values) > keep.size else values).reshape(
            *keep.shape, *values.shape[1:]
        )
        for name, values in drawn.items()
    }


def _map_by(executor: Any, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
    """Let an executor apply a function to tasks; results come in their order."""
    futures = deque(executor.submit(function, task) for task in tasks)
    while futures:
        yield futures.popleft().result()
