"""From counts to a result: check the settings, draw, judge."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from stanoff import measures, models, posterior, provenance
from stanoff.counts import AVERAGES
from stanoff.decision import as_probability, as_rope
from stanoff.errors import InputError, SamplingWarning, invalid, unknown
from stanoff.models import AnyCounts, Model
from stanoff.posterior import Draws
from stanoff.priors import Prior, Priors
from stanoff.result import Comparison
from stanoff.scoring import judged

ENGINES = ("stan", "exact")
STAN_CHAINS, STAN_DRAWS, STAN_WARMUP = 4, 1000, 1000
STAN_LEAST, STAN_CELLS = 250, 200_000  # with very many categories CmdStan writes large files
EXACT_CHAINS, EXACT_DRAWS = 1, 50_000
JOINT_DRAWS = 10_000  # every one of these takes longer
EXACT_CELLS = 1_000_000  # with many categories fewer draws, or they would not fit into memory
MOST_SEED = 2**31 - 1


def fit(
    counts: AnyCounts,
    *,
    measure: str = "f1",
    beta: float = 1.0,
    average: str | None = None,
    zero_division: float | str = 0.0,
    prevalence: float | None = None,
    rope: Any = 0.05,
    hdi: float = 0.95,
    model: str | Path = "paired",
    prior: Priors | None = None,
    engine: str | None = None,
    draws: int | None = None,
    chains: int | None = None,
    warmup: int | None = None,
    seed: int | None = None,
    names: tuple[str, str] | None = None,
    progress: bool = False,
) -> Comparison:
    """Fit a model to counts; :func:`compare` explains the options."""
    for parameter, value, known in (("engine", engine, ENGINES), ("average", average, AVERAGES)):
        if not (isinstance(value, str) and value in known) and value is not None:
            raise unknown(parameter, value, known)
    clash = set(AVERAGES) & set(counts.categories)
    if average is not None and clash:
        raise InputError(f"A category is called {clash.pop()!r}, like an average: rename it.")
    if sum(counts.documents) == 0:
        raise InputError("There is nothing to compare: all counts are 0.")
    chosen_measure = measures.get(
        measure, beta=beta, zero_division=zero_division, prevalence=prevalence
    )
    chosen_model = models.get(model)
    if engine is None:
        engine = "stan" if chosen_model.program else "exact"
    if engine == "stan" and not chosen_model.program:
        raise invalid("engine", f"'exact' for {chosen_model.name}, which has no program", engine)
    weights, number = _as_prior(prior), _as_seed(seed)
    interval, probability = as_rope(rope), as_probability("hdi", hdi)
    called = _as_names(names)
    data = chosen_model.stan_data(counts, weights, chosen_measure)
    warm = _whole("warmup", warmup, STAN_WARMUP)
    if engine == "stan":
        from stanoff.engines import stan

        few = min(STAN_DRAWS, max(STAN_LEAST, STAN_CELLS // data.get("K", 1)))
        drawn = stan.sample(
            chosen_model,
            data,
            documents=max(counts.documents),
            categories=len(counts.categories),
            chains=_whole("chains", chains, STAN_CHAINS),
            draws=_whole("draws", draws, few, least=4),
            warmup=warm,
            seed=number,
            progress=progress,
        )
    else:
        most = JOINT_DRAWS if chosen_model.classes else EXACT_DRAWS
        enough = min(most, max(STAN_DRAWS, EXACT_CELLS // data["K"]))
        drawn = _draw_exactly(
            chosen_model,
            data,
            chains=_whole("chains", chains, EXACT_CHAINS),
            draws=_whole("draws", draws, enough, least=4),
            seed=number,
        )
    unjudged = Comparison(
        counts=counts,
        names=called,
        model=chosen_model,
        engine=engine,
        seed=number,
        prior=weights,
        measure_used=chosen_measure,
        average=average,
        rope_used=interval,
        hdi_used=probability,
        draws=drawn,
        sampler_warnings=_sampler_trouble(drawn) if engine == "stan" else (),
        provenance=provenance.gather(chosen_model, engine, _drawn(drawn, engine, warm)),
    )
    if engine == "stan" and "measure" not in data and "cells_A" not in drawn.posterior:
        # A program of the user's own that computes one score and does not say which.
        chosen_measure = replace(chosen_measure, name=f"the score of {chosen_model.name}")
        return judged(unjudged, chosen_measure, by_stan=True)
    by_stan = engine == "stan" and "measure" in data and chosen_measure.code is not None
    return judged(unjudged, chosen_measure, by_stan=by_stan)


def _drawn(draws: Draws, engine: str, warmup: int) -> dict[str, int]:
    chains, kept = draws.posterior["delta" if engine == "stan" else "cells_A"].shape[:2]
    return {"chains": chains, "draws": kept} | ({"warmup": warmup} if engine == "stan" else {})


def _draw_exactly(model: Model, data: models.Data, *, chains: int, draws: int, seed: int) -> Draws:
    if model.exact is None:
        raise invalid("engine", f"'stan' for {model.name}, which is not conjugate", "exact")
    rng = np.random.default_rng(seed)
    both = []
    for prior_only in (0, 1):
        try:
            drawn = model.exact(data | {"prior_only": prior_only}, chains * draws, rng)
        except MemoryError:
            told = f"{chains} x {draws}"
            raise invalid("draws", "so few that they fit into memory", told) from None
        both.append({k: v.reshape(chains, draws, *v.shape[1:]) for k, v in drawn.items()})
    posterior_draws, prior_draws = both
    no_trouble = {"diverging": np.zeros((chains, draws), dtype=bool)}
    return Draws(posterior_draws, prior_draws, sample_stats=no_trouble)


def _sampler_trouble(draws: Draws) -> tuple[str, ...]:
    judged_by = [name for name in ("psi_A", "psi_B", "delta") if name in draws.posterior]
    told = posterior.trouble(draws, of=judged_by)
    if not told:
        return ()
    message = f"The sampler had trouble: {'; '.join(told)}. Draw more, or look at plot_trace()."
    warnings.warn(message, SamplingWarning, stacklevel=4)
    return (message,)


def _whole(parameter: str, value: Any, default: int, least: int = 1) -> int:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise invalid(parameter, f"a whole number >= {least}", value)
    return int(value)


def _as_seed(seed: Any) -> int:
    if seed is None:
        return secrets.randbelow(MOST_SEED) + 1
    if _whole("seed", seed, 0, least=0) > MOST_SEED:
        raise invalid("seed", f"a whole number from 0 to {MOST_SEED}", seed)
    return int(seed)


def _as_prior(prior: Any) -> Priors:
    if prior is None:
        return Prior.uniform()
    if isinstance(prior, Prior):
        return prior
    pair = tuple(prior) if isinstance(prior, (tuple, list)) else ()
    if len(pair) == 2 and all(isinstance(one, Prior) for one in pair):
        return pair[0], pair[1]
    raise invalid("prior", "a stanoff.Prior, or two of them in an unpaired model", prior)


def _as_names(names: Any) -> tuple[str, str]:
    if names is None:
        return "A", "B"
    called = [" ".join(str(name).split()) for name in names] if isinstance(names, Sequence) else []
    if isinstance(names, str) or len(set(called)) != 2 or len(called) != 2 or not all(called):
        raise invalid("names", "two different names", names)
    for name in called:
        if not name.isprintable():
            raise invalid("names", "printable", name)
    return called[0], called[1]
