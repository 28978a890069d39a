"""Engines: a model and its data in, draws out, with one signature for all."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stanoff.data.base import Data
    from stanoff.engines.draws import Draws
    from stanoff.measures import Measure
    from stanoff.models import Model
    from stanoff.question import Sampling


def sample(engine: str, model: Model, data: Data, sampling: Sampling, measure: Measure) -> Draws:
    """Draw from the posterior and the prior of a model.

    Parameters
    ----------
    engine : str
        ``"stan"`` or ``"exact"``.
    model : Model
        What is drawn from.
    data : Data
        What was observed.
    sampling : Sampling
        How much is drawn, with which prior and seed.
    measure : Measure
        The measure that a Stan program computes.
    """
    draws: Draws = import_module(f"stanoff.engines.{engine}").sample(model, data, sampling, measure)
    return draws
