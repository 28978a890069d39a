"""``stanoff measures`` and ``stanoff significance``."""

from __future__ import annotations

from typing import Any

import click
import pandas as pd

from stanoff.cli.base import command, echo
from stanoff.cli.options import DATA, FILES, PAIR, options, table_of, typed_options
from stanoff.data.load import count
from stanoff.measures import ALIASES, get, invariance, recommend
from stanoff.measures.registry import registered
from stanoff.significance import all_tests
from stanoff.significance.result import as_text
from stanoff.text.envelope import envelope, json_schema
from stanoff.text.render import render, to_json, to_terminal

TESTING = ("average", "measure", "alternative", "approximation")


@command
@click.option(
    "--invariance", "invariances", is_flag=True, help="Which changes of a table they do not see."
)
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
@options("prevalence", "style")
def measures(
    invariances: bool, measure: str, situations: tuple[str, ...], style: str, **settings: Any
) -> None:
    """List the measures: which way is better, their range and their formula."""
    if invariances + (measure is not None) + bool(situations) > 1:
        raise click.UsageError("--invariance, --explain and --suited exclude each other.")
    if measure is not None:
        result = invariance.examine(measure, **settings)
        table, text = result.frame(), result.explain()
    elif situations:
        table = recommend.table(situations, **settings)
        text = recommend.advice(situations, **settings)
    elif invariances:
        table = invariance.table(**settings)
        text = "\n".join([to_terminal([table]), *invariance.legend(**settings)])
    else:
        table, text = _list_measures()
    settings["situations"] = situations
    record = envelope("measures", table.to_dict("records"), settings=settings)
    echo(text if style == "table" else render(table, style, record=lambda: record))


def _list_measures() -> tuple[pd.DataFrame, str]:
    rows, lines = [], []
    for measure in registered().values():
        if measure.name in ("mean", "ratio"):  # of values that were measured before
            continue
        also = [alias for alias, name in ALIASES.items() if name == measure.name]
        better = "higher" if measure.higher_is_better else "lower"
        least, greatest = (f"{end:g}" for end in measure.range)
        name = " = ".join([*also, measure.name])
        values = f"{least:>2} to {greatest:<3}"
        lines.append(f"{name:28} {better:6} is better   {values}   {measure.formula}")
        rows.append((measure.name, " ".join(also), better, least, greatest, measure.formula))
    columns = ["measure", "also", "better", "least", "greatest", "formula"]
    return pd.DataFrame(rows, columns=columns), "\n".join(lines)


@command
@FILES
@options(*PAIR, *DATA)
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
@options("names", "style")
def significance(file: tuple[str, ...], style: str, **values: Any) -> None:
    """Test two columns of predictions in FILE for significant differences, in all ways that apply.

    FILE is as in `stanoff compare`; two of them are joined by --id.

    The tests are those of Yang and Liu (1999), McNemar's, Welch's and Wilcoxon's, with p-values;
    with --measure auc it is DeLong's test of two columns of scores.
    """
    reading = typed_options(values)
    testing = {name: reading.pop(name) for name in TESTING if name in reading}
    if "measure" in testing:
        reading["kind"] = get(testing["measure"]).reads
    average = "macro" if "average" in testing else None
    counts = count(table_of(file), average=average, **reading)
    a, b = counts.systems
    results = all_tests(counts, **testing)
    echo(as_text(results, (a, b), style, data=counts, settings=testing))


@command
def schema() -> None:
    """Print the JSON Schema of what --format json prints."""
    echo(to_json(json_schema()))
