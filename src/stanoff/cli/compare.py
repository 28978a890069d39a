"""``stanoff compare``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from stanoff.cli.base import command, in_words_of_options
from stanoff.cli.options import (
    COLUMNS,
    FAIL_UNLESS,
    FILES,
    LABELS,
    MEASURE,
    MODEL,
    OWN_DATA,
    RULE,
    SAMPLING,
    STYLE,
    VALUES,
    check_verdict,
    given,
    options,
    tables,
)

if TYPE_CHECKING:
    from stanoff.results.comparison import Comparison

COMPARING = (*LABELS, *MEASURE, *RULE, *MODEL, OWN_DATA, *SAMPLING)


@command
@FILES
@options(COLUMNS, VALUES, COMPARING)
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
    from stanoff.text.export import comparison_text

    result = compared(file, values)
    if save is not None:
        result.save(save)
    text = comparison_text(result, style)
    click.echo(in_words_of_options(text, compare) if style == "table" else text)
    check_verdict(result, fail_unless)


def compared(file: tuple[str, ...], values: dict[str, Any]) -> Comparison:
    """Compare as the options say; what the sampler complains of is in the result."""
    import warnings

    from stanoff.api import compare as run
    from stanoff.errors import SamplingWarning

    data, asked = tables(file, given(values))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        return run(data, progress=sys.stderr.isatty(), **asked)
