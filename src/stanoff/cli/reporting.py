"""``stanoff report``."""

from __future__ import annotations

import sys
from copy import copy
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from stanoff.cli.base import command
from stanoff.cli.comparing import compare

OF_COMPARE_ONLY = ("file", "save", "style")


@command
@click.argument("file", type=click.Path())
@click.option("--out", type=click.Path(), help="The page, or for a study the folder, to write.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Comparisons at a time.")
@click.pass_context
def report(ctx: click.Context, /, file: str, out: str | None, jobs: int, **options: Any) -> None:
    """Write a report that opens without a network.

    FILE holds predictions (CSV, Parquet, JSON lines), and --truth, --a and --b name its columns:
    the report is one page. Or FILE is a result that `compare --save` has written (.nc). Or it is a
    study (.toml) of many comparisons: the report is a folder.
    """
    if Path(file).suffix in (".toml", ".nc"):
        given = [name for name in options if _given(ctx, name)]
        if given:
            raise click.UsageError(f"--{given[0]} does not go with {file}, which tells it itself.")
    if Path(file).suffix == ".toml":
        _study(ctx, file, out, jobs)
        return
    if out is None:
        raise click.UsageError("--out must tell the page to write, for example report.html.")
    result = _loaded(file) if Path(file).suffix == ".nc" else _compared(file, options)
    click.echo(f"Wrote {result.to_html(out)}", err=True)


def _given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE


def _study(ctx: click.Context, file: str, out: str | None, jobs: int) -> None:
    from stanoff.report.config import read_study
    from stanoff.report.study import build

    study = read_study(file)
    if out is None and study.out is None:
        raise click.UsageError(f"--out, or out in {file}, must tell the folder to write to.")
    folder = Path(out) if out is not None else study.out
    assert folder is not None
    outcomes = build(study, folder, jobs=jobs)
    broken = [outcome for outcome in outcomes if outcome.error]
    for outcome in broken:
        told = f"{outcome.a} and {outcome.b} by {outcome.measure} ({outcome.model})"
        click.echo(f"Error: {told}: {outcome.error}", err=True)
    reused = sum(outcome.reused for outcome in outcomes)
    click.echo(
        f"Wrote {folder / 'index.html'}: {len(outcomes) - len(broken)} comparisons, "
        f"{reused} of them from fits that were there.",
        err=True,
    )
    if broken:
        ctx.exit(1)


def _loaded(file: str) -> Any:
    from stanoff.saving import load

    return load(file)


def _compared(file: str, options: dict[str, Any]) -> Any:
    import warnings

    from stanoff.comparison import compare as run
    from stanoff.errors import SamplingWarning

    for name in ("truth", "a", "b"):
        if options[name] is None:
            raise click.UsageError(f"--{name} must name a column of {file}.")
    options["pos_label"] = options.pop("positive")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # the page tells it in its own words
        return run(file, progress=sys.stderr.isatty(), **options)


def _options_of_compare() -> list[click.Parameter]:
    """Take the options of ``stanoff compare``, so that the two commands do not drift apart."""
    shared = [copy(option) for option in compare.params if option.name not in OF_COMPARE_ONLY]
    for option in shared:
        option.required = False
    return shared


report.params[1:1] = _options_of_compare()
