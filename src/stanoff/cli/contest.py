"""``stanoff contest``."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import click

from stanoff.cli.base import Words, command, in_words_of_options
from stanoff.cli.options import (
    FILES,
    LABELS,
    LAYOUT,
    MEASURE,
    MODEL,
    NAMES,
    RULE,
    SAMPLING,
    STYLE,
    TRUTH,
    VALUES,
    given,
    options,
    tables,
)

if TYPE_CHECKING:
    from stanoff.results.contest import Contest

SYSTEMS = click.option(
    "--systems",
    cls=Words,
    multiple=True,
    help="Columns of predictions, or in long format systems, one after the other; of several FILEs "
    "one for all of them, or one each.  [default: all others]",
)
CONTEST = (
    TRUTH,
    SYSTEMS,
    *LAYOUT,
    *(option for option in LABELS if option is not NAMES),
    *VALUES,
    *MEASURE,
    *RULE,
    *MODEL,
    *SAMPLING,
)


@command
@FILES
@options(CONTEST)
@click.option("--save", type=click.Path(), help="Keep the result; see: stanoff show.")
@click.option("--html", type=click.Path(), help="Also write a page that opens without a network.")
@STYLE
def contest(
    file: tuple[str, ...], save: str | None, html: str | None, style: str, **values: Any
) -> None:
    """Rank all columns of predictions in FILE.

    FILE is as in `stanoff compare`; several of them, one per system, are joined by --id. In long
    format all systems are ranked.
    """
    from stanoff.text.export import contest_text

    result = contested(file, values)
    if save is not None:
        result.save(save)
    if html is not None:
        result.to_html(html)
    text = contest_text(result, style)
    click.echo(in_words_of_options(text, contest) if style == "table" else text)


def contested(file: tuple[str, ...], values: dict[str, Any]) -> Contest:
    """Hold a contest as the options say; what the sampler complains of is in the result."""
    from stanoff.api import contest as run
    from stanoff.errors import SamplingWarning

    data, asked = tables(file, given(values))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        return run(data, progress=sys.stderr.isatty(), **asked)
