"""``stanoff significance``."""

from __future__ import annotations

import click

from stanoff.cli.base import command

FORMATS = ("table", "json", "csv", "markdown")


@command
@click.argument("file")
@click.option("--truth", required=True, help="Column of true labels.")
@click.option("--a", required=True, help="Column of A's predictions.")
@click.option("--b", required=True, help="Column of B's predictions.")
@click.option("--positive", help="The positive label.  [default: 1]")
@click.option(
    "--average",
    type=click.Choice(["both", "micro", "macro"]),
    help="Judge all categories: by pooled decisions (micro), by scores per category (macro).",
)
@click.option("--measure", default="f1", show_default=True, help="What macro tests compare.")
@click.option(
    "--sides",
    type=click.Choice(["two", "one"]),
    default="two",
    show_default=True,
    help="Two-sided p-values, or those of the side that the data lean to.",
)
@click.option(
    "--approximation",
    type=click.Choice(["yang1999"]),
    help="The p-values of Yang and Liu (1999), not the exact ones.",
)
@click.option("--format", "style", type=click.Choice(FORMATS), default="table", show_default=True)
def significance(
    file: str,
    truth: str,
    a: str,
    b: str,
    positive: str | None,
    average: str | None,
    measure: str,
    sides: str,
    approximation: str | None,
    style: str,
) -> None:
    """Test two columns of predictions in FILE for significant differences, in all ways that apply.

    The tests are those of Yang and Liu (1999), McNemar's, Welch's and Wilcoxon's. >> and << mean p
    <= 0.01, > and < mean p <= 0.05, ~ anything else.
    """
    from stanoff.significance.texts import as_text
    from stanoff.significance.together import all_tests
    from stanoff.sources import from_table

    counts = from_table(
        file, truth=truth, a=a, b=b, pos_label=positive, average="macro" if average else None
    )
    outcomes = all_tests(
        counts,
        level=average or "micro",
        measure=measure,
        alternative=f"{sides}-sided",
        approximation=approximation,
    )
    click.echo(as_text(outcomes, (a, b), style))
