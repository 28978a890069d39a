"""``stanoff compare``."""

from __future__ import annotations

import sys
from typing import Any

import click

from stanoff.cli.base import command

FORMATS = ("table", "json", "csv", "markdown", "latex")


@command
@click.argument("file")
@click.option("--truth", required=True, help="Column of true labels.")
@click.option("--a", required=True, help="Column of A's predictions.")
@click.option("--b", required=True, help="Column of B's predictions.")
@click.option("--positive", help="The positive label.  [default: 1]")
@click.option(
    "--average",
    type=click.Choice(["macro", "micro", "weighted"]),
    help="Judge all categories together.",
)
@click.option("--measure", default="f1", show_default=True, help="See: stanoff measures.")
@click.option("--beta", type=float, default=1.0, show_default=True, help="Beta of F-beta.")
@click.option("--prevalence", type=float, help="Share of positives to judge at.")
@click.option(
    "--rope",
    type=float,
    default=0.05,
    show_default=True,
    help="Half-width of the region of practical equivalence.",
)
@click.option(
    "--hdi",
    type=float,
    default=0.95,
    show_default=True,
    help="Probability of the highest density interval.",
)
@click.option(
    "--model", default="paired", show_default=True, help="See: stanoff models. Or a .stan file."
)
@click.option("--engine", type=click.Choice(["stan", "exact"]), help="Stan unless told.")
@click.option("--draws", type=int, help="Draws to keep per chain.")
@click.option("--chains", type=int, help="Chains.")
@click.option("--warmup", type=int, help="Draws to discard per chain.")
@click.option("--seed", type=int, help="Makes every number reproducible.")
@click.option("--save", type=click.Path(), help="Keep the result; see: stanoff show.")
@click.option("--format", "style", type=click.Choice(FORMATS), default="table", show_default=True)
def compare(
    file: str,
    truth: str,
    a: str,
    b: str,
    positive: str | None,
    save: str | None,
    style: str,
    **options: Any,
) -> None:
    """Compare two columns of predictions in FILE (CSV, Parquet or JSON lines)."""
    import warnings

    from stanoff.comparison import compare as run
    from stanoff.errors import SamplingWarning
    from stanoff.texts import as_text

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # the result tells it in its own words
        result = run(
            file, truth=truth, a=a, b=b, pos_label=positive, progress=sys.stderr.isatty(), **options
        )
    if save is not None:
        result.save(save)
    click.echo(as_text(result, style))
