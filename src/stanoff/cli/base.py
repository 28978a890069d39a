"""The root of the command line, and what its commands have in common."""

from __future__ import annotations

import codecs
import errno
import gc
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

import click

from stanoff import __version__
from stanoff._lib.escaping import escape_controls, one_line
from stanoff._lib.stopping import INTERRUPTED, interruptible
from stanoff.errors import InputError, SamplingWarning, StanoffError, invalid

# The module of each command, and what it does; a module is loaded when its command is called.
COMMANDS = {
    "compare": ("compare", "Compare two columns of predictions in FILE."),
    "contest": ("compare", "Rank all columns of predictions in FILE."),
    "doctor": ("models", "Say what is there, what is missing, and what to do about it."),
    "measures": ("classical", "List the measures."),
    "models": ("models", "List the models; begin, check, calibrate and compare Stan programs."),
    "plan": ("planning", "Compute how many documents a goal takes."),
    "power": ("planning", "Compute how often a goal is reached on N documents."),
    "report": ("report", "Write a report that opens without a network."),
    "schema": ("classical", "Print the JSON Schema of what --format json prints."),
    "setup": ("models", "Get CmdStan if it is not there, and compile the models."),
    "show": ("compare", "Show the result in FILE."),
    "significance": ("classical", "Test two columns of predictions in FILE."),
}
PLAIN = "stanoff-plain"  # how text is written where the encoding lacks a letter
IN_ASCII = {
    **{"≫": ">>", "≪": "<<", "≈": "=", "≠": "!=", "∼": "~", "⋆": "*", "‡": "+", "±": "+/-"},
    **{"−": "-", "–": "-", "—": "-", "×": "x", "…": "...", "²": "^2", "√": "sqrt", "’": "'"},
    **dict.fromkeys("─━", "-"),
}
# How messages mention parameters: pass id=, pass unmatched='drop'.
MENTION = re.compile(r"\b([a-z_]+)=(?:'([^']*)'|(?=[\s,;:.)]|$))")
QUOTED = re.compile(r"(?<!column )'([a-z_]+)'")


def echo(text: str, *, err: bool = False) -> None:
    """Print a text; control characters of names do not reach the terminal.

    Raises
    ------
    StanoffError
        If stdout is closed: an answer must not be lost without a word.
    """
    if sys.stdout is None and not err:
        raise StanoffError("The answer cannot be written: stdout is closed.")
    click.echo(escape_controls(text), err=err)


def on_terminal() -> bool:
    """Return whether a person reads stderr, who may want to see progress."""
    return sys.stderr is not None and sys.stderr.isatty()


class Words(click.Option):
    """An option, to be made with ``multiple``, that takes all words up to the next option."""

    def repeated(self, args: list[str]) -> list[str]:
        """Write the option before each of its words.

        Examples
        --------
        >>> Words(["--systems"]).repeated(["x.csv", "--systems", "a", "b", "--seed", "1"])
        ['x.csv', '--systems', 'a', '--systems', 'b', '--seed', '1']
        """
        words: list[str] = []
        follows = False
        for word in args:
            if follows and not word.startswith("-") and words[-1] not in self.opts:
                words.append(self.opts[0])
            follows = word in self.opts or (follows and not word.startswith("-"))
            words.append(word)
        return words


