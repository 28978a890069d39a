"""Progress of long steps, on stderr: a live bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[float], None]


@contextmanager
def step(title: str, *, total: float | None = None, quiet: bool = False) -> Iterator[Advance]:
    """Show one long step; the function it yields takes how much has been done in all.

    Parameters
    ----------
    title : str
        What is being done.
    total : float, optional
        How much there is to do, if known.
    quiet : bool
        Show nothing.
    """
    if quiet:
        yield lambda done: None
    elif sys.stderr.isatty():
        with _bar(title, total) as advance:
            yield advance
    else:
        with _lines(title, total) as advance:
            yield advance


@contextmanager
def _bar(title: str, total: float | None) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(title, total=total)
        yield lambda done: progress.update(task, completed=done)
        progress.update(task, total=total or 1, completed=total or 1)


@contextmanager
def _lines(title: str, total: float | None) -> Iterator[Advance]:
    start = time.monotonic()
    print(f"{title} ...", file=sys.stderr, flush=True)
    told = 0

    def advance(done: float) -> None:
        nonlocal told
        percent = min(100, int(100 * done / total)) if total else 0
        if percent >= told + 10:
            told = percent - percent % 10
            print(f"{title} ... {told} %", file=sys.stderr, flush=True)

    yield advance
    print(f"{title}: done in {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
