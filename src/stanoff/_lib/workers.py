"""Processes that work for this one, and stop when it does."""

from __future__ import annotations

import atexit
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from stanoff._lib.stopping import INTERRUPTED

Answer = TypeVar("Answer")

GRACE_SECONDS = 1.5  # for a worker to put things in order
Submit = Callable[..., Future[Any]]


@contextmanager
def workers(count: int) -> Iterator[Submit]:
    """Employ processes; they end with this block, and if it is left early or we die, at once.

    The function that is yielded takes a function and its arguments, and returns a future.
    """
    # Fresh processes: a forked one would share locks of threads that it does not have.
    context = get_context("spawn")
    listening, telling = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(count, context, initializer=_serve, initargs=(listening,))

    def submit(function: Callable[..., Answer], *arguments: Any) -> Future[Answer]:
        with _no_interrupts_inherited():
            return pool.submit(_work, function, *arguments)

    try:
        yield submit
    except BaseException:
        telling.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        telling.close()
        listening.close()


@contextmanager
def _no_interrupts_inherited() -> Iterator[None]:
    """Hold back Ctrl-C, which a terminal sends to all: who is started now leaves it to us."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(listening: Connection) -> None:
    """Prepare a worker to stop when it is told to, or when nobody is there to tell."""

    def stop(number: int, frame: object) -> None:
        raise SystemExit(INTERRUPTED)

    def listen() -> None:
        with suppress(EOFError, OSError):
            listening.recv()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # nobody wants to hear what breaks now
        if hasattr(signal, "pthread_kill"):
            main = threading.main_thread().ident
            assert main is not None
            signal.pthread_kill(main, signal.SIGTERM)
            time.sleep(GRACE_SECONDS)
        os._exit(INTERRUPTED)

    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=listen, daemon=True).start()


def _work(function: Callable[..., Answer], *arguments: Any) -> Answer:
    try:
        return function(*arguments)
    except SystemExit:  # told to stop, and in order: the pool would go on with the next task
        atexit._run_exitfuncs()  # cmdstanpy and matplotlib remove their temporary folders
        os._exit(INTERRUPTED)
