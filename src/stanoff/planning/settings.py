"""The options that power and plans have in common, read and checked before anything is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from stanoff import models
from stanoff._lib.arguments import check_bool, check_int
from stanoff.data.types import PairedCounts, UnpairedCounts
from stanoff.errors import InputError, invalid
from stanoff.models.priors import Priors, single
from stanoff.planning.judging import Chunk, Judge
from stanoff.planning.simulation import Source
from stanoff.question import Question, Sampling

DATASETS, DRAWS = 1000, 4000
LEAST_DRAWS = 100
NUMBERS_PER_CHUNK = 2_000_000  # 500 data sets of 4,000 draws
SCORED = 50  # data sets per chunk
STAN_TOGETHER, STAN_APART = 20, 5  # data sets per chunk; CmdStan writes every draw to a file


class Options(TypedDict, total=False):
    """How data sets are judged and how many there are; :func:`stanoff.power` explains them."""

    measure: str
    beta: float
    zero_division: float | str
    prevalence: float | None
    rope: Any
    hdi_prob: float
    prior: Priors | str | None
    engine: str
    n_simulations: int
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
    judges : tuple of Judge
        One per model; all ask the same question.
    n_simulations : int
        How many data sets per cell of the study.
    per_chunk : int
        How many of them one worker takes at a time.
    same_documents : bool
        Whether both systems judge the same documents.
    seed : int
        Where all random numbers come from.
    jobs, executor, progress
        Who does the work, and whether to show it.
    """

    judges: tuple[Judge, ...]
    n_simulations: int
    per_chunk: int
    same_documents: bool
    seed: int
    jobs: int | None
    executor: Any
    progress: bool

    @property
    def question(self) -> Question:
        """What all judges are asked."""
        return self.judges[0].question

    def chunks(
        self, sources: Sequence[Source], *, first: int = 0, n_simulations: int | None = None
    ) -> list[tuple[int, Chunk]]:
        """Cut the data sets of every source into chunks, each with the place of its source.

        The first chunks of all sources come first: whoever stops early has some of everything.
        The random numbers of a source depend on its place, counted from ``first``.
        """
        total = self.n_simulations if n_simulations is None else n_simulations
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
    engine: str = "exact",
    prior: Priors | str | None = None,
    n_simulations: int = DATASETS,
    draws: int = DRAWS,
    same_documents: bool = True,
    seed: int | None = None,
    jobs: int | None = None,
    executor: Any = None,
    progress: bool = False,
    **judging: Any,
) -> Settings:
    """Check the options of a study; :func:`stanoff.power` explains them."""
    names = [model] if isinstance(model, (str, Path)) else list(model)
    if not names or len({str(name) for name in names}) != len(names):
        raise invalid("model", "one model or several different ones", model)
    if "average" in judging:
        raise InputError("There is no average in a plan: a scenario is about one category.")
    if engine == "auto":
        engine = "exact" if all(models.get(name).has_batches for name in names) else "stan"
    question = Question.read(**judging)
    rounds = check_int("draws", draws, least=LEAST_DRAWS)
    drawing: dict[str, Any] = {"prior": prior, "engine": engine, "draws": rounds, "seed": seed}
    judges = tuple(Judge(question, Sampling.read(model=name, **drawing)) for name in names)
    for judge in judges:
        _check(judge, check_bool("same_documents", same_documents))
    per_chunk = max(1, NUMBERS_PER_CHUNK // rounds)
    if question.measure.kind == "scores":
        per_chunk = SCORED
    if engine == "stan":
        together = all(judge.model.independent for judge in judges)
        per_chunk = STAN_TOGETHER if together else STAN_APART
    return Settings(
        judges=judges,
        n_simulations=check_int("n_simulations", n_simulations),
        per_chunk=per_chunk,
        same_documents=same_documents,
        seed=judges[0].sampling.seed,
        jobs=jobs,
        executor=executor,
        progress=progress,
    )


def models_for(options: Options) -> tuple[str, ...]:
    """Name the models that can judge such documents without Stan."""
    if options.get("measure") == "auc":
        return ("bootstrap",)
    return ("paired", "unpaired") if options.get("same_documents", True) else ("unpaired",)


def _check(judge: Judge, same_documents: bool) -> None:
    """Refuse models that cannot be used here, and priors that do not fit, before any work."""
    model = judge.model
    if judge.question.measure.kind != "labels":
        if model.name != "bootstrap" or judge.sampling.engine != "exact":
            raise invalid(
                "model", "'bootstrap' with the exact engine, in a plan for AUC", model.name
            )
        single(judge.sampling.prior)
        return
    if model.single_label:
        raise InputError(
            f"The model {model.name!r} is about classes, but a scenario is about one category "
            "against the rest: pass 'paired', 'unpaired' or another model of categories."
        )
    if judge.sampling.engine == "exact" and not model.has_batches:
        raise invalid("engine", f"'stan' for {model.name}, which is not conjugate", "exact")
    one = np.ones((1, 4), dtype=np.int64)
    kind = PairedCounts if same_documents else UnpairedCounts
    model.stan_data(kind(("1",), one, one), judge.sampling.prior)
