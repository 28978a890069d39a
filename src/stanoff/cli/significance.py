"""``stanoff significance``."""

from __future__ import annotations

from typing import Any

import click

from stanoff.cli.base import command
from stanoff.cli.options import NAMES, POS_LABEL, STYLE, columns, given, options


@command
@click.argument("file")
@options(columns())
@POS_LABEL
@click.option(
    "--average",
    type=click.Choice(["both", "micro", "macro"]),
    help="Judge all categories: by pooled decisions (micro), by scores per category (macro).",
)
@click.option("--measure", help="What macro tests compare.  [default: f1]")
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "one-sided", "greater", "less"]),
    help="One-sided is the side that the data lean to.  [default: two-sided]",
)
@click.option(
    "--approximation",
    type=click.Choice(["yang1999"]),
    help="The p-values of Yang and Liu (1999), not the exact ones.",
)
@NAMES
@STYLE
def significance(file: str, style: str, **values: Any) -> None:
    """Test two columns of predictions in FILE for significant differences, in all ways that apply.

    The tests are those of Yang and Liu (1999), McNemar's, Welch's and Wilcoxon's, with p-values.
    """
    from stanoff.api import count
    from stanoff.significance.texts import as_text
    from stanoff.significance.together import all_tests

    asked = given(values)
    counting = {name: asked.pop(name) for name in COUNTING if name in asked}
    counts = count(file, average="macro" if "average" in asked else None, **counting)
    a, b = counts.systems
    click.echo(as_text(all_tests(counts, **asked), (a, b), style))


COUNTING = ("truth", "a", "b", "id", "sample_weight", "pos_label", "names")
