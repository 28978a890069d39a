"""A study as a folder: one linked page, a table, figures, and a page for every comparison."""

from __future__ import annotations

import re
import warnings
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stanoff._lib import progress
from stanoff._lib.arguments import as_jobs
from stanoff._lib.files import write_bytes, write_text
from stanoff._lib.workers import workers
from stanoff.comparison import Comparison
from stanoff.errors import SamplingWarning, StanoffError
from stanoff.question import Question, Sampling
from stanoff.study.config import Study
from stanoff.study.fits import fitted

if TYPE_CHECKING:
    import pandas as pd

PAGES, FIGURES, FITS = "pages", "figures", "fits"


@dataclass(frozen=True)
class Task:
    """A pair of systems under one model, judged by every measure of the study."""

    pair: tuple[str, str]
    sampling: Sampling
    slug: str

    @property
    def model(self) -> str:
        """The name of the model, empty where it is chosen by the data."""
        return self.sampling.model.name if self.sampling.model else ""


@dataclass(frozen=True, eq=False)
class Outcome:
    """One comparison of a study: what is shown of it, or why there is nothing to show.

    Attributes
    ----------
    a, b, measure, model : str
        What was compared, as it is called.
    slug : str
        How its files are called.
    error : str
        What went wrong, if anything.
    reused : bool
        Whether the fit was read rather than made.
    summary : DataFrame or None
        The numbers, a row per category.
    cells : DataFrame or None
        The same as text.
    sentence : str
        The verdict; one line per category where there is no average.
    shown : tuple of str
        Category, mean, HDI, share in the ROPE and symbol of the row decided upon.
    warnings : tuple of str
        What to know before trusting it.
    """

    a: str
    b: str
    measure: str
    model: str
    slug: str
    error: str = ""
    reused: bool = False
    summary: pd.DataFrame | None = None
    cells: pd.DataFrame | None = None
    sentence: str = ""
    shown: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What was compared, in words."""
        model = f" ({self.model})" if self.model else ""
        return f"{self.a} and {self.b} in {self.measure}{model}"


def build(study: Study, out: Path, *, jobs: int = 1, quiet: bool = False) -> list[Outcome]:
    """Compare all pairs by all measures under all models and write the report.

    What was fitted before from the same input, with the same settings, seed and versions, is not
    fitted again. A comparison that fails does not keep the others from being made.

    Parameters
    ----------
    study : Study
        What :func:`stanoff.study.config.read_study` returned.
    out : Path
        The folder to write to.
    jobs : int
        How many comparisons are made at the same time.
    quiet : bool
        Show no progress.

    Returns
    -------
    list of Outcome
        In the order of the study.
    """
    from stanoff.study.overview import write_overview

    employed = as_jobs(jobs)
    tasks = list(_tasks(study))
    outcomes: list[Outcome] = []
    title = f"Comparing {len(tasks)} pairs of classifiers and models"
    with (
        progress.step(title, total=len(tasks), quiet=quiet) as advance,
        closing(_run(study, tasks, out, employed)) as running,
    ):
        for done, made in enumerate(running, start=1):
            outcomes += made
            advance(done)
    write_overview(study, outcomes, out)
    return outcomes


def _tasks(study: Study) -> Iterator[Task]:
    known: set[str] = set()
    for pair, sampling in product(study.pairs, study.samplings):
        parts = [study.names[pair[0]], study.names[pair[1]]]
        parts += [sampling.model.name] if sampling.model else []
        yield Task(pair, sampling, slug_of(parts, known))


def slug_of(parts: Sequence[str], known: set[str]) -> str:
    """Make a file name of names: letters, digits and ``_-.`` only, and none that is known.

    Examples
    --------
    >>> known = set()
    >>> slug_of(["a/b", "ü"], known), slug_of(["a b", "ü"], known)
    ('a_b-ü', 'a_b-ü-2')
    """
    plain = [re.sub(r"[^\w.]+", "_", part)[:40].strip("._") or "_" for part in parts]
    slug, n = "-".join(plain), 2
    while slug.casefold() in known:
        slug, n = f"{'-'.join(plain)}-{n}", n + 1
    known.add(slug.casefold())
    return slug


def _run(
    study: Study, tasks: Sequence[Task], out: Path, jobs: int
) -> Generator[list[Outcome], None, None]:
    if jobs == 1 or len(tasks) == 1:
        for task in tasks:
            yield _work(study, task, out)
        return
    with workers(min(jobs, len(tasks))) as submit:
        waiting = [submit(_work, study, task, out) for task in tasks]
        for task, one in zip(tasks, waiting, strict=True):
            try:
                yield one.result()
            except BrokenProcessPool as error:  # a process was killed, perhaps for its memory
                yield [_failed(study, task, one, error) for one in study.questions]


def _work(study: Study, task: Task, out: Path) -> list[Outcome]:
    """Make all comparisons of one pair under one model."""
    import matplotlib as mpl

    mpl.use("Agg")  # nobody looks at a window
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # the result tells it in its own words
        try:
            result, reused = fitted(study, task.pair, task.sampling, out / FITS / task.slug)
        except Exception as error:  # whatever it is, the other comparisons are to be made
            return [_failed(study, task, one, error) for one in study.questions]
        return [_made(study, task, one, result, reused, out) for one in study.questions]


def _made(
    study: Study, task: Task, question: Question, fit: Comparison, reused: bool, out: Path
) -> Outcome:
    try:
        own = "cells" not in fit.fit.draws.posterior and question == study.questions[0]
        measure = None if own else question.measure  # a program may tell its own score only
        result = fit.judge(measure=measure, rope=question.rope, hdi=question.hdi)
        return _written(study, task, result, reused, out)
    except Exception as error:
        return _failed(study, task, question, error)


def _written(study: Study, task: Task, result: Comparison, reused: bool, out: Path) -> Outcome:
    from stanoff.report.gallery import pictures
    from stanoff.report.page import page
    from stanoff.text.tables import PAPER, formatted

    label = result.measure.label
    slug = f"{task.slug}-{slug_of([label], set())}"
    shown = result.decided or result.categories[0]
    drawn = list(pictures(result, shown, study.figures))
    for picture in drawn:
        write_bytes(out / FIGURES / f"{slug}-{picture.name}.svg", picture.svg)
    write_text(out / PAGES / f"{slug}.html", page(result, drawn=drawn))
    one = formatted(result, ["category", "mean", "hdi", "p_rope", "decision"], categories=[shown])
    return Outcome(
        a=result.names[0],
        b=result.names[1],
        measure=label,
        model=result.model.name,
        slug=slug,
        reused=reused,
        summary=result.summary(),
        cells=formatted(result, PAPER),
        sentence=str(result),
        shown=tuple(one.iloc[0]) if result.decided else (),
        warnings=result.warnings,
    )


def _failed(study: Study, task: Task, question: Question, error: Exception) -> Outcome:
    known: dict[str, Any] = {
        "a": study.names[task.pair[0]],
        "b": study.names[task.pair[1]],
        "measure": question.measure.label,
        "model": task.model,
    }
    told = str(error) if isinstance(error, StanoffError) else f"{type(error).__name__}: {error}"
    return Outcome(**known, slug=task.slug, error=told)
