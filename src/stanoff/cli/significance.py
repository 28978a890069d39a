"""``stanoff significance``."""

from __future__ import annotations

from typing import Any

import click

from stanoff.cli.base import command
from stanoff.cli.options import COLUMNS, FILES, NAMES, POS_LABEL, STYLE, given, options, tables


@command
@FILES
@options(COLUMNS)
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
def significance(file: tuple[str, ...], style: str, **values: Any) -> None:
    """Test two columns of predictions in FILE for significant differences, in all ways that apply.

    FILE is as in `stanoff compare`; two of them are joined by --id.

    The tests are those of Yang and Liu (1999), McNemar's, Welch's and Wilcoxon's, with p-values;
    with --measure auc it is DeLong's test of two columns of scores.
    """
    from stanoff.data.load import count
    from stanoff.measures import get
    from stanoff.significance.classical import all_tests
    from stanoff.significance.result import as_text

    data, asked = tables(file, given(values))
    testing = {name: asked.pop(name) for name in TESTING if name in asked}
    if "measure" in testing:
        asked["kind"] = get(testing["measure"]).kind
    counts = count(data, average="macro" if "average" in testing else None, **asked)
    a, b = counts.systems
    click.echo(as_text(all_tests(counts, **testing), (a, b), style))


TESTING = ("average", "measure", "alternative", "approximation")
