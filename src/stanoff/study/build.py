"""A study as a folder: one linked page, tables, figures, and a page for every comparison."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from stanoff._lib import progress
from stanoff._lib.arguments import as_executor, as_jobs
from stanoff._lib.workers import workers
from stanoff.errors import SamplingWarning, StanoffError
from stanoff.question import Question
from stanoff.results.comparison import Comparison
from stanoff.results.contest import Contest
from stanoff.study.config import Study
from stanoff.study.fits import Fitted, fitted
from stanoff.study.kept import keep, key_of, recalled
from stanoff.study.outcomes import Outcome
from stanoff.study.pages import written
from stanoff.study.tasks import Task, Unit, tasks_of, units

FITS = "fits"
SHARES = 8  # of the pairs of a contest, where an executor does not tell how many workers it has


def build(
    study: Study, out: Path, *, jobs: int = 1, executor: Any = None, quiet: bool = False
) -> list[Outcome]:
    """Compare all systems by all measures under all models and write the report.

    Three classifiers or more are fitted together, in one contest, and their pairs are taken from
    it, if the model can do that. What was fitted before from the same input, with the same
    settings, seed and versions, is not fitted again, and what was drawn of a fit in the same way is
    not drawn again. A comparison that fails does not keep the others from being made.

    Parameters
    ----------
    study : Study
        What :func:`stanoff.study.config.read_study` returned.
    out : Path
        The folder to write to.
    jobs : int
        How many comparisons are made at the same time.
    executor : Executor, optional
        Who makes them instead: any of ``concurrent.futures``, or a client of Dask whose workers see
        the same folders.
    quiet : bool
        Show no progress.

    Returns
    -------
    list of Outcome
        The contests, then the comparisons, in the order of the study.
    """
    from stanoff.study.overview import write_overview

    employed, executor = as_jobs(jobs), as_executor(executor)
    tasks = list(tasks_of(study))
    title = f"Making {len(tasks)} comparisons" + (" and contests" if study.together else "")
    with progress.show_progress(title, total=len(tasks), quiet=quiet) as advance:
        made = {task: _known(study, task, out) for task in tasks}
        new = [task for task in tasks if None in made[task]]
        with closing(_run(study, new, out.resolve(), employed, executor)) as running:
            for done in running:
                made |= done
                new = [task for task in new if task not in done]
                advance(len(tasks) - len(new))
    outcomes = [outcome for task in tasks for outcome in made[task] if outcome is not None]
    write_overview(study, outcomes, out)
    return outcomes


Made = dict[Task, list[Outcome | None]]


def _run(
    study: Study, tasks: Sequence[Task], out: Path, jobs: int, executor: Any
) -> Generator[Made, None, None]:
    if not tasks or (executor is None and 1 in (jobs, len(tasks))):
        for unit in units(tasks, 1)[0]:
            fit = _tried(study, unit.whole, out)
            for task in unit.made:
                yield {task: _made(study, task, fit, out)}
        return
    others = workers(min(jobs, len(tasks))) if executor is None else nullcontext(executor.submit)
    fresh: set[Task] = set()
    with others as submit:
        for stage in units(tasks, jobs if executor is None else SHARES):
            yield from _shared_out(study, stage, out, submit, fresh)


def _shared_out(
    study: Study, stage: Sequence[Unit], out: Path, submit: Callable[..., Any], fresh: set[Task]
) -> Generator[Made, None, None]:
    """Let others work, and say so where one of them was killed, perhaps for its memory.

    What they fitted is noted as fresh: it counts as made, not as read, in a later stage, too.
    """
    try:
        waiting = [submit(_of_unit, study, unit, out) for unit in stage]
    except BrokenProcessPool as error:
        yield {task: _failed(study, task, error) for unit in stage for task in unit.made}
        return
    for unit, one in zip(stage, waiting, strict=True):
        try:
            reused, found = one.result()
            fresh |= set() if reused else {unit.whole}
            if unit.whole in fresh:
                found = [[o and replace(o, reused=False) for o in some] for some in found]
            yield dict(zip(unit.made, found, strict=True))
        except BrokenProcessPool as error:
            yield {task: _failed(study, task, error) for task in unit.made}


def _of_unit(study: Study, unit: Unit, out: Path) -> tuple[bool, list[list[Outcome | None]]]:
    """Return whether the fit was there, and what was made of it."""
    fit = _tried(study, unit.whole, out)
    made = [_made(study, task, fit, out) for task in unit.made]
    return isinstance(fit, Exception) or fit.reused, made


def _tried(study: Study, task: Task, out: Path) -> Fitted | Exception:
    """Fit, or return what went wrong: whatever it is, the other comparisons are to be made."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # the result tells it in its own words
        try:
            return fitted(study, task.data, task.systems, task.sampling, out / FITS / task.slug)
        except Exception as error:
            return error


def _made(study: Study, task: Task, fit: Fitted | Exception, out: Path) -> list[Outcome | None]:
    """Make what a task is about out of its fit, question by question, but what is there."""
    known = list(zip(study.questions, _known(study, task, out), strict=True))
    if isinstance(fit, Exception) and task.contest is not None:
        fit = _tried(study, task, out)  # a pair can do without a system that is not in order
    if isinstance(fit, Exception):
        failed = _failed(study, task, fit)
        return [kept or one for (_, kept), one in zip(known, failed, strict=True)]
    return [kept or _written(study, task, question, fit, out) for question, kept in known]


def _known(study: Study, task: Task, out: Path) -> list[Outcome | None]:
    """Find what was made before, question by question."""
    return [
        recalled(_record(study, task, question, out), _key(study, task, question), out)
        for question in study.questions
    ]


def _key(study: Study, task: Task, question: Question) -> str:
    within = task.contest.systems if task.contest else task.systems
    return key_of(study, task.data, (task.systems, within), task.sampling, question)


def _record(study: Study, task: Task, question: Question, out: Path) -> Path:
    return out / FITS / f"{task.slug_for(question, study)}.json"


def _written(study: Study, task: Task, question: Question, fit: Fitted, out: Path) -> Outcome:
    import matplotlib as mpl

    mpl.use("Agg")  # nobody looks at a window
    try:
        result = _judged(study, task, question, fit.result)
        slug = task.slug_for(question, study)
        outcome, files = written(study, task.data.name, result, slug, out)
        record, key = _record(study, task, question, out), _key(study, task, question)
        keep(outcome, [*files, fit.file], record, key, out)
        return replace(outcome, reused=fit.reused)
    except Exception as error:
        return _failed_one(study, task, question, error)


def _judged(
    study: Study, task: Task, question: Question, result: Comparison | Contest
) -> Comparison | Contest:
    """Ask a question of a fit, or of a pair of it."""
    own = "cells" not in result.fit.draws.posterior and question == study.questions[0]
    measure = None if own else question.measure  # a program may tell its own score only
    if task.contest is not None and isinstance(result, Contest):
        result = result.between(*(study.names[column] for column in task.systems))
    return result.judge(measure=measure, rope=question.rope_given, hdi_prob=question.hdi_prob)


def _failed(study: Study, task: Task, error: Exception) -> list[Outcome | None]:
    return [_failed_one(study, task, question, error) for question in study.questions]


def _failed_one(study: Study, task: Task, question: Question, error: Exception) -> Outcome:
    told = str(error) if isinstance(error, StanoffError) else f"{type(error).__name__}: {error}"
    return Outcome(
        systems=tuple(study.names[column] for column in task.systems),
        measure=question.measure.label,
        model=task.model,
        slug=task.slug_for(question, study),
        data=task.data.name,
        error=told,
    )
