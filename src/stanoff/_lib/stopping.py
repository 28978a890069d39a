"""Stopping: signals end our work, and programs and workers that we have started end with it."""

from __future__ import annotations

import atexit
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from typing import Any

Submit = Callable[..., Future[Any]]

INTERRUPTED = 130  # the exit code of a program that was told to stop
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
PAUSE_SECONDS = 0.1  # a compiler removes its temporary files when it is asked to stop
POLL_SECONDS = 0.01
# How long the threads that start chains may take to end: after an exception of an earlier handler,
# and where the process ends by the signal itself.
EXIT_SECONDS, DEATH_SECONDS = 10.0, 0.3


@contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGTERM and SIGHUP stop this process as Ctrl-C does, by a KeyboardInterrupt."""
    replaced = {
        number: signal.signal(number, signal.default_int_handler)
        for number in _signals()
        if signal.getsignal(number) is signal.SIG_DFL
    }
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)


@contextmanager
def stopping_children(folders: Sequence[Path]) -> Iterator[None]:
    """Let a signal that stops us first stop the programs that we have started.

    A child is ours if its command line names a file in one of the folders; other children, such as
    workers of the user's, are left alone. Only the main thread can do this: elsewhere nothing
    happens. Programs of ours that start after the signal are stopped, too, until the block ends.

    Parameters
    ----------
    folders : sequence of Path
        Where the programs, or what they write, are.
    """
    prefixes = tuple(os.path.realpath(folder) for folder in folders)
    stopping, finished = threading.Event(), threading.Event()
    others = set(threading.enumerate())

    def stop(number: int, frame: Any) -> None:
        for final_signal in (signal.SIGTERM, signal.SIGKILL):
            _send(final_signal, prefixes)
            time.sleep(PAUSE_SECONDS)
        # The threads of cmdstanpy still start the chains that are in their queue.
        stopping.set()
        threading.Thread(target=stop_late_starters, daemon=True).start()
        handler = handlers[number]
        if callable(handler):
            handler(number, frame)
        else:
            wait_for_starters(DEATH_SECONDS)
            signal.signal(number, handler)
            os.kill(os.getpid(), number)

    def stop_late_starters() -> None:
        while not finished.wait(POLL_SECONDS):
            _send(signal.SIGKILL, prefixes)

    def wait_for_starters(seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while _starters(others) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)

    # All handlers are known before the first is replaced: a signal may come in between.
    handlers: dict[int, Any] = {
        number: handler
        for number in _signals()
        if (handler := signal.getsignal(number)) not in (signal.SIG_IGN, None)
    }
    try:
        for number in handlers:
            signal.signal(number, stop)
        yield
    finally:
        if stopping.is_set():
            wait_for_starters(EXIT_SECONDS)
        finished.set()
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _starters(others: set[threading.Thread]) -> list[threading.Thread]:
    """Return the threads that may start programs: those that have begun since the others."""
    return [t for t in threading.enumerate() if t not in others and not t.daemon]


def _signals() -> list[int]:
    """Return the signals that this thread can handle: none, if it is not the main thread."""
    if threading.current_thread() is not threading.main_thread():
        return []
    return [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]


def _send(number: int, prefixes: tuple[str, ...]) -> None:
    """Send a signal to our children and to all that they have started."""
    import psutil

    with suppress(psutil.Error):
        for child in psutil.Process().children():
            with suppress(psutil.Error):
                if any(word.startswith(prefixes) for word in child.cmdline()):
                    for process in (*child.children(recursive=True), child):
                        process.send_signal(number)


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
