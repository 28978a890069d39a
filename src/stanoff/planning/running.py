"""Work through the chunks of a study, here or elsewhere, until all is done or the user stops it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from pickle import PicklingError
from typing import Any, TypeVar

from stanoff._lib.arguments import as_executor, as_jobs
from stanoff._lib.progress import show_progress
from stanoff.errors import InputError

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def run(
    function: Callable[[Task], Answer],
    tasks: Sequence[Task],
    *,
    jobs: int | None = None,
    executor: Any = None,
    title: str = "Simulating",
    progress: bool = False,
) -> list[Answer | None]:
    """Apply a function to every task; after Ctrl-C return what is done, with None for the rest.

    Parameters
    ----------
    function : callable
        What to do with a task; it and the tasks can be sent to other processes.
    tasks : sequence of Task
        In the order in which they had better be done.
    jobs : int, optional
        How many threads of this process work on them, one per processor by default.
    executor : object
        Who does the work instead: anything with the ``submit`` of ``concurrent.futures``, or a
        client of Dask.
    title : str
        What to call it while it runs.
    progress : bool
        Whether to show a bar on stderr.

    Examples
    --------
    >>> run(abs, [-1, 2], jobs=1)
    [1, 2]
    """
    workers = as_jobs(jobs)
    executor = as_executor(executor)
    answers: list[Answer | None] = [None] * len(tasks)
    with show_progress(title, total=len(tasks), quiet=not progress) as advance:
        if executor is not None:
            _submit(executor, function, tasks, answers, advance)
        elif workers == 1 or len(tasks) == 1:
            _here(function, tasks, answers, advance)
        else:
            # NumPy lets go of the interpreter while it draws, sorts and calculates: threads are as
            # quick as processes, start at once and share measures that the user has registered.
            pool = ThreadPoolExecutor(min(workers, len(tasks)))
            try:
                _submit(pool, function, tasks, answers, advance)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
    return answers


def _here(
    function: Callable[[Task], Answer],
    tasks: Sequence[Task],
    answers: list[Answer | None],
    advance: Callable[[float], None],
) -> None:
    try:
        for place, task in enumerate(tasks):
            answers[place] = function(task)
            advance(place + 1)
    except KeyboardInterrupt:
        return


def _submit(
    executor: Executor,
    function: Callable[[Task], Answer],
    tasks: Sequence[Task],
    answers: list[Answer | None],
    advance: Callable[[float], None],
) -> None:
    places: dict[Future[Answer], int] = {}
    try:
        for place, task in enumerate(tasks):
            places[executor.submit(function, task)] = place
        left = set(places)
        while left:
            # Not wait() for good: on some systems it cannot be interrupted.
            done, left = _finished(left)
            for future in done:
                answers[places[future]] = future.result()
            advance(len(tasks) - len(left))
    except KeyboardInterrupt:
        for future, place in places.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                answers[place] = future.result()
    except (PicklingError, AttributeError, TypeError) as error:
        if not any(word in str(error) for word in ("pickle", "local object")):
            raise
        raise InputError(
            f"A measure of your own cannot be sent to another process ({error}): leave out "
            "'executor', or pass one that uses threads."
        ) from error
    finally:
        for future in places:
            future.cancel()


def _finished(
    left: set[Future[Answer]],
) -> tuple[set[Future[Answer]], set[Future[Answer]]]:
    done, rest = wait(left, timeout=0.5, return_when=FIRST_COMPLETED)
    return done, rest
