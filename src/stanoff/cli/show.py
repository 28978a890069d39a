"""``stanoff show``."""

from __future__ import annotations

from typing import Any

import click

from stanoff.cli.base import command
from stanoff.cli.options import (
    AVERAGES,
    DIRECTION,
    FAIL_UNLESS,
    MEASURE,
    RULE,
    STYLE,
    check_verdict,
    given,
    options,
)
from stanoff.errors import InputError


@command
@click.argument("file", type=click.Path())
@options(MEASURE, RULE, (DIRECTION,))
@click.option("--average", type=click.Choice(AVERAGES), help="Judge all categories together.")
@click.option("--category", help="Only this category or average.")
@FAIL_UNLESS
@STYLE
def show(
    file: str, category: str | None, fail_unless: str | None, style: str, **values: Any
) -> None:
    """Show the result in FILE, which --save or save() has written.

    Another measure, average, ROPE or HDI is applied to the draws in it.
    """
    from stanoff.api import load
    from stanoff.results.contest import Contest
    from stanoff.text.export import comparison_text, contest_text

    result = load(file).judge(**given(values))
    if category is not None:
        result.resolve_category(category)  # complains of a category that is not there
    if isinstance(result, Contest):
        if fail_unless is not None:
            raise InputError("--fail-unless goes with a comparison of two systems.")
        click.echo(contest_text(result, style, category=category))
    else:
        click.echo(comparison_text(result, style, category=category))
        check_verdict(result, fail_unless)
