"""``stanoff measures``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stanoff.cli.base import command
from stanoff.cli.options import STYLE

if TYPE_CHECKING:
    import pandas as pd


@command
@click.option("--invariance", is_flag=True, help="Which changes of a table they do not see.")
@click.option(
    "--explain", "measure", metavar="MEASURE", help="The same of one measure, with examples."
)
@click.option(
    "--suited",
    "situations",
    metavar="SITUATION",
    multiple=True,
    help="Which measures suit such data: imbalance, multimodal_negatives, "
    "unimodal_negatives, unreliable_labels, many_counterexamples, comparable_proportions, "
    "unknown_proportions. May be repeated.",
)
@click.option("--beta", type=float, default=1.0, show_default=True, help="Beta of F-beta.")
@click.option("--prevalence", type=float, help="Share of positives to judge at.")
@STYLE
def measures(
    invariance: bool, measure: str | None, situations: tuple[str, ...], style: str, **settings: Any
) -> None:
    """List the measures: which way is better, their range and their formula."""
    if invariance + (measure is not None) + bool(situations) > 1:
        raise click.UsageError("--invariance, --explain and --suited exclude each other.")
    if measure is not None:
        from stanoff.measures.invariance import examine

        result = examine(measure, **settings)
        _tell(result.frame(), result.explain(), style)
    elif situations:
        from stanoff.measures import recommend

        _tell(
            recommend.table(situations, **settings), recommend.advice(situations, **settings), style
        )
    elif invariance:
        from stanoff.measures.invariance import legend, table
        from stanoff.text.render import to_terminal

        signs = table(**settings)
        _tell(signs, "\n".join([to_terminal([signs]), *legend(**settings)]), style)
    else:
        _tell(*_listed(), style)


def _tell(frame: pd.DataFrame, words: str, style: str) -> None:
    """Print a table for scripts and documents, or words for a person."""
    from stanoff.text.render import render

    click.echo(words if style == "table" else render(frame, style))


def _listed() -> tuple[pd.DataFrame, str]:
    import pandas as pd

    from stanoff.measures import ALIASES, MEASURES, SCORES

    rows, lines = [], []
    for measure in (*MEASURES.values(), *SCORES.values()):
        also = [alias for alias, name in ALIASES.items() if name == measure.name]
        better = "higher" if measure.higher_is_better else "lower"
        low, high = (f"{end:g}" for end in measure.range)
        rows.append(
            {"measure": measure.name, "also": " ".join(also), "better": better}
            | {"least": low, "greatest": high, "formula": measure.formula}
        )
        name = " = ".join([*also, measure.name])
        lines.append(f"{name:26} {better:6} is better   {low:>2} to {high:<3}   {measure.formula}")
    return pd.DataFrame(rows), "\n".join(lines)
