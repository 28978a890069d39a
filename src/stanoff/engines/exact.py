"""Draws from conjugate posteriors, in NumPy: no compiler, and the yardstick for Stan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stanoff.data.base import Data
from stanoff.engines.draws import Draws, judged
from stanoff.errors import invalid
from stanoff.measures import Measure
from stanoff.models import Model

if TYPE_CHECKING:
    from stanoff.question import Sampling

LEAST_DRAWS = 1000
CELLS = 1_000_000  # with many categories fewer draws, or they would not fit into memory


def sample(model: Model, data: Data, sampling: Sampling, measure: Measure) -> Draws:
    """Draw independently from posterior and prior; :func:`stanoff.engines.sample` explains it."""
    if model.exact is None:
        raise invalid("engine", f"'stan' for {model.name}, which is not conjugate", "exact")
    block = model.stan_data(data, sampling.prior, measure)
    enough = min(model.exact_draws, max(LEAST_DRAWS, CELLS // len(data.categories)))
    chains, draws = sampling.chains or 1, sampling.draws or enough
    rng = np.random.default_rng(sampling.seed)
    groups = []
    for prior_only in (0, 1):
        try:
            drawn = model.exact(block | {"prior_only": prior_only}, chains * draws, rng)
        except MemoryError:
            told = f"{chains} x {draws}"
            raise invalid("draws", "so few that they fit into memory", told) from None
        shaped = {k: v.reshape(chains, draws, *v.shape[1:]) for k, v in drawn.items()}
        groups.append(judged(shaped, len(data.categories)))
    no_trouble = {"diverging": np.zeros((chains, draws), dtype=bool)}
    return Draws(groups[0], groups[1], sample_stats=no_trouble)
