"""Which engine draws, and its draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stanoff.engines import exact, stan
from stanoff.engines.toolchain import missing_requirement
from stanoff.models import is_conjugate, takes_contests

if TYPE_CHECKING:
    from stanoff.data.types import Data
    from stanoff.engines.draws import Draws
    from stanoff.measures import Measure
    from stanoff.models import Model
    from stanoff.question import Sampling

NOT_STAN = "not Stan because"  # in the settings of a fit: why exact draws took the place of Stan's


def select_engine(model: Model, requested: str | None) -> tuple[str, str | None]:
    """Return which engine draws, and why it is not Stan where Stan would be the default.

    Stan draws where the program of the model is compiled or can be compiled at once. Where CmdStan
    would have to be built first, a conjugate model is drawn exactly.

    Parameters
    ----------
    model : Model
        What is drawn from.
    requested : str or None
        The engine that must draw, or None.
    """
    if requested is not None:
        return requested, None
    if not is_conjugate(model):
        return "stan", None
    if not model.inputs or takes_contests(model):  # the program has few systems
        return "exact", None
    missing = missing_requirement(model.stan_file)
    return ("stan", None) if missing is None else ("exact", missing)


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
    engine_sample = stan.sample if engine == "stan" else exact.sample
    return engine_sample(model, data, sampling, measure)
