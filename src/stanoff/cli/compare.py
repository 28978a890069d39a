"""``stanoff compare``, ``stanoff contest`` and ``stanoff show``."""

from __future__ import annotations

from typing import Any

import click

from stanoff import api
from stanoff.cli.base import Command, command, echo, on_terminal
from stanoff.cli.options import (
    FILES,
    LAYOUT,
    MEASURE,
    MODEL,
    PAIR,
    RULE,
    SAMPLING,
    VALUES,
    given,
    options,
    table_of,
)
from stanoff.errors import InputError, invalid
from stanoff.inference.goals import as_goal, goal_label
from stanoff.results.comparison import Comparison
from stanoff.results.contest import Contest
from stanoff.text.export import comparison_text, contest_text

COMPARING = (
    *(*PAIR, *LAYOUT, *VALUES),
    *("pos_label", "labels", "average", "names"),
    *(*MEASURE, *RULE, *MODEL, "data", *SAMPLING),
)
CONTEST = tuple(name for name in COMPARING if name not in ("a", "b", "names", "data"))
OTHER_VERDICT = 3  # the exit code where the verdict is not the one asked for


@command
@FILES
@options(*COMPARING, "save", "fail_unless", "style")
def compare(
    file: tuple[str, ...], save: str | None, fail_unless: str | None, style: str, **values: Any
) -> None:
    """Compare two columns of predictions in FILE.

    FILE is CSV, Parquet, JSON lines or Arrow; or a folder of these, a pattern, or - for stdin. Two
    of them are joined by --id; logs of lm-evaluation-harness and inspect_ai need no names of
    columns. In long format --item, --system and --prediction name the columns, --a and --b the
    systems.
    """
    result = run_comparison(file, values)
    if save is not None:
        result.save(save)
    _show(result, style)
    _check_verdict(result, fail_unless)


def run_comparison(file: tuple[str, ...], values: dict[str, Any]) -> Comparison:
    """Compare as the options of a command say."""
    return api.compare(table_of(file), progress=on_terminal(), **given(values))


@command
@FILES
@options("truth", "systems", *CONTEST[1:], "save")
@click.option("--html", type=click.Path(), help="Also write a page that opens without a network.")
@options("style")
def contest(
    file: tuple[str, ...], save: str | None, html: str | None, style: str, **values: Any
) -> None:
    """Rank all columns of predictions in FILE.

    FILE is as in `stanoff compare`; several of them, one per system, are joined by --id. In long
    format all systems are ranked.
    """
    result = api.contest(table_of(file), progress=on_terminal(), **given(values))
    if save is not None:
        result.save(save)
    if html is not None:
        result.to_html(html)
    _show(result, style)


@command
@click.argument("file", type=click.Path())
@options(*MEASURE, *RULE, "higher_is_better", "average", "category", "fail_unless", "style")
def show(
    file: str, category: str | None, fail_unless: str | None, style: str, **values: Any
) -> None:
    """Show the result in FILE, which --save or save() has written.

    Another measure, average, ROPE or HDI is applied to the draws in it.
    """
    result = api.load(file).judge(**given(values))
    if category is not None:
        result.resolve_category(category)  # complains of a category that is not there
    if isinstance(result, Contest) and fail_unless is not None:
        raise InputError("--fail-unless goes with a comparison of two systems.")
    _show(result, style, category)
    if isinstance(result, Comparison):
        _check_verdict(result, fail_unless)


def _show(result: Comparison | Contest, style: str, category: str | None = None) -> None:
    """Print a result: for a person in the words of the command line."""
    if isinstance(result, Contest):
        text = contest_text(result, style, category=category)
    else:
        text = comparison_text(result, style, category=category)
    called = click.get_current_context().command
    assert isinstance(called, Command)
    echo(called.spell(text) if style == "table" else text)


def _check_verdict(result: Comparison, wanted: str | None) -> None:
    """End with an exit code of its own where the verdict is not among those asked for."""
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
        verdicts = ", ".join(f"{row.category}: {row.decision}" for row in others)
        echo(f"The verdict is not {goal_label(goal)} ({verdicts}).", err=True)
        click.get_current_context().exit(OTHER_VERDICT)
