"""Engines: a model and its data in, draws out, with one signature for all."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stanoff.data.types import Data
    from stanoff.engines.draws import Draws
    from stanoff.measures import Measure
    from stanoff.models import Model
    from stanoff.question import Sampling

SPARED = "not Stan because"  # in the settings of a fit: why exact draws took the place of Stan's


def chosen(model: Model, asked: str | None) -> tuple[str, str | None]:
    """Return which engine draws, and why it is not Stan where Stan would be the default.

    Stan draws where the program of the model is compiled or can be compiled at once. Where CmdStan
    would have to be built first, a conjugate model is drawn exactly.

    Parameters
    ----------
    model : Model
        What is drawn from.
    asked : str or None
        The engine that must draw, or None.
    """
    from stanoff.cmdstan.compile import lacking
    from stanoff.models import stan_folder

    if asked is not None:
        return asked, None
    if model.engine == "exact" or model.exact is None:
        return model.engine, None
    why = lacking(model.stan_file, stan_folder())
    return ("stan", None) if why is None else ("exact", why)


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
