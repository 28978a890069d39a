"""The options that commands share, in groups.

An option that is not given is not passed on, so that every default has one home: the function that
the command calls.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stanoff.errors import InputError, invalid

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison

Decorator = Callable[[Any], Any]

FORMATS = ("table", "json", "csv", "markdown", "latex")
AVERAGES = ("macro", "micro", "weighted")
OTHER_VERDICT = 3  # the exit code where the verdict is not the one asked for


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
            numbers = tuple(float(part) for part in str(value).split(","))
        except ValueError:
            numbers = ()
        if len(numbers) not in (1, 2):
            self.fail(f"{value!r} is neither a half-width nor two ends such as -0.01,0.03.")
        return numbers[0] if len(numbers) == 1 else numbers


TRUTH = click.option("--truth", help="Column of true labels.")
PAIR = (
    click.option("--a", help="Column of A's predictions; in long format A's name."),
    click.option("--b", help="Column of B's predictions; in long format B's name."),
)
LAYOUT = (
    click.option("--id", help="Column that names the document; several FILEs are joined by it."),
    click.option("--sample-weight", help="Column that says how many documents a row is."),
    click.option("--truth-file", help="The file that has --truth, if FILE has not."),
    click.option("--unmatched", type=click.Choice(["raise", "drop"]), help="Ids without partner."),
    click.option("--item", help="Of values, or in long format: column that names the item."),
    click.option("--system", help="In long format: column that names the system."),
    click.option("--prediction", help="In long format: column of predictions; also --value."),
    click.option("--value", hidden=True),
)
COLUMNS = (TRUTH, *PAIR, *LAYOUT)
FILES = click.argument("file", nargs=-1, required=True)


def tables(file: tuple[str, ...], asked: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return one table or several, and the options as the API takes them."""
    kept = {name: value for name, value in asked.items() if name != "truth_file"}
    if gold := asked.get("truth_file"):
        kept["truth"] = (gold, asked.get("truth"))
    return file[0] if len(file) == 1 else file, kept


DIRECTION = click.option(
    "--higher-is-better/--lower-is-better",
    "higher_is_better",
    default=None,
    help="Of values: which ones are good.  [default: high ones]",
)
VALUES = (
    click.option("--cluster", help="Of scores and values: column that names the cluster."),
    click.option("--dataset", help="Of values: column that names the data set."),
    click.option(
        "--denominator", multiple=True, help="Of a ratio: column to divide by, or one per system."
    ),
    click.option(
        "--population",
        type=click.Choice(["items", "runs", "datasets"]),
        help="Of values: new items, these asked again, or a new data set.  [default: items]",
    ),
    DIRECTION,
)


POS_LABEL = click.option(
    "--pos-label", "--positive", "pos_label", help="The positive label.  [default: 1]"
)
NAMES = click.option(
    "--names", type=(str, str), help="What to call A and B.  [default: the columns]"
)
LABELS = (
    POS_LABEL,
    click.option("--labels", multiple=True, help="A category to average over; may be repeated."),
    click.option("--average", type=click.Choice(AVERAGES), help="Judge all categories together."),
    NAMES,
)
MEASURE = (
    click.option("--measure", help="See: stanoff measures.  [default: f1]"),
    click.option("--beta", type=float, help="Beta of F-beta.  [default: 1]"),
    click.option(
        "--zero-division", type=float, help="What a measure is at 0/0: 0, 1 or nan.  [default: 0]"
    ),
    click.option("--prevalence", type=float, help="Share of positives to judge at."),
    click.option(
        "--clip", type=float, help="Keep probabilities so far from 0 and 1: Brier, log loss."
    ),
)
RULE = (
    click.option("--rope", type=Rope(), help="Region of practical equivalence.  [default: 0.05]"),
    click.option(
        "--hdi-prob",
        type=float,
        help="Probability of the highest density interval.  [default: 0.95]",
    ),
)
PRIOR = click.option(
    "--prior",
    multiple=True,
    help="uniform, jeffreys, perks, or weights such as beta=2,alpha_pos=0.5; twice for one of "
    "A and one of B.  [default: uniform]",
)
MODEL = (
    click.option(
        "--model", help="See: stanoff models; or a .stan file.  [default: what suits the data]"
    ),
    PRIOR,
    click.option(
        "--engine",
        type=click.Choice(["auto", "stan", "exact"]),
        help="What draws; auto is exact where Stan would first have to be built.",
    ),
)
OWN_DATA = click.option(
    "--data", help="JSON file: what your own .stan file declares and only you have."
)


def _sampler_options(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, Any] | None:
    """Read NAME=VALUE pairs; a value is a number, a flag or a list if it is JSON, else a text."""
    options: dict[str, Any] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise click.BadParameter(f"must be NAME=VALUE, like adapt_delta=0.99, not {text!r}")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options or None


