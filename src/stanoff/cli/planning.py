"""``stanoff power`` and ``stanoff plan``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stanoff.cli.base import command
from stanoff.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.planning.scenarios import Scenario

FORMATS = ("table", "json", "csv", "markdown")
RATES = ("mu", "rho_pos", "rho_neg")
SCENARIO = (
    click.option("--mu", type=float, help="Prevalence, for a scenario of your own."),
    click.option("--rho-pos", type=(float, float), help="How often A and B say yes to positives."),
    click.option("--rho-neg", type=(float, float), help="How often A and B say yes to negatives."),
    click.option(
        "--correlation", type=float, help="Phi between A and B given the class.  [default: 0]"
    ),
)
JUDGING = (
    click.option("--measure", default="f1", show_default=True, help="See: stanoff measures."),
    click.option("--beta", type=float, default=1.0, show_default=True, help="Beta of F-beta."),
    click.option("--prevalence", type=float, help="Share of positives to judge at."),
    click.option("--rope", type=float, default=0.05, show_default=True, help="Its half-width."),
    click.option("--hdi", type=float, default=0.95, show_default=True, help="Its probability."),
)
STUDY = (
    click.option("--engine", type=click.Choice(["exact", "stan"]), default="exact"),
    click.option("--datasets", type=int, default=1000, show_default=True, help="Per place."),
    click.option("--draws", type=int, default=4000, show_default=True, help="Per data set."),
    click.option("--two-test-sets", is_flag=True, help="Each classifier has its own documents."),
    click.option("--seed", type=int, help="Makes every number reproducible."),
    click.option("--jobs", type=int, help="Threads.  [default: one per processor]"),
    click.option("--figure", type=click.Path(), help="Also draw it: .svg, .pdf or .png."),
    click.option("--format", "style", type=click.Choice(FORMATS), default="table"),
)


def options(*groups: tuple[Callable[[Any], Any], ...]) -> Callable[[Any], Any]:
    """Give a command several options at once."""

    def give(function: Any) -> Any:
        for option in reversed([option for group in groups for option in group]):
            function = option(function)
        return function

    return give


@command
@click.argument("n", type=int, nargs=-1, required=True)
@click.option("--scenario", multiple=True, help="a or b of the paper; may be repeated.")
@options(SCENARIO)
@click.option("--goal", multiple=True, help="<<, =, >>, settled; what is true unless told.")
@click.option(
    "--model", multiple=True, default=["paired", "unpaired"], show_default=True, help="Repeatable."
)
@options(JUDGING, STUDY)
def power(
    n: tuple[int, ...],
    scenario: tuple[str, ...],
    goal: tuple[str, ...],
    model: tuple[str, ...],
    figure: str | None,
    style: str,
    **given: Any,
) -> None:
    """Tell how often a goal is reached on N documents (several numbers) if a scenario is true."""
    from stanoff.planning.power import power as run

    scenarios = _scenarios(scenario, given, name="own")
    _check_figure(figure)
    table = run(scenarios, n, goal=list(goal) or None, model=model, **_study(given))
    click.echo(_written(table, style))
    if figure:
        from stanoff.plots import power_plot

        _draw(power_plot(table), figure)
    _tell(table.attrs["warnings"])


@command
@click.argument("file", required=False)
@click.option("--truth", help="Column of true labels in FILE.")
@click.option("--a", help="Column of A's predictions in FILE.")
@click.option("--b", help="Column of B's predictions in FILE.")
@click.option("--positive", help="The positive label in FILE.  [default: 1]")
@click.option("--scenario", help="a or b of the paper, if there is no FILE.")
@options(SCENARIO)
@click.option("--n", type=int, help="Ask for the smallest difference that N documents settle.")
@click.option("--goal", multiple=True, help="<<, =, >> or settled; may be repeated.")
@click.option(
    "--assurance", type=float, multiple=True, default=[0.8], show_default=True, help="Repeatable."
)
@click.option("--most", type=int, default=1_000_000, show_default=True, help="Of documents.")
@click.option("--model", default="paired", show_default=True, help="See: stanoff models.")
@options(JUDGING, STUDY)
def plan(
    file: str | None,
    truth: str | None,
    a: str | None,
    b: str | None,
    positive: str | None,
    scenario: str | None,
    n: int | None,
    goal: tuple[str, ...],
    assurance: tuple[float, ...],
    most: int,
    model: str,
    figure: str | None,
    style: str,
    **given: Any,
) -> None:
    """Tell how many documents a goal takes, or the smallest difference that N documents settle.

    With FILE (CSV, Parquet or JSON lines): how many more documents settle that comparison.
    """
    asked: dict[str, Any] = {"assurance": list(assurance), "most": most}
    if goal:
        asked["goal"] = goal[0] if len(goal) == 1 else list(goal)
    _check_figure(figure)
    if file is None:
        from stanoff.planning.plan import plan as run

        scenarios = _scenarios((scenario,) if scenario else (), given)
        if len(scenarios) > 1:
            raise InputError("Pass either --scenario, or --mu, --rho-pos and --rho-neg.")
        answer = run(scenarios[0], n, model=model, **asked, **_study(given))
    else:
        from stanoff.comparison import compare

        own = [name for name in (*RATES, "correlation") if given[name] is not None]
        if scenario or n is not None or own or given["two_test_sets"]:
            raise InputError(
                "Pass either FILE or a scenario; with FILE there is no --n and no --two-test-sets."
            )
        columns = {"--truth": truth, "--a": a, "--b": b}
        if None in columns.values():
            raise InputError("With FILE say which columns: --truth, --a and --b.")
        study = _study(given)
        measured = {key: study.pop(key) for key in ("measure", "beta", "prevalence", "rope", "hdi")}
        engine, _ = study.pop("engine"), study.pop("same_documents")
        result = compare(
            file,
            truth=truth,
            a=a,
            b=b,
            pos_label=positive,
            model=model,
            engine=engine,
            seed=study["seed"],
            **measured,
        )
        answer = result.plan(**asked, **study)
    if figure:
        _draw(answer.plot(), figure)
    table = answer.summary()
    table.insert(0, "goal", answer.goal)
    table.insert(0, "question", answer.question)
    click.echo(str(answer) if style == "table" else _written(table, style))
    _tell(answer.warnings)


def _scenarios(
    names: tuple[str, ...], given: dict[str, Any], *, name: str = ""
) -> list[Scenario | str]:
    from stanoff.planning.scenarios import Scenario

    own = {part: given.pop(part) for part in RATES}
    correlation = given.pop("correlation")
    missing = [part for part, value in own.items() if value is None]
    if len(missing) == len(own):
        if correlation is not None:
            raise InputError("--correlation goes with --mu, --rho-pos and --rho-neg.")
        if not names:
            raise InputError("Pass a scenario: --scenario a, or --mu, --rho-pos and --rho-neg.")
        return list(names)
    if missing:
        told = ", ".join(f"--{part.replace('_', '-')}" for part in missing)
        raise InputError(f"A scenario of your own needs {told} as well.")
    return [*names, Scenario.from_rates(**own, correlation=correlation or 0.0, name=name)]


def _study(given: dict[str, Any]) -> dict[str, Any]:
    study = {
        name: value
        for name, value in given.items()
        if name not in ("two_test_sets", "correlation", *RATES)
    }
    return study | {
        "same_documents": not given["two_test_sets"],
        "progress": sys.stderr.isatty(),
    }


def _written(table: pd.DataFrame, style: str) -> str:
    if style == "json":
        return str(table.to_json(orient="records", indent=2))
    if style == "csv":
        return str(table.to_csv(index=False)).rstrip("\n")
    if style == "table":
        return str(table.to_string(index=False, float_format=lambda value: f"{value:.3f}"))
    from stanoff.texts import frame_as_markdown

    return frame_as_markdown(
        table.apply(lambda column: column.map("{:.3f}".format) if column.dtype == float else column)
    )


def _check_figure(path: str | None) -> None:
    """Refuse a figure that cannot be written before anything is simulated for it."""
    if path is not None and Path(path).suffix.lower() not in (".svg", ".pdf", ".png"):
        raise InputError(f"A figure is written as .svg, .pdf or .png, not {path!r}.")


def _draw(ax: Any, path: str) -> None:
    from stanoff.files import write_bytes
    from stanoff.report.figures import as_bytes

    write_bytes(path, as_bytes(ax, Path(path).suffix.removeprefix(".").lower()))


def _tell(warnings: Any) -> None:
    """Say what is missing, with the exit code of an interrupted program."""
    for warning in warnings:
        click.echo(warning, err=True)
    if warnings:
        click.get_current_context().exit(130)
