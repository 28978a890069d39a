"""Progress of long steps, on stderr: a live bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[float], None]


@contextmanager
def show_progress(
    title: str, *, total: float | None = None, quiet: bool = False
) -> Iterator[Advance]:
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
    if quiet or sys.stderr is None:
        yield lambda done: None
        return
    with (_bar if sys.stderr.isatty() else _lines)(title, total) as advance:
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
    shown = 0

    def advance(done: float) -> None:
        nonlocal shown
        percent = min(100, int(100 * done / total)) if total else 0
        if percent >= shown + 10:
            shown = percent - percent % 10
            print(f"{title} ... {shown} %", file=sys.stderr, flush=True)

    yield advance
    print(f"{title}: done in {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
