"""``stanoff show``."""

from __future__ import annotations

import click

from stanoff.cli.base import command
from stanoff.cli.comparing import FORMATS


@command
@click.argument("file", type=click.Path())
@click.option("--rope", type=float, help="Half-width of another region of practical equivalence.")
@click.option("--hdi", type=float, help="Probability of another highest density interval.")
@click.option("--category", help="Only this category or average.")
@click.option("--format", "style", type=click.Choice(FORMATS), default="table", show_default=True)
def show(
    file: str, rope: float | None, hdi: float | None, category: str | None, style: str
) -> None:
    """Show the result in FILE, which `compare --save` or save() has written."""
    from stanoff.saving import load
    from stanoff.texts import as_text

    result = load(file).under(rope=rope, hdi=hdi)
    if category is not None:
        result.evidence(category)  # complains of a category that is not there
    click.echo(as_text(result, style, categories=None if category is None else [category]))
