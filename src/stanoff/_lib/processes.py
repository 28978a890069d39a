"""Children: the one way to start other programs, to hear them, and to stop all that they started.

The children of one call share a process group with a guard: a shell that waits at a pipe which
nobody but this process holds open. When the pipe closes, because the work is given up or because
this process has died, however it died, the guard ends the group and removes the folder in which
the children worked.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

INTERRUPTED = 130  # the exit code of who was told to stop
KEPT_LINES = 10_000  # of what a child prints
_GUARD = """
trap '' HUP INT TERM
read -r told && exit
kill -TERM 0
rm -rf -- "$@"
sleep 0.2
rm -rf -- "$@"
kill -KILL 0
"""


@dataclass(frozen=True)
class Ended:
    """A child that has ended.

    Attributes
    ----------
    code : int
        Its exit code; negative if a signal ended it.
    output, errors : str
        What it printed on stdout and on stderr: the last lines, if there were very many.
    """

    code: int
    output: str
    errors: str

    @property
    def signal(self) -> str:
        """The name of the signal that ended it, if one did."""
        return signal.Signals(-self.code).name if self.code < 0 else ""


def run(
    commands: Sequence[Sequence[str | Path]],
    *,
    at_once: int = 1,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    tidy: Sequence[Path] = (),
    heard: Callable[[int, str], None] = lambda place, line: None,
    ended: Callable[[int, Ended], None] = lambda place, child: None,
) -> list[Ended]:
    """Run programs to their ends; whatever stops this call, or this process, stops them.

    Parameters
    ----------
    commands : sequence of sequences of str
        The programs with their arguments.
    at_once : int
        How many run at the same time.
    cwd : Path, optional
        Where they run.
    env : mapping, optional
        Their environment, this one by default.
    tidy : sequence of Path
        Folders that are removed if they are stopped.
    heard : callable
        Is told the place of a command and every line it prints on stdout.
    ended : callable
        Is told the place of a command and how it ended, as soon as it has.

    Examples
    --------
    >>> run([["echo", "a"], ["sh", "-c", "exit 3"]])[1].code
    3
    """
    results: dict[int, Ended] = {}
    waiting = deque(enumerate(commands))
    running: dict[int, _Child] = {}
    lines: SimpleQueue[tuple[int, IO[str], str]] = SimpleQueue()
    with _guarded(tidy, running) as group:
        while waiting or running:
            while waiting and len(running) < at_once:
                place, command = waiting.popleft()
                running[place] = _Child(_start(command, cwd, env, group))
                running[place].listen(place, lines)
            place, stream, line = lines.get()
            child = running[place]
            if line:
                child.said[stream].append(line)
                if stream is child.process.stdout:
                    heard(place, line)
            elif child.silent(stream):
                results[place] = child.end()
                del running[place]
                ended(place, results[place])
    return [results[place] for place in range(len(commands))]


@dataclass
class _Child:
    process: subprocess.Popen[str]
    said: dict[IO[str], deque[str]] = field(default_factory=dict)
    open: set[IO[str]] = field(default_factory=set)

    def listen(self, place: int, lines: SimpleQueue[tuple[int, IO[str], str]]) -> None:
        """Pass on what is said on both streams, by threads: some systems cannot wait for two."""

        def pass_on(stream: IO[str]) -> None:
            with suppress(ValueError, OSError):  # closed meanwhile
                for line in stream:
                    lines.put((place, stream, line))
            lines.put((place, stream, ""))

        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            self.said[stream] = deque(maxlen=KEPT_LINES)
            self.open.add(stream)
            threading.Thread(target=pass_on, args=(stream,), daemon=True).start()

    def silent(self, stream: IO[str]) -> bool:
        """Take down that a stream has ended; return whether both have."""
        self.open.discard(stream)
        return not self.open

    def end(self) -> Ended:
        code = self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        output, errors = ["".join(lines) for lines in self.said.values()] or ("", "")
        return Ended(code, output, errors)


def _start(
    command: Sequence[str | Path],
    cwd: Path | None,
    env: Mapping[str, str] | None,
    group: int | None,
) -> subprocess.Popen[str]:
    options: dict[str, Any] = {} if group is None else {"process_group": group}
    return subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        **options,
    )


@contextmanager
def _guarded(tidy: Sequence[Path], running: Mapping[int, _Child]) -> Iterator[int | None]:
    """Let a guard make the process group; it ends the group unless all went well."""
    if os.name != "posix":  # no groups, no shell: only what was started here can be stopped
        try:
            yield None
        finally:
            _give_up(running)
        return
    reading, writing = os.pipe()
    try:
        guard = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "guard", *(path.absolute() for path in tidy)],
            cwd="/",
            stdin=reading,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
    except BaseException:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    try:
        yield guard.pid
        with suppress(OSError):
            os.write(writing, b"all went well\n")
    finally:
        os.close(writing)
        guard.wait()
        _give_up(running)


def _give_up(running: Mapping[int, _Child]) -> None:
    for child in running.values():
        child.process.kill()
        child.end()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGTERM and SIGHUP stop this process as Ctrl-C does: everything is put in order."""
    here = threading.current_thread() is threading.main_thread()
    names = [name for name in ("SIGTERM", "SIGHUP") if here and hasattr(signal, name)]
    numbers = [signal.Signals[name] for name in names]
    taken = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