SAMPLING = (
    click.option(
        "--sampler-option",
        "sampler_options",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_sampler_options,
        help="Of CmdStan's sampler, such as adapt_delta=0.99; may be repeated.",
    ),
    click.option("--output-dir", help="Folder that keeps the CSV files of CmdStan."),
    click.option("--draws", type=int, help="Draws to keep per chain."),
    click.option("--chains", type=int, help="Chains."),
    click.option("--warmup", type=int, help="Draws to discard per chain."),
    click.option("--seed", type=int, help="Makes every number reproducible."),
)
SCENARIO = (
    click.option("--mu", type=float, help="Prevalence, for a scenario of your own."),
    click.option("--rho-pos", type=(float, float), help="How often A and B say yes to positives."),
    click.option("--rho-neg", type=(float, float), help="How often A and B say yes to negatives."),
    click.option(
        "--correlation",
        type=float,
        help="Phi between A and B given the class, or the correlation of scores.  [default: 0]",
    ),
    click.option("--auc-a", type=float, help="AUC of A, for a scenario of scores."),
    click.option("--auc-b", type=float, help="AUC of B."),
    click.option("--positives", type=float, help="Share of positives, with AUCs.  [default: 0.5]"),
)
STUDY = (
    click.option(
        "--simulations", "n_simulations", type=int, help="Simulated per place.  [default: 1000]"
    ),
    click.option("--draws", type=int, help="Per data set.  [default: 4000]"),
    click.option("--two-test-sets", is_flag=True, help="Each system has its own documents."),
    click.option("--seed", type=int, help="Makes every number reproducible."),
    click.option("--jobs", type=int, help="Threads.  [default: one per processor]"),
    click.option("--figure", type=click.Path(), help="Also draw it: .svg, .pdf or .png."),
)
STYLE = click.option(
    "--format", "style", type=click.Choice(FORMATS), default="table", show_default=True
)


FAIL_UNLESS = click.option(
    "--fail-unless",
    metavar="DECISIONS",
    help='Exit with code 3 unless every row that is decided upon is one of these, as in ">> =".',
)


def check_verdict(result: Comparison, wanted: str | None) -> None:
    """End with an exit code of its own where the verdict is not among those asked for."""
    from stanoff.inference.goals import as_goal, goal_label

    if wanted is None:
        return
    try:
        goal = as_goal(wanted.replace(",", " ").split())
    except InputError:
        rule = "made of <<, <, =, >, >> and settled"
        raise invalid("fail_unless", rule, wanted) from None
    rows = result.categories if result.default_category is None else (result.default_category,)
    others = [row for row in map(result.evidence, rows) if row.decision not in goal]
    if others:
        told = ", ".join(f"{row.category}: {row.decision}" for row in others)
        click.echo(f"The verdict is not {goal_label(goal)} ({told}).", err=True)
        click.get_current_context().exit(OTHER_VERDICT)


def options(*groups: tuple[Decorator, ...]) -> Decorator:
    """Give a command several groups of options at once."""

    def give(function: Any) -> Any:
        for option in reversed([option for group in groups for option in group]):
            function = option(function)
        return function

    return give


def given(values: dict[str, Any]) -> dict[str, Any]:
    """Keep the options that the user gave; read priors as the API takes them."""
    kept = {name: value for name, value in values.items() if value not in (None, ())}
    if "data" in kept:
        kept["data"] = json_of(kept["data"])
    if "prior" in kept:
        from stanoff.models.priors import as_prior

        priors = [as_prior(text) for text in kept["prior"]]
        if len(priors) > 2:
            raise InputError("--prior goes once, or twice: for A and for B in an unpaired model.")
        kept["prior"] = priors[0] if len(priors) == 1 else tuple(priors)
    if len(kept.get("denominator", ())) == 1:
        [kept["denominator"]] = kept["denominator"]
    return kept


def json_of(path: str) -> dict[str, Any]:
    """Read an object out of a JSON file."""
    import json

    try:
        found = json.loads(Path(path).read_bytes())
    except ValueError as error:
        raise InputError(f"{path} is no JSON: {error}.") from error
    if not isinstance(found, dict):
        raise invalid("data", "a JSON file with an object of names and numbers", path)
    return found


def check_figure(path: str | None) -> None:
    """Refuse a figure that cannot be written before anything is simulated for it."""
    if path is not None and Path(path).suffix.lower() not in (".svg", ".pdf", ".png"):
        raise InputError(f"A figure is written as .svg, .pdf or .png, not {path!r}.")


def draw(ax: Any, path: str) -> None:
    """Save a figure in the format that its name ends with."""
    from stanoff._lib.files import write_bytes
    from stanoff.report.figures import as_bytes

    write_bytes(path, as_bytes(ax, Path(path).suffix.removeprefix(".").lower()))


def interrupted(warnings: Any) -> None:
    """Say what is missing, with the exit code of an interrupted program."""
    for warning in warnings:
        click.echo(warning, err=True)
    if warnings:
        click.get_current_context().exit(130)