class Command(click.Command):
    """A command whose known failures are one sentence on stderr and exit code 1."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words that were typed; an option that takes one value is taken once."""
        for option in self.params:
            if isinstance(option, Words):
                args = option.repeated(args)
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for option in order:
            once = isinstance(option, click.Option) and not (option.multiple or option.is_flag)
            if once and order.count(option) > 1:
                raise click.UsageError(f"{_as_typed(option)} was given more than once.", ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        os.environ["MPLBACKEND"] = "Agg"  # nobody looks at a window
        with interruptible(), warnings.catch_warnings():
            warnings.simplefilter("ignore", SamplingWarning)  # the result has it in words
            try:
                _check_environment()
                value = super().invoke(ctx)
                if sys.stdout is not None:
                    sys.stdout.flush()
                return value
            except StanoffError as error:
                message, code = self.describe(error), 1
            except UnicodeEncodeError as error:
                sign = error.object[error.start]
                message, code = f"{error.encoding} has no {sign!r}: set PYTHONUTF8=1.", 1
            except (RecursionError, OverflowError, MemoryError) as error:
                reason = str(error) or type(error).__name__
                message, code = f"This is too large or too deep for Python: {reason}.", 1
            except OSError as error:
                if error.errno == errno.EPIPE:  # whoever read has seen enough
                    raise
                name = error.filename or "The output"
                message, code = f"{name} cannot be used: {error.strerror}.", 1
            except KeyboardInterrupt:
                message, code = "", INTERRUPTED
            echo(f"Error: {one_line(message)}" if message else "Interrupted.", err=True)
            _drop_output()
            ctx.exit(code)

    def describe(self, error: StanoffError) -> str:
        """Let an error speak of the options of this command, not of parameters in Python.

        Examples
        --------
        >>> command = Command("c", params=[click.Option(["--pos-label"])])
        >>> command.describe(invalid("pos_label", "1", 2))
        '--pos-label must be 1. Got 2 instead.'
        >>> command.describe(InputError("Too many labels: pass pos_label= to judge one."))
        'Too many labels: pass --pos-label to judge one.'
        """
        if not isinstance(error, InputError) or error.parameter is None:
            return self.spell(str(error))
        name, _, field = error.parameter.partition(".")
        option = self.options.get(name)

        def named(text: str) -> str:
            return QUOTED.sub(lambda match: self.options.get(match[1], match[0]), text)

        if not (option and error.rule):
            return self.spell(named(str(error)))
        subject = f"{option}: {field}" if field else option
        rule = named(re.sub("^None", "left out", error.rule))
        return self.spell(f"{subject} must be {rule}. Got {error.value} instead.{error.hint}")

    def spell(self, text: str) -> str:
        """Write parameters that a text mentions as options."""

        def option(match: re.Match[str]) -> str:
            name = self.options.get(match[1], match[1])
            return name if match[2] is None else f"{name} {match[2]}"

        return MENTION.sub(option, text)

    @property
    def options(self) -> dict[str, str]:
        """What a user types, by the name of the parameter."""
        return {param.name: _as_typed(param) for param in self.params if param.name}


def _as_typed(option: click.Parameter) -> str:
    """Return what a user types: the option that is named like the parameter, if there is one."""
    name = option.name or ""
    if isinstance(option, click.Argument):
        return name.upper()
    named = f"--{name.replace('_', '-')}"
    return named if named in option.opts else max(option.opts, key=len)


def _check_environment() -> None:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "0")
    if not epoch.isdecimal():  # NumPy and Matplotlib would fail with a traceback
        raise invalid("SOURCE_DATE_EPOCH", "a whole number of seconds", epoch)


def _drop_output() -> None:
    """Forget what could not be written: Python would try once more at its end, and complain."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Keep control characters of words that Click complains of from the terminal."""
    try:
        yield
    except click.ClickException as error:
        error.message = escape_controls(error.message)  # type: ignore[misc]
        raise


class Root(click.Group):
    """The group of all commands; it prints what the terminal or file can show."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words before the command."""
        with _plain_errors():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was typed."""
        with _plain_errors():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the module that has a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        selected: click.Command = getattr(import_module(f"stanoff.cli.{module}"), cmd_name)
        return selected

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List all commands without loading them: that would take seconds."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command line."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors=PLAIN)
        gc.set_threshold(200_000)  # loading modules makes no garbage; to search takes 0.1 s
        return super().main(*args, **options)


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """Write what an encoding lacks in plain letters."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    return "".join(IN_ASCII.get(letter, "?") for letter in text), error.end


codecs.register_error(PLAIN, _plainly)


@click.group(cls=Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="stanoff")
def main() -> None:
    """Is system A really better than system B? A verdict, judged in Stan."""


def command(function: Callable[..., None]) -> Command:
    """Make a function a command of stanoff."""
    return click.command(cls=Command)(function)
