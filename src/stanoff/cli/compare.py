"""``stanoff compare``, ``stanoff contest`` and ``stanoff show``."""

from __future__ import annotations

from typing import Any

import click

from stanoff import api
from stanoff.cli.base import Command, command, echo, on_terminal
from stanoff.cli.options import COMPARE, FILES, QUESTION, options, table_of, typed_options
from stanoff.errors import InputError, invalid
from stanoff.inference.decision import Goal, as_goal, goal_label
from stanoff.options import OF_CONTESTS
from stanoff.question import CLAIMS
from stanoff.results.comparison import Comparison
from stanoff.results.contest import Contest
from stanoff.text.export import result_text

CONTEST = (*(n for n in COMPARE if n not in ("a", "b", "names", "data")), *OF_CONTESTS)
OTHER_VERDICT = 3  # the exit code where the verdict is not the one asked for


@command
@FILES
@options(*COMPARE, "save", "fail_unless", "style")
def compare(file: tuple[str, ...], save: str, fail_unless: str, style: str, **values: Any) -> None:
    """Compare two columns of predictions in FILE.

    FILE is CSV, Parquet, JSON lines or Arrow; or a folder of these, a pattern, or - for stdin. Two
    of them are joined by --id; logs of lm-evaluation-harness and inspect_ai need no names of
    columns. In long format --item, --system and --prediction name the columns, --a and --b the
    systems.
    """
    goal = _read_goal(fail_unless, values)
    result = run_comparison(file, values)
    if save is not None:
        result.save(save)
    _show(result, style)
    _check_verdict(result, goal)


def run_comparison(file: tuple[str, ...], values: dict[str, Any]) -> Comparison:
    """Compare as the options of a command say."""
    return api.compare(table_of(file), progress=on_terminal(), **typed_options(values))


@command
@FILES
@options("truth", "systems", *CONTEST[1:], "save")
@click.option("--html", type=click.Path(), help="Also write a page that opens without a network.")
@options("style")
def contest(file: tuple[str, ...], save: str, html: str, style: str, **values: Any) -> None:
    """Rank all columns of predictions in FILE.

    FILE is as in `stanoff compare`; several of them, one per system, are joined by --id. In long
    format all systems are ranked.
    """
    result = api.contest(table_of(file), progress=on_terminal(), **typed_options(values))
    if save is not None:
        result.save(save)
    if html is not None:
        result.to_html(html)
    _show(result, style)
    if isinstance(result, Contest):
        _check_verdict(result, None)


@command
@click.argument("file", type=click.Path())
@options(*QUESTION, "category", "fail_unless", "style")
def show(file: str, category: str, fail_unless: str, style: str, **values: Any) -> None:
    """Show the result in FILE, which --save or save() has written.

    Another measure, average, ROPE or HDI is applied to the draws in it.
    """
    goal = _read_goal(fail_unless, values)
    result = api.load(file).judge(**typed_options(values))
    if category is not None:
        result.resolve_category(category)  # complains of a category that is not there
    if isinstance(result, Contest) and fail_unless is not None:
        raise InputError("--fail-unless goes with a comparison of two systems.")
    _show(result, style, category)
    _check_verdict(result, goal)


def _show(result: Comparison | Contest, style: str, category: str | None = None) -> None:
    """Print a result: for a person in the words of the command line."""
    text = result_text(result, style, category=category)
    called = click.get_current_context().command
    assert isinstance(called, Command)
    echo(called.spell(text) if style == "table" else text)


def _read_goal(wanted: str | None, values: dict[str, Any]) -> Goal | None:
    """Read the decisions asked for, before anything is fitted."""
    if wanted is None:
        return None
    for name in CLAIMS:
        if values.get(name) is not None:
            raise invalid(name, "None where 'fail_unless' is given: each has its exit code", wanted)
    try:
        return as_goal(wanted.replace(",", " ").split())
    except InputError:
        rule = "made of <<, <, =, >, >> and settled"
        raise invalid("fail_unless", rule, wanted) from None


def _check_verdict(result: Comparison | Contest, goal: Goal | None) -> None:
    """End with an exit code of its own where the verdict is not what is asked for."""
    if not all(claim.holds for claim in result.claims):
        click.get_current_context().exit(OTHER_VERDICT)  # the sentence says what is not shown
    if goal is None or isinstance(result, Contest):
        return
    rows = [result.default_category] if result.default_category else result.categories
    others = [row for row in map(result.evidence, rows) if row.decision not in goal]
    if others:
        verdicts = ", ".join(f"{row.category}: {row.decision}" for row in others)
        echo(f"The verdict is not {goal_label(goal)} ({verdicts}).", err=True)
        click.get_current_context().exit(OTHER_VERDICT)
