"""Processes that work for this one, and stop when it does."""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from typing import Any

from stanoff._lib.stopping import INTERRUPTED

Submit = Callable[..., Future[Any]]


@contextmanager
def workers(count: int) -> Iterator[Submit]:
    """Employ processes; they end with this block, and if it is left early or we die, at once.

    The function that is yielded takes a function and its arguments, and returns a future.
    """
    others = set(active_children())
    # Fresh processes: a forked one would share locks of threads that it does not have.
    pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_begin)
    try:
        yield pool.submit
    except BaseException:
        for process in set(active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Leave Ctrl-C, which a terminal sends to all, to who employs us; end when they do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop)
    threading.Thread(target=_end_with_parent, daemon=True).start()


_stopping = threading.Lock()


def _stop(*_: Any) -> None:
    if not _stopping.acquire(blocking=False):  # a second signal, or the parent has died, too
        return
    # Not by an exception: the pool would catch it and go on with the next task.
    atexit._run_exitfuncs()  # cmdstanpy and matplotlib remove their temporary folders
    os._exit(INTERRUPTED)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        _stop()
