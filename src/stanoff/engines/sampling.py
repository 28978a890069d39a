"""Which engine draws, its draws, and where they come from.

Conjugate posteriors are drawn exactly, in NumPy: no compiler, and the yardstick for Stan.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff import __version__
from stanoff.data.types import Data
from stanoff.engines import stan
from stanoff.engines.cmdstan import program_hash, program_sources
from stanoff.engines.draws import Draws, Later, Variables, judged
from stanoff.engines.toolchain import cmdstan_version, missing_requirement
from stanoff.errors import invalid
from stanoff.measures import Measure
from stanoff.models import Model, is_conjugate, takes_contests
from stanoff.models.patterns import Contest, Joint

if TYPE_CHECKING:
    from stanoff.question import Sampling

NOT_STAN = "not Stan because"  # in the settings of a fit: why exact draws took the place of Stan's
PACKAGES = {"numpy": "numpy", "arviz": "arviz-base"}
EXACT_DRAWS = {"joint": 10_000, "bootstrap": 4000, "clusters": 20_000}  # which take longer
MIN_DRAWS = 1000
CELLS = 2_000_000  # with many categories fewer draws, or they would not fit into memory
FEW_SYSTEMS, MANY_DRAWS = 10, 10_000  # all pairs of many systems take long


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
    engine_sample = stan.sample if engine == "stan" else sample_exact
    return engine_sample(model, data, sampling, measure)


def sample_exact(model: Model, data: Data, sampling: Sampling, measure: Measure) -> Draws:
    """Draw independently from conjugate posterior and prior, in NumPy; as :func:`sample`."""
    if not is_conjugate(model):
        raise invalid("engine", f"'stan' for {model.name}, which is not conjugate", "exact")
    stan_data = model.stan_data(data, sampling.prior, measure)
    n_categories, n_systems = len(data.categories), len(data.systems)
    enough = max(MIN_DRAWS, CELLS // (n_categories * n_systems))
    enough = min(enough, EXACT_DRAWS.get(model.name, 50_000))
    if n_systems > FEW_SYSTEMS:
        enough = min(enough, MANY_DRAWS)
    chains, draws = sampling.chains or 1, sampling.draws or enough
    rng = np.random.default_rng(sampling.seed)

    def draw(prior_only: int, **options: Any) -> Variables:
        block = stan_data | {"prior_only": prior_only}
        try:
            drawn = model.sample_exact(block, chains * draws, rng, **options)
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
    futures = [executor.submit(function, task) for task in tasks]
    return (future.result() for future in futures)


@dataclass(frozen=True)
class Provenance:
    """What it takes to tell, or to repeat, how a result came about.

    Attributes
    ----------
    versions : mapping
        Of stanoff, python, numpy and arviz; where Stan drew, of cmdstan and cmdstanpy, too.
    program : str or None
        The SHA-256 hash of the Stan program and all that it includes; None if none was run.
    sources : tuple of tuple of str
        Name and text of the program and of what it includes.
    settings : mapping
        How much was drawn: chains, draws, warmup.
    """

    versions: Mapping[str, str] = field(default_factory=dict)
    program: str | None = None
    sources: tuple[tuple[str, str], ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


def gather_provenance(model: Model, engine: str, settings: Mapping[str, Any]) -> Provenance:
    """Take down what is there now."""
    versions = {"stanoff": __version__, "python": platform.python_version(), **_versions()}
    if engine != "stan":
        return Provenance(versions, settings=dict(settings))
    file = model.stan_file
    if number := cmdstan_version(file):
        versions["cmdstan"] = ".".join(map(str, number))
    versions["cmdstanpy"] = version("cmdstanpy")
    return Provenance(versions, program_hash(file), program_sources(file), dict(settings))


@cache
def _versions() -> dict[str, str]:
    return {name: version(package) for name, package in PACKAGES.items()}
