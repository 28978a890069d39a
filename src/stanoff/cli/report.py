"""``stanoff report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stanoff.api import load
from stanoff.cli.base import command, echo
from stanoff.cli.compare import run_comparison
from stanoff.cli.options import COMPARE, FILES, as_typed, options, typed_options
from stanoff.study.config import read_study
from stanoff.study.run import build_study


@command
@FILES
@options(*COMPARE)
@click.option("--out", type=click.Path(), help="The page, or for a study the folder, to write.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Comparisons at a time.")
def report(file: tuple[str, ...], out: str | None, jobs: int, **values: Any) -> None:
    """Write a report that opens without a network.

    FILE holds predictions, as in `stanoff compare`, also several of them, and --truth, --a and --b
    name its columns: the report is one page. Or FILE is a result that `compare --save` has written
    (.nc). Or it is a study (.toml) of many comparisons: the report is a folder.
    """
    kind = Path(file[0]).suffix
    if kind in (".toml", ".nc"):
        if len(file) > 1:
            raise click.UsageError(f"{file[0]} goes alone: there is no other FILE beside it.")
        for name in typed_options(values):
            option = as_typed(name)
            raise click.UsageError(f"{option} does not go with {file[0]}, which has it already.")
    if kind == ".toml":
        _build_study(file[0], out, jobs)
        return
    if out is None:
        raise click.UsageError("--out must name the page to write, for example report.html.")
    result = load(file[0]) if kind == ".nc" else run_comparison(file, values)
    echo(f"Wrote {result.to_html(out)}", err=True)


def _build_study(file: str, out: str | None, jobs: int) -> None:
    study = read_study(file)
    if out is None and study.out is None:
        raise click.UsageError(f"--out, or out in {file}, must name the folder to write to.")
    folder = Path(out or study.out or "")
    outcomes = build_study(study, folder, jobs=jobs)
    broken = [outcome for outcome in outcomes if outcome.error]
    for outcome in broken:
        echo(f"Error: {outcome.title}: {outcome.error}", err=True)
    n_contests = sum(outcome.is_contest for outcome in outcomes if not outcome.error)
    n_pairs = len(outcomes) - len(broken) - n_contests
    built = f"{n_pairs} comparison{'s' * (n_pairs != 1)}"
    built += f" and {n_contests} contest{'s' * (n_contests > 1)}" if n_contests else ""
    reused = sum(outcome.reused for outcome in outcomes)
    echo(f"Wrote {folder / 'index.html'}: {built}, {reused} unchanged.", err=True)
    if broken:
        click.get_current_context().exit(1)
