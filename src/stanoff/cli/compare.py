"""``stanoff compare``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from stanoff.cli.base import command, in_words_of_options
from stanoff.cli.options import (
    FAIL_UNLESS,
    LABELS,
    LAYOUT,
    MEASURE,
    MODEL,
    RULE,
    SAMPLING,
    STYLE,
    VALUES,
    check_verdict,
    columns,
    given,
    options,
)

if TYPE_CHECKING:
    from stanoff.comparison import Comparison

COMPARING = (*LABELS, *MEASURE, *RULE, *MODEL, *SAMPLING)


@command
@click.argument("file", nargs=-1, required=True)
@options(columns(required=False), LAYOUT, VALUES, COMPARING)
@click.option("--save", type=click.Path(), help="Keep the result; see: stanoff show.")
@FAIL_UNLESS
@STYLE
def compare(
    file: tuple[str, ...], save: str | None, fail_unless: str | None, style: str, **values: Any
) -> None:
    """Compare two columns of predictions in FILE.

    FILE is CSV, Parquet, JSON lines or Arrow; or a folder of these, a pattern, or - for stdin. Two
    of them are joined by --id; logs of lm-evaluation-harness and inspect_ai need no names of
    columns. In long format --item, --system and --prediction name the columns, --a and --b the
    systems.
    """
    from stanoff.text.formats import as_text

    result = compared(file[0] if len(file) == 1 else file, values)
    if save is not None:
        result.save(save)
    text = as_text(result, style)
    click.echo(in_words_of_options(text, compare) if style == "table" else text)
    check_verdict(result, fail_unless)


def compared(file: str | tuple[str, ...], values: dict[str, Any]) -> Comparison:
    """Compare as the options say; what the sampler complains of is in the result."""
    import warnings

    from stanoff.api import compare as run
    from stanoff.errors import SamplingWarning

    asked = given(values)
    if gold := asked.pop("truth_file", None):
        asked["truth"] = (gold, asked.get("truth"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        return run(file, progress=sys.stderr.isatty(), **asked)
