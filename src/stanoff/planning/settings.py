"""The options that power and plans have in common, read and checked before anything is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from stanoff import measures, models
from stanoff.counts import PairedCounts, UnpairedCounts
from stanoff.decision import as_probability, as_rope
from stanoff.engines import many
from stanoff.errors import InputError, invalid, unknown
from stanoff.fitting import ENGINES, as_prior, as_seed, whole
from stanoff.measures import Measure
from stanoff.planning.judging import Chunk, Judge
from stanoff.planning.simulation import AnyCounts, Source
from stanoff.priors import Priors

DATASETS, DRAWS = 1000, 4000
NUMBERS_PER_CHUNK = 2_000_000  # 500 data sets of 4,000 draws
STAN_TOGETHER, STAN_APART = 20, 5  # data sets per chunk; CmdStan writes every draw to a file


class Options(TypedDict, total=False):
    """How data sets are judged and how many there are; :func:`stanoff.power` explains them."""

    measure: str
    beta: float
    zero_division: float | str
    prevalence: float | None
    rope: Any
    hdi: float
    prior: Priors | None
    engine: str
    datasets: int
    draws: int
    same_documents: bool
    seed: int | None
    jobs: int | None
    executor: Any
    progress: bool


@dataclass(frozen=True)
class Settings:
    """The options after checking.

    Attributes
    ----------
    judges : one per model
    score : the measure
    datasets : how many data sets per cell of the study
    per_chunk : how many of them one worker takes at a time
    same_documents : whether both classifiers judge the same documents
    seed : where all random numbers come from
    jobs, executor, progress : who does the work, and whether to show it
    """

    judges: tuple[Judge, ...]
    score: Measure
    datasets: int
    per_chunk: int
    same_documents: bool
    seed: int
    jobs: int | None
    executor: Any
    progress: bool

    def chunks(
        self, sources: Sequence[Source], *, first: int = 0, datasets: int | None = None
    ) -> list[tuple[int, Chunk]]:
        """Cut the data sets of every source into chunks, each with the place of its source.

        The first chunks of all sources come first: whoever stops early has some of everything.
        The random numbers of a source depend on its place, counted from ``first``.
        """
        total = self.datasets if datasets is None else datasets
        starts = range(0, total, self.per_chunk)
        cut = []
        for turn, start in enumerate(starts):
            for place, source in enumerate(sources):
                seed = np.random.SeedSequence(self.seed, spawn_key=(first + place, turn))
                size = min(self.per_chunk, total - start)
                cut.append((place, Chunk(source, size, self.judges, seed)))
        return cut


def settings(
    model: str | Path | Sequence[str | Path],
    *,
    measure: str = "f1",
    beta: float = 1.0,
    zero_division: float | str = 0.0,
    prevalence: float | None = None,
    rope: Any = 0.05,
    hdi: float = 0.95,
    prior: Priors | None = None,
    engine: str = "exact",
    datasets: int = DATASETS,
    draws: int = DRAWS,
    same_documents: bool = True,
    seed: int | None = None,
    jobs: int | None = None,
    executor: Any = None,
    progress: bool = False,
) -> Settings:
    """Check the options of a study; :func:`stanoff.power` explains them."""
    if not isinstance(engine, str) or engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    if not isinstance(same_documents, bool):
        raise invalid("same_documents", "True or False", same_documents)
    names = [model] if isinstance(model, (str, Path)) else list(model)
    if not names or len({str(name) for name in names}) != len(names):
        raise invalid("model", "one model or several different ones", model)
    score = measures.get(measure, beta=beta, zero_division=zero_division, prevalence=prevalence)
    weights, rounds = as_prior(prior), whole("draws", draws, DRAWS, least=100)
    judges = tuple(
        Judge(
            model=str(name),
            engine=engine,
            draws=rounds,
            prior=weights,
            measure=score.name,
            beta=score.beta,
            zero_division=score.zero_division,
            prevalence=score.prevalence,
            function=score.function if score.code is None else None,
            higher_is_better=score.higher_is_better,
            rope=as_rope(rope),
            hdi=as_probability("hdi", hdi),
        )
        for name in names
    )
    for judge in judges:
        _check(judge, same_documents)
    per_chunk = max(1, NUMBERS_PER_CHUNK // rounds)
    if engine == "stan":
        together = all(judge.model in many.SAMPLERS for judge in judges)
        per_chunk = STAN_TOGETHER if together else STAN_APART
    return Settings(
        judges=judges,
        score=score,
        datasets=whole("datasets", datasets, DATASETS),
        per_chunk=per_chunk,
        same_documents=same_documents,
        seed=as_seed(seed),
        jobs=jobs,
        executor=executor,
        progress=progress,
    )


def _check(judge: Judge, same_documents: bool) -> None:
    """Refuse models that cannot be used here, and priors that do not fit, before any work."""
    chosen = models.get(Path(judge.model) if judge.model.endswith(".stan") else judge.model)
    if chosen.classes:
        raise InputError(
            f"The model {chosen.name!r} is about classes, but a scenario is about one category "
            "against the rest: pass 'paired', 'unpaired' or another model of categories."
        )
    if judge.engine == "exact" and judge.model not in many.SAMPLERS:
        raise invalid("engine", f"'stan' for {chosen.name}, which is not conjugate", "exact")
    one = np.ones((1, 4), dtype=np.int64)
    counts: AnyCounts = PairedCounts(("1",), one, one)
    if not same_documents:
        counts = UnpairedCounts(("1",), one, one)
    chosen.data(counts, judge.prior)
