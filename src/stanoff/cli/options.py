"""The options of all commands, in one table by the name of the parameter that they set.

An option that is not given is not passed on, so that every default has one home: the function that
the command calls.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from stanoff._lib.arguments import as_path
from stanoff.cli.base import Words
from stanoff.data.types import AVERAGES
from stanoff.errors import InputError, invalid
from stanoff.models.priors import as_prior
from stanoff.question import ENGINES

FORMATS = ("table", "json", "csv", "markdown", "latex")


class Rope(click.ParamType[Any]):
    """A half-width, or two ends with a comma between them."""

    name = "half-width | low,high | share%"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | float | tuple[float, ...]:
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


def _read_pairs(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, Any] | None:
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
    "id": {"help": "Column that names the document; several FILEs are joined by it."},
    "sample_weight": {"help": "Column that says how many documents a row is."},
    "truth_file": {"help": "The file that has --truth, if FILE has not."},
    "unmatched": {"type": click.Choice(["raise", "drop"]), "help": "Ids without partner."},
    "item": {"help": "Of values, or in long format: column that names the item."},
    "system": {"help": "In long format: column that names the system."},
    "prediction": {"help": "In long format: column of predictions; also --value."},
    "value": {"hidden": True},
    "cluster": {"help": "Of scores and values: column that names the cluster."},
    "dataset": {"help": "Of values: column that names the data set."},
    "denominator": {
        "multiple": True,
        "help": "Of a ratio: column to divide by, or one per system.",
    },
    # categories
    "pos_label": {"help": "The positive label.  [default: 1]"},
    "labels": {"multiple": True, "help": "A category to average over; may be repeated."},
    "average": {"type": click.Choice(AVERAGES), "help": "Judge all categories together."},
    "names": {"type": (str, str), "help": "What to call A and B.  [default: the columns]"},
    "category": {"help": "Only this category or average."},
    # the question
    "measure": {"help": "See: stanoff measures.  [default: f1]"},
    "beta": {"type": float, "help": "Beta of F-beta.  [default: 1]"},
    "zero_division": {
        "type": float,
        "help": "What a measure is at 0/0: 0, 1 or nan.  [default: 0]",
    },
    "prevalence": {"type": float, "help": "Share of positives to judge at."},
    "clip": {"type": float, "help": "Keep probabilities so far from 0 and 1: Brier, log loss."},
    "higher_is_better": {
        "default": None,
        "help": "Of values: which ones are good.  [default: high ones]",
    },
    "rope": {"type": Rope(), "help": "Region of practical equivalence.  [default: 0.05]"},
    "hdi_prob": {
        "type": float,
        "help": "Probability of the highest density interval.  [default: 0.95]",
    },
    # how it is drawn
    "population": {
        "type": click.Choice(["items", "runs", "datasets"]),
        "help": "Of values: new items, these asked again, or a new data set.  [default: items]",
    },
    "model": {"help": "See: stanoff models; or a .stan file.  [default: what suits the data]"},
    "prior": {
        "multiple": True,
        "help": "uniform, jeffreys, perks, or weights such as beta=2,alpha_pos=0.5; twice for one "
        "of A and one of B.  [default: uniform]",
    },
    "engine": {
        "type": click.Choice(ENGINES),
        "help": "What draws; auto is exact where Stan would first have to be built.",
    },
    "data": {"help": "JSON file: what your own .stan file declares and only you have."},
    "sampler_options": {
        "multiple": True,
        "metavar": "NAME=VALUE",
        "callback": _read_pairs,
        "help": "Of CmdStan's sampler, such as adapt_delta=0.99; may be repeated.",
    },
    "output_dir": {"help": "Folder that keeps the CSV files of CmdStan."},
    "draws": {"type": int, "help": "Draws to keep per chain."},
    "chains": {"type": int, "help": "Chains."},
    "warmup": {"type": int, "help": "Draws to discard per chain."},
    "seed": {"type": int, "help": "Makes every number reproducible."},
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
SPELLED = {  # options that are not called like their parameter
    "pos_label": ["--pos-label", "--positive"],
    "higher_is_better": ["--higher-is-better/--lower-is-better"],
    "sampler_options": ["--sampler-option"],
    "n_simulations": ["--simulations"],
    "style": ["--format"],
}

PAIR = ("truth", "a", "b")
LAYOUT = (
    *("id", "sample_weight", "truth_file", "unmatched"),
    *("item", "system", "prediction", "value"),
)
VALUES = ("cluster", "dataset", "denominator", "population", "higher_is_better")
MEASURE = ("measure", "beta", "zero_division", "prevalence", "clip")
RULE = ("rope", "hdi_prob")
MODEL = ("model", "prior", "engine")
SAMPLING = ("sampler_options", "output_dir", "draws", "chains", "warmup", "seed")
FILES = click.argument("file", nargs=-1, required=True)


def options(*names: str, **other: dict[str, Any]) -> Callable[[Any], Any]:
    """Give a command options of the table, some of them with other settings."""

    def decorate(function: Any) -> Any:
        for name in reversed((*names, *(key for key in other if key not in names))):
            spelled = SPELLED.get(name, [f"--{name.replace('_', '-')}"])
            settings = {**OPTIONS.get(name, {}), **other.get(name, {})}
            function = click.option(*spelled, name, **settings)(function)
        return function

    return decorate


def given(values: dict[str, Any]) -> dict[str, Any]:
    """Keep the options that the user gave; read priors and data as the API takes them."""
    options = {name: value for name, value in values.items() if value not in (None, ())}
    if "data" in options:
        options["data"] = _read_json(options["data"])
    if "prior" in options:
        priors = [as_prior(text) for text in options["prior"]]
        if len(priors) > 2:
            raise InputError("--prior goes once, or twice: for A and for B in an unpaired model.")
        options["prior"] = priors[0] if len(priors) == 1 else tuple(priors)
    if len(options.get("denominator", ())) == 1:
        [options["denominator"]] = options["denominator"]
    if truth_file := options.pop("truth_file", None):
        options["truth"] = (truth_file, options.get("truth"))
    return options


def table_of(files: tuple[str, ...]) -> str | tuple[str, ...]:
    """Return one FILE by itself, several as they are."""
    return files[0] if len(files) == 1 else files


def _read_json(path: str) -> dict[str, Any]:
    """Read an object out of a JSON file."""
    try:
        content = json.loads(as_path("data", path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON: {error}.") from error
    if not isinstance(content, dict):
        raise invalid("data", "a JSON file with an object of names and numbers", path)
    return content


def check_figure(path: str | None) -> None:
    """Refuse a figure that cannot be written before anything is simulated for it."""
    if path is not None and Path(path).suffix.lower() not in (".svg", ".pdf", ".png"):
        raise InputError(f"A figure is written as .svg, .pdf or .png, not {path!r}.")
