"""The root of the command line, and what its commands have in common."""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import click

from stanoff import __version__
from stanoff._lib.stopping import INTERRUPTED, interruptible
from stanoff.errors import StanoffError

PLAIN = "stanoff-plain"  # how text is written where the encoding lacks a letter
IN_ASCII = {
    **{"≫": ">>", "≪": "<<", "≈": "=", "≠": "!=", "∼": "~", "⋆": "*", "‡": "+", "±": "+/-"},
    **{"−": "-", "–": "-", "—": "-", "×": "x", "…": "...", "²": "^2", "√": "sqrt", "’": "'"},
    **dict.fromkeys("─━", "-"),
}


class Words(click.Option):
    """An option, to be made with ``multiple``, that takes all words up to the next option."""

    def repeated(self, args: list[str]) -> list[str]:
        """Write the option before each of its words.

        Examples
        --------
        >>> Words(["--systems"]).repeated(["x.csv", "--systems", "a", "b", "--seed", "1"])
        ['x.csv', '--systems', 'a', '--systems', 'b', '--seed', '1']
        """
        out: list[str] = []
        ours = False
        for word in args:
            if ours and not word.startswith("-") and out[-1] not in self.opts:
                out.append(self.opts[0])
            ours = word in self.opts or (ours and not word.startswith("-"))
            out.append(word)
        return out


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
        with interruptible():
            try:
                done = super().invoke(ctx)
                sys.stdout.flush()
                return done
            except StanoffError as error:
                told, code = f"Error: {in_words_of_options(str(error), self)}", 1
            except UnicodeEncodeError as error:
                sign = error.object[error.start]
                told, code = f"Error: {error.encoding} has no {sign!r}: set PYTHONUTF8=1.", 1
            except OSError as error:
                if error.errno == errno.EPIPE:  # whoever read has seen enough
                    raise
                what = error.filename or "The output"
                told, code = f"Error: {what} cannot be used: {error.strerror}.", 1
            except KeyboardInterrupt:
                told, code = "Interrupted.", INTERRUPTED
            click.echo(told, err=True)
            _drop_output()
            ctx.exit(code)


def _drop_output() -> None:
    """Forget what could not be written: Python would try once more at its end, and complain."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def in_words_of_options(message: str, command: click.Command) -> str:
    """Let an error speak of the options of a command, not of parameters in Python.

    Examples
    --------
    >>> command = click.Command("c", params=[click.Option(["--pos-label"])])
    >>> in_words_of_options("The 'pos_label' parameter must be 1. Got 2 instead.", command)
    '--pos-label must be 1. Got 2 instead.'
    >>> in_words_of_options("Too many labels: pass pos_label= to judge one.", command)
    'Too many labels: pass --pos-label to judge one.'
    """
    for option in command.params:
        if option.name is None:
            continue
        name, word = option.name, _as_typed(option)
        message = message.replace(f"The {name!r} parameter must", f"{word} must")
        message = message.replace(f"{word} must be None", f"{word} must be left out")
        message = re.sub(rf"The '{name}\.(\w+)' parameter must", rf"{word}: \1 must", message)
        message = message.replace(f"The {name!r} of", f"The {word} of")
        message = re.sub(rf"\b(where|unless|for) '{name}'", rf"\1 {word}", message)
        message = re.sub(rf"\bwhere {name} is given", f"where {word} is given", message)
        for values in re.findall(rf"\b{name}=('[^']*'(?:(?:, | or )'[^']*')*)", message):
            plain = values.replace("'", "")
            message = message.replace(f"{name}={values}", f"{word} {plain}")
        message = re.sub(rf"\b{name}=(?=[\s,;:.)])", word, message)
        if "_" in name:  # no word of English
            message = re.sub(rf"(?<![\w'.-]){name}(?![\w'.])", word, message)
    return re.sub(r"\b([a-z]+)=(?=[\s,;:.)])", r"\1", message)  # no option of this command


def _as_typed(option: click.Parameter) -> str:
    """Return what a user types: the option that is named like the parameter, if there is one."""
    name = option.name or ""
    if isinstance(option, click.Argument):
        return name.upper()
    named = f"--{name.replace('_', '-')}"
    return named if named in option.opts else max(option.opts, key=len)


class Root(click.Group):
    """The group of all commands; it prints what the terminal or file can show."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command line."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors=PLAIN)
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


def command(function: Callable[..., None]) -> click.Command:
    """Make a function a command of stanoff."""
    return main.command(cls=Command)(function)
