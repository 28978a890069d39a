"""A study as a folder: one linked page, a table, figures, and a page for every comparison."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from stanoff._lib import progress
from stanoff._lib.arguments import as_executor, as_jobs
from stanoff._lib.files import write_bytes, write_text
from stanoff._lib.workers import workers
from stanoff.comparison import Comparison
from stanoff.errors import SamplingWarning, StanoffError
from stanoff.question import Question, Sampling
from stanoff.study.config import FIGURE_FORMATS, DataSet, Study
from stanoff.study.config import FIGURES as PLOTS
from stanoff.study.fits import Fitted, fitted
from stanoff.study.kept import keep, key_of, recalled
from stanoff.study.outcomes import Outcome

PAGES, FIGURES, FITS = "pages", "figures", "fits"


@dataclass(frozen=True)
class Task:
    """A pair of systems on one data set under one model, judged by every measure of the study."""

    data: DataSet
    pair: tuple[str, str]
    sampling: Sampling
    slug: str

    @property
    def model(self) -> str:
        """The name of the model, empty where it is chosen by the data."""
        return self.sampling.model.name if self.sampling.model else ""


def build(
    study: Study, out: Path, *, jobs: int = 1, executor: Any = None, quiet: bool = False
) -> list[Outcome]:
    """Compare all pairs by all measures under all models and write the report.

    What was fitted before from the same input, with the same settings, seed and versions, is not
    fitted again, and what was drawn of a fit in the same way is not drawn again. A comparison that
    fails does not keep the others from being made.

    Parameters
    ----------
    study : Study
        What :func:`stanoff.study.config.read_study` returned.
    out : Path
        The folder to write to.
    jobs : int
        How many comparisons are made at the same time.
    executor : Executor, optional
        Who makes them instead: any of ``concurrent.futures`` that uses processes, or a client of
        Dask whose workers see the same folders.
    quiet : bool
        Show no progress.

    Returns
    -------
    list of Outcome
        In the order of the study.
    """
    from stanoff.study.overview import write_overview

    employed, executor = as_jobs(jobs), as_executor(executor)
    tasks = list(_tasks(study))
    outcomes: list[Outcome] = []
    title = f"Comparing {len(tasks)} pairs of classifiers and models"
    with progress.step(title, total=len(tasks), quiet=quiet) as advance:
        known = [_known(study, task, out) for task in tasks]
        new = [task for task, made in zip(tasks, known, strict=True) if None in made]
        with closing(_run(study, new, out.resolve(), employed, executor)) as running:
            for done, made in enumerate(known, start=1):
                outcomes += next(running) if None in made else filter(None, made)
                advance(done)
    write_overview(study, outcomes, out)
    return outcomes


def _tasks(study: Study) -> Iterator[Task]:
    known: set[str] = set()
    for data, pair, sampling in product(study.data, study.pairs, study.samplings):
        parts = [data.name] if data.name else []
        parts += [study.names[pair[0]], study.names[pair[1]]]
        parts += [sampling.model.name] if sampling.model else []
        yield Task(data, pair, sampling, slug_of(parts, known))


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
    study: Study, tasks: Sequence[Task], out: Path, jobs: int, executor: Any
) -> Generator[list[Outcome], None, None]:
    if not tasks or (executor is None and 1 in (jobs, len(tasks))):
        for task in tasks:
            yield _work(study, task, out)
        return
    others = workers(min(jobs, len(tasks))) if executor is None else nullcontext(executor.submit)
    with others as submit:
        waiting = [submit(_alone, study, task, out) for task in tasks]
        for task, one in zip(tasks, waiting, strict=True):
            try:
                yield one.result()
            except BrokenProcessPool as error:  # a process was killed, perhaps for its memory
                yield [_failed(study, task, one, error) for one in study.questions]


def _alone(study: Study, task: Task, out: Path) -> list[Outcome]:
    """Work where a worker of Dask may be running: xarray must not ask its scheduler for a lock."""
    if "dask" not in sys.modules:
        return _work(study, task, out)
    import dask

    with dask.config.set(scheduler="synchronous"):
        return _work(study, task, out)


def _work(study: Study, task: Task, out: Path) -> list[Outcome]:
    """Make all comparisons of one pair under one model, but those that are there."""
    import matplotlib as mpl

    mpl.use("Agg")  # nobody looks at a window
    known = list(zip(study.questions, _known(study, task, out), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # the result tells it in its own words
        try:
            fit = fitted(study, task.data, task.pair, task.sampling, out / FITS / task.slug)
        except Exception as error:  # whatever it is, the other comparisons are to be made
            return [kept or _failed(study, task, one, error) for one, kept in known]
        return [kept or _made(study, task, one, fit, out) for one, kept in known]


def _known(study: Study, task: Task, out: Path) -> list[Outcome | None]:
    """Find what was made before, question by question."""
    return [
        recalled(_record(study, task, question, out), _key(study, task, question), out)
        for question in study.questions
    ]


def _key(study: Study, task: Task, question: Question) -> str:
    return key_of(study, task.data, task.pair, task.sampling, question)


def _record(study: Study, task: Task, question: Question, out: Path) -> Path:
    return out / FITS / f"{_slug(study, task, question)}.json"


def _slug(study: Study, task: Task, question: Question) -> str:
    """Name the files of a comparison; two measures never share a name."""
    known: set[str] = set()
    slugs = {one: slug_of([one.measure.label], known) for one in study.questions}
    return f"{task.slug}-{slugs[question]}"


def _made(study: Study, task: Task, question: Question, fit: Fitted, out: Path) -> Outcome:
    try:
        own = "cells" not in fit.result.fit.draws.posterior and question == study.questions[0]
        measure = None if own else question.measure  # a program may tell its own score only
        result = fit.result.judge(measure=measure, rope=question.rope, hdi=question.hdi)
        slug = _slug(study, task, question)
        outcome, files = _written(study, task, result, slug, out)
        record, key = _record(study, task, question, out), _key(study, task, question)
        keep(outcome, [*files, fit.file], record, key, out)
        return replace(outcome, reused=fit.reused)
    except Exception as error:
        return _failed(study, task, question, error)


def _written(
    study: Study, task: Task, result: Comparison, slug: str, out: Path
) -> tuple[Outcome, list[Path]]:
    """Write the page and the figures of a comparison; return what the overview shows of it."""
    from stanoff.report.gallery import pictures
    from stanoff.report.page import page
    from stanoff.study.tables import SCORES
    from stanoff.text.tables import PAPER, formatted

    shown = result.decided or result.categories[0]
    drawn = list(pictures(result, shown, study.figures, study.figure_formats))
    files = {
        out / FIGURES / f"{slug}-{picture.name}.{style}": content
        for picture in drawn
        for style, content in picture.files.items()
    }
    for name, style in product(PLOTS, FIGURE_FORMATS):  # what an earlier study asked for
        if (old := out / FIGURES / f"{slug}-{name}.{style}") not in files:
            old.unlink(missing_ok=True)
    for path, content in files.items():
        write_bytes(path, content)
    html = write_text(out / PAGES / f"{slug}.html", page(result, drawn=drawn))
    one = formatted(result, ["category", "mean", "hdi", "p_rope", "decision"], categories=[shown])
    outcome = Outcome(
        a=result.names[0],
        b=result.names[1],
        measure=result.measure.label,
        model=result.model.name,
        slug=slug,
        data=task.data.name,
        summary=result.summary(),
        cells=formatted(result, PAPER),
        scores=formatted(result, SCORES).set_axis(SCORES, axis=1),
        sentence=str(result),
        shown=tuple(one.iloc[0]) if result.decided else (),
        warnings=result.warnings,
        figures=tuple(picture.name for picture in drawn) if study.figure_formats else (),
        origin=dict(result.data.origin),
    )
    return outcome, [*files, html]


def _failed(study: Study, task: Task, question: Question, error: Exception) -> Outcome:
    known: dict[str, Any] = {
        "a": study.names[task.pair[0]],
        "b": study.names[task.pair[1]],
        "measure": question.measure.label,
        "model": task.model,
        "data": task.data.name,
    }
    told = str(error) if isinstance(error, StanoffError) else f"{type(error).__name__}: {error}"
    return Outcome(**known, slug=task.slug, error=told)
