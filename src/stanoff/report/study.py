"""A study as a folder: one linked page, a table, figures, and a page for every comparison."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stanoff import measures, progress
from stanoff.errors import InputError, SamplingWarning, StanoffError, invalid
from stanoff.files import write_bytes, write_text
from stanoff.report.config import Study
from stanoff.report.fits import fitted
from stanoff.result import Comparison

if TYPE_CHECKING:
    import pandas as pd

PAGES, FIGURES, FITS = "pages", "figures", "fits"


@dataclass(frozen=True)
class Task:
    """A pair of classifiers under one model, judged by every measure of the study."""

    pair: tuple[str, str]
    model: str
    slug: str


@dataclass(frozen=True, eq=False)
class Outcome:
    """One comparison of a study: what is shown of it, or why there is nothing to show.

    Attributes
    ----------
    a, b, measure, model : what was compared, as it is called
    slug : how its files are called
    error : what went wrong, if anything
    reused : whether the fit was read rather than made
    summary : the numbers, a row per category
    cells : the same as text
    sentence : the verdict; one line per category where there is no average
    shown : category, mean, HDI, share in the ROPE and symbol of the row decided upon
    warnings : what to know before trusting it
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


def build(study: Study, out: Path, *, jobs: int = 1, quiet: bool = False) -> list[Outcome]:
    """Compare all pairs by all measures under all models and write the report.

    What was fitted before from the same input, with the same settings, seed and versions, is not
    fitted again. A comparison that fails does not keep the others from being made.

    Parameters
    ----------
    study : what :func:`stanoff.report.config.read_study` returned
    out : the folder to write to
    jobs : how many comparisons are made at the same time
    quiet : show no progress

    Returns
    -------
    list of Outcome
        In the order of the study.
    """
    from stanoff.report.overview import write_overview

    if type(jobs) is not int or jobs < 1:
        raise invalid("jobs", "a whole number >= 1", jobs)
    tasks = list(_tasks(study))
    outcomes: list[Outcome] = []
    title = f"Comparing {len(tasks)} pairs of classifiers and models"
    with progress.step(title, total=len(tasks), quiet=quiet) as advance:
        for done, made in enumerate(_run(study, tasks, out, jobs), start=1):
            outcomes += made
            advance(done)
    write_overview(study, outcomes, out)
    return outcomes


def _tasks(study: Study) -> Iterator[Task]:
    known: set[str] = set()
    for pair, model in product(study.pairs, study.models):
        names = (study.names[pair[0]], study.names[pair[1]])
        yield Task(pair, model, slug_of((*names, Path(model).stem), known))


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


def _run(study: Study, tasks: Sequence[Task], out: Path, jobs: int) -> Iterator[list[Outcome]]:
    if jobs == 1 or len(tasks) == 1:
        for task in tasks:
            yield _work(study, task, out)
        return
    # Fresh processes: a forked one would share locks of threads that it does not have.
    with ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=get_context("spawn")) as pool:
        waiting: list[Future[list[Outcome]]] = [
            pool.submit(_work, study, task, out) for task in tasks
        ]
        for task, one in zip(tasks, waiting, strict=True):
            try:
                yield one.result()
            except BrokenProcessPool as error:  # a process was killed, perhaps for its memory
                yield [_failed(study, task, name, error) for name in study.measures]


def _work(study: Study, task: Task, out: Path) -> list[Outcome]:
    """Make all comparisons of one pair under one model."""
    import matplotlib as mpl

    mpl.use("Agg")  # nobody looks at a window
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # the result tells it in its own words
        try:
            result, reused = fitted(study, task.pair, task.model, out / FITS / task.slug)
        except Exception as error:  # whatever it is, the other comparisons are to be made
            return [_failed(study, task, name, error) for name in study.measures]
        return [_made(study, task, name, result, reused, out) for name in study.measures]


def _made(
    study: Study, task: Task, measure: str, fit: Comparison, reused: bool, out: Path
) -> Outcome:
    try:
        result = _judged(study, fit, measure).under(rope=study.rope, hdi=study.hdi)
        return _written(study, task, result, reused, out)
    except Exception as error:
        return _failed(study, task, measure, error)


def _judged(study: Study, fit: Comparison, measure: str) -> Comparison:
    # Always by Python, so that a fit that is read says the same as one that is made.
    if "cells_A" in fit.draws.posterior:
        return fit.measure(measure, **study.judging)
    if measure != study.measures[0]:
        raise InputError(
            f"{fit.model.name} tells one score only: it cannot be judged by {measure}."
        )
    return fit


def _written(study: Study, task: Task, result: Comparison, reused: bool, out: Path) -> Outcome:
    from stanoff.report.gallery import pictures
    from stanoff.report.page import page
    from stanoff.tables import PAPER, formatted

    label = result.measure_used.label
    slug = f"{task.slug}-{slug_of([label], set())}"
    shown = result.average or result.categories[0]
    drawn = list(pictures(result, shown, study.figures))
    for picture in drawn:
        write_bytes(out / FIGURES / f"{slug}-{picture.name}.svg", picture.svg)
    write_text(out / PAGES / f"{slug}.html", page(result, drawn=drawn))
    one = formatted(result, ["category", "mean", "hdi", "p_rope", "decision"], categories=[shown])
    return Outcome(
        a=result.names[0],
        b=result.names[1],
        measure=label,
        model=Path(task.model).stem,
        slug=slug,
        reused=reused,
        summary=result.summary(),
        cells=formatted(result, PAPER),
        sentence=str(result),
        shown=tuple(one.iloc[0]) if result.average or len(result.categories) == 1 else (),
        warnings=result.warnings,
    )


def _failed(study: Study, task: Task, measure: str, error: Exception) -> Outcome:
    known: dict[str, Any] = {
        "a": study.names[task.pair[0]],
        "b": study.names[task.pair[1]],
        "measure": measures.get(measure, **study.judging).label,
        "model": Path(task.model).stem,
    }
    told = str(error) if isinstance(error, StanoffError) else f"{type(error).__name__}: {error}"
    return Outcome(**known, slug=task.slug, error=told)
