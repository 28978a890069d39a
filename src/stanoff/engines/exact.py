"""Draws from conjugate posteriors, in NumPy: no compiler, and the yardstick for Stan."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import Data
from stanoff.engines.draws import Draws, Later, judged
from stanoff.errors import invalid
from stanoff.measures import Measure
from stanoff.models import Model
from stanoff.models.patterns import Contest, Joint

if TYPE_CHECKING:
    from stanoff.question import Sampling

LEAST_DRAWS = 1000
AHEAD = 64  # categories that others draw at a time: what they drew waits in memory
CELLS = 2_000_000  # with many categories fewer draws, or they would not fit into memory
FEW_SYSTEMS, MANY_DRAWS = 10, 10_000  # all pairs of many systems take long


def sample(model: Model, data: Data, sampling: Sampling, measure: Measure) -> Draws:
    """Draw independently from posterior and prior, as :func:`stanoff.engines.sampling.sample`."""
    if not model.is_conjugate:
        raise invalid("engine", f"'stan' for {model.name}, which is not conjugate", "exact")
    block = model.stan_data(data, sampling.prior, measure)
    each = len(data.categories) * len(data.systems)
    enough = min(model.exact_draws, max(LEAST_DRAWS, CELLS // each))
    if len(data.systems) > FEW_SYSTEMS:
        enough = min(enough, MANY_DRAWS)
    chains, draws = sampling.chains or 1, sampling.draws or enough
    rng, exact = np.random.default_rng(sampling.seed), model.sample_exact

    def group(prior_only: int, **more: Any) -> dict[str, NDArray[Any]]:
        try:
            drawn = exact(block | {"prior_only": prior_only}, chains * draws, rng, **more)
        except MemoryError:
            told = f"{chains} x {draws}"
            raise invalid("draws", "so few that they fit into memory", told) from None
        shaped = {k: v.reshape(chains, draws, *v.shape[1:]) for k, v in drawn.items()}
        return judged(shaped, len(data.categories))

    others = sampling.executor if isinstance(model, Contest) and len(data.categories) > 1 else None
    posterior = (
        group(0) if others is None else group(0, map_categories=partial(_shared_out, others))
    )
    no_trouble = {"diverging": np.zeros((chains, draws), dtype=bool)}
    return Draws(posterior, Later(lambda: group(1)), sample_stats=no_trouble)


def drawn_whole(
    model: Model,
    block: Mapping[str, Any],
    shape: tuple[int, int],
    step: int,
    rng: np.random.Generator,
) -> dict[str, NDArray[Any]]:
    """Draw once more, and keep what is usually too much to keep.

    Parameters
    ----------
    model : Model
        Whose sampler takes ``keep``.
    block : mapping
        All that the program asks for.
    shape : tuple of int
        How many chains, and how many draws of each.
    step : int
        Every so-manieth draw of a chain is returned.
    rng : Generator
        By the seed of a fit it gives the draws of that fit again.
    """
    assert isinstance(model, Contest | Joint)
    chains, draws = shape
    keep = np.arange(chains * draws).reshape(shape)[:, ::step]
    drawn = model.sample_exact(block, chains * draws, rng, keep=keep.ravel())
    if step > 1:  # what was not kept is whole
        whole = {name: values for name, values in drawn.items() if len(values) > keep.size}
        drawn |= {name: values[keep.ravel()] for name, values in whole.items()}
    return {name: v.reshape(*keep.shape, *v.shape[1:]) for name, v in drawn.items()}


def _shared_out(
    executor: Any, function: Callable[[Any], Any], tasks: Iterable[Any]
) -> Iterator[Any]:
    """Let an executor work on tasks, some ahead of the one that is wanted."""
    todo = iter(tasks)
    waiting = deque(executor.submit(function, task) for task in islice(todo, AHEAD))
    while waiting:
        yield waiting.popleft().result()
        waiting.extend(executor.submit(function, task) for task in islice(todo, 1))
