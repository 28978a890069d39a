"""The options of all commands, in one table by the name of the parameter that they set.

An option that is not given is not passed on, so that every default has one home: the function that
the command calls.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from stanoff import options as declared
from stanoff._lib.files import read_bytes
from stanoff.cli.base import Words
from stanoff.errors import InputError, invalid
from stanoff.models.priors import as_prior

FORMATS = ("table", "json", "csv", "markdown", "latex")


class Rope(click.ParamType[Any]):
    """A half-width, or two ends with a comma between them."""

    name = "half-width | low,high | share%"

    def convert(self, value: Any, param: Any, ctx: Any) -> str | float | tuple[float, ...]:
        """Read one number, two, or a share in per cent."""
        if str(value).rstrip().endswith(("%", "mean", "range")):
            return str(value)  # of values; the API reads it
        try:
            numbers = tuple(float(number) for number in str(value).split(","))
        except ValueError:
            numbers = ()
        if len(numbers) not in (1, 2):
            self.fail(f"{value!r} is neither a half-width nor two ends such as -0.01,0.03.")
        return numbers[0] if len(numbers) == 1 else numbers


def _read_pairs(context: Any, parameter: Any, values: tuple[str, ...]) -> dict[str, Any] | None:
    """Read NAME=VALUE pairs; a value is a number, a flag or a list if it is JSON, else a text."""
    pairs: dict[str, Any] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise click.BadParameter(f"must be NAME=VALUE, like adapt_delta=0.99, not {text!r}")
        try:
            pairs[name] = json.loads(value)
        except (ValueError, RecursionError):
            pairs[name] = value
    return pairs or None


OPTIONS: dict[str, dict[str, Any]] = {
    # what the options of the package need beside their declaration
    "rope": {"type": Rope()},
    "zero_division": {"type": float},
    "value": {"hidden": True},
    "sampler_options": {"metavar": "NAME=VALUE", "callback": _read_pairs},
    # columns
    "truth": {"help": "Column of true labels."},
    "a": {"help": "Column of A's predictions; in long format A's name."},
    "b": {"help": "Column of B's predictions; in long format B's name."},
    "systems": {
        "cls": Words,
        "multiple": True,
        "help": "Columns of predictions, or in long format systems, one after the other; of "
        "several FILEs one for all of them, or one each.  [default: all others]",
    },
    "truth_file": {"help": "The file that has --truth, if FILE has not."},
    "names": {"type": (str, str), "help": "What to call A and B.  [default: the columns]"},
    "category": {"help": "Only this category or average."},
    # scenarios and simulations
    "mu": {"type": float, "help": "Prevalence, for a scenario of your own."},
    "rho_pos": {"type": (float, float), "help": "How often A and B say yes to positives."},
    "rho_neg": {"type": (float, float), "help": "How often A and B say yes to negatives."},
    "correlation": {
        "type": float,
        "help": "Phi between A and B given the class, or the correlation of scores.  [default: 0]",
    },
    "auc_a": {"type": float, "help": "AUC of A, for a scenario of scores."},
    "auc_b": {"type": float, "help": "AUC of B."},
    "positives": {"type": float, "help": "Share of positives, with AUCs.  [default: 0.5]"},
    "n_simulations": {"type": int, "help": "Simulated per place.  [default: 1000]"},
    "two_test_sets": {"is_flag": True, "help": "Each system has its own documents."},
    "jobs": {"type": int, "help": "Threads.  [default: one per processor]"},
    "figure": {"type": click.Path(), "help": "Also draw it: .svg, .pdf or .png."},
    # what is done with the answer
    "save": {"type": click.Path(), "help": "Keep the result; see: stanoff show."},
    "fail_unless": {
        "metavar": "DECISIONS",
        "help": "Exit with code 3 unless every row that is decided upon is one of these, as in "
        '">> =".',
    },
    "style": {"type": click.Choice(FORMATS), "default": "table", "show_default": True},
}
SPELLED = {"n_simulations": ("--simulations",), "style": ("--format",)}

PAIR = ("truth", "a", "b")
QUESTION = declared.QUESTION
SAMPLING = tuple(name for name in declared.SAMPLING if name not in ("executor", "progress"))
DATA = (*(name for name in declared.DATA if name != "cv"), "truth_file")
OF_TWO = tuple(name for name in QUESTION if name not in declared.OF_CONTESTS)
COMPARE = (*PAIR, *DATA, "names", *OF_TWO, *SAMPLING)
FILES = click.argument("file", nargs=-1, required=True)


def options(*names: str, **other: dict[str, Any]) -> Callable[[Any], Any]:
    """Give a command options of the table, some of them with other settings."""

    def decorate(function: Any) -> Any:
        for name in reversed((*names, *(key for key in other if key not in names))):
            flags: Sequence[str] = SPELLED.get(name, (as_typed(name),))
            settings: dict[str, Any] = {}
            if name in declared.DECLARED:
                _, option = declared.DECLARED[name]
                flags, kind = option.flags or flags, declared.kind_of(name)
                settings = {"help": option.help, "multiple": option.multiple, "type": kind}
                settings |= {"type": click.Choice(option.choices)} if option.choices else {}
                settings |= {"default": None} if kind is bool else {}
            settings |= OPTIONS.get(name, {}) | other.get(name, {})
            function = click.option(*flags, name, **settings)(function)
        return function

    return decorate


def as_typed(name: str) -> str:
    """Return what a user types to set a parameter."""
    return f"--{name.replace('_', '-')}"


def typed_options(values: dict[str, Any]) -> dict[str, Any]:
    """Keep the options that the user gave; read priors and data as the API takes them."""
    options = {name: value for name, value in values.items() if value not in (None, ())}
    if "data" in options:
        options["data"] = _read_json(options["data"])
    if "prior" in options:
        priors = [as_prior(text) for text in options["prior"]]
        if len(priors) > 2:
            raise InputError("--prior goes once, or twice: for A and for B in an unpaired model.")
        options["prior"] = priors[0] if len(priors) == 1 else tuple(priors)
    for name in ("n_train", "n_test"):  # numbers, or names of columns
        if str(options.get(name, "")).isdigit():
            options[name] = int(options[name])
    for name in ("denominator", "goal"):
        if len(options.get(name, ())) == 1:
            [options[name]] = options[name]
    if truth_file := options.pop("truth_file", None):
        options["truth"] = (truth_file, options.get("truth"))
    return options


def table_of(files: tuple[str, ...]) -> str | tuple[str, ...]:
    """Return one FILE by itself, several as they are."""
    return files[0] if len(files) == 1 else files


def _read_json(path: str) -> dict[str, Any]:
    """Read an object out of a JSON file."""
    try:
        content = json.loads(read_bytes(path, "data"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON: {error}.") from error
    if not isinstance(content, dict):
        raise invalid("data", "a JSON file with an object of names and numbers", path)
    return content


def check_figure(path: str | None) -> None:
    """Refuse a figure that cannot be written before anything is simulated for it."""
    if path is not None and Path(path).suffix.lower() not in (".svg", ".pdf", ".png"):
        raise InputError(f"A figure is written as .svg, .pdf or .png, not {path!r}.")
