"""``stanoff power`` and ``stanoff plan``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import stanoff
from stanoff._lib.files import write_bytes
from stanoff._lib.stopping import INTERRUPTED
from stanoff.cli.base import command, echo, on_terminal
from stanoff.cli.compare import run_comparison
from stanoff.cli.options import (
    DATA,
    PAIR,
    as_typed,
    check_figure,
    options,
    table_of,
    typed_options,
)
from stanoff.data.types import Data
from stanoff.errors import InputError
from stanoff.planning.plan import Plan
from stanoff.planning.power import QUESTION, power_cells, power_envelope, power_legend
from stanoff.planning.text import plan_envelope
from stanoff.plots import plot_power
from stanoff.report.figures import as_bytes
from stanoff.text.render import render

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AUCS = ("auc_a", "auc_b")
RATES = ("mu", "rho_pos", "rho_neg")
SCENARIO = (*RATES, "correlation", *AUCS, "positives")
STUDY = ("n_simulations", "draws", "two_test_sets", "seed", "jobs")
OF_PLAN = (*STUDY, "goal", "assurance", "max_n")
QUESTIONS = {  # of plans
    "documents": "How many documents a goal takes.",
    "difference": "The smallest difference that so many documents settle.",
    "more documents": "How many more documents a goal takes.",
}
PER_DATA_SET = {"help": "Per data set.  [default: 4000]"}


@command
@click.argument("n", type=int, nargs=-1, required=True)
@click.option("--scenario", multiple=True, help="a or b of the paper; may be repeated.")
@options(*SCENARIO)
@click.option("--goal", multiple=True, help="<<, =, >>, settled.  [default: what is true]")
@click.option("--model", multiple=True, help="May be repeated.  [default: all that are conjugate]")
@options(*QUESTION, "prior", "engine", *STUDY, "figure", "style", draws=PER_DATA_SET)
def power(n: tuple[int, ...], figure: str | None, style: str, **values: Any) -> None:
    """Compute how often a goal is reached on N documents if a scenario is true.

    N may be several numbers.
    """
    scenarios = _read_scenarios(values, name="own")
    check_figure(figure)
    table = stanoff.power(scenarios, n, **_read_study(values))
    text = render(
        power_cells(table),
        style,
        numbers=table,
        record=lambda: power_envelope(table),
        legend=power_legend(table),
        caption=f"How often goals are reached in {table.attrs['measure']}, by simulation.",
    )
    echo(text)
    _draw(lambda: plot_power(table), figure)
    _say_interrupted(table.attrs["warnings"])


@command
@click.argument("file", nargs=-1)
@options(*PAIR, "systems", *DATA)
@click.option("--scenario", help="a or b of the paper, if there is no FILE.")
@options(*SCENARIO)
@click.option("--n", type=int, help="Ask for the smallest difference that N documents settle.")
@click.option("--goal", multiple=True, help="<<, =, >> or settled; may be repeated.")
@click.option("--assurance", type=float, multiple=True, help="May be repeated.  [default: 0.8]")
@click.option("--max-n", type=int, help="Documents to consider at most.  [default: 1000000]")
@options(*QUESTION, "model", "prior", "engine", *STUDY, "figure", "style", draws=PER_DATA_SET)
def plan(file: tuple[str, ...], figure: str | None, style: str, **values: Any) -> None:
    """Compute how many documents a goal takes, or the smallest difference that N documents settle.

    With FILE, which is as in `stanoff compare`: how many more documents settle that comparison;
    with --systems, as in `stanoff contest`: how many settle who leads.
    """
    check_figure(figure)
    answer, data = _plan_file(file, values) if file else (_plan_scenario(values), None)
    _draw(answer.plot, figure)
    table = answer.summary()
    table.insert(0, "goal", answer.goal)
    table.insert(0, "question", answer.question)
    text = render(
        table,
        style,
        record=lambda: plan_envelope(answer, data),
        caption=QUESTIONS[answer.question],
        notes=[str(answer)],
    )
    echo(repr(answer) if style == "table" else text)
    _say_interrupted(answer.warnings)


def _plan_scenario(values: dict[str, Any]) -> Plan:
    for name in (*PAIR, "systems", *DATA):
        if values.pop(name) not in (None, ()):
            raise InputError(f"{as_typed(name)} goes with FILE.")
    values["scenario"] = (values["scenario"],) if values["scenario"] else ()
    scenarios = _read_scenarios(values)
    if len(scenarios) > 1:
        raise InputError("Pass either --scenario, or --mu, --rho-pos and --rho-neg.")
    answer: Plan = stanoff.plan(scenarios[0], values.pop("n"), **_read_study(values))
    return answer


def _plan_file(file: tuple[str, ...], values: dict[str, Any]) -> tuple[Plan, Data]:
    if _pop(values, (*SCENARIO, "scenario", "n")) or values["two_test_sets"]:
        raise InputError(
            "Pass either FILE or a scenario; with FILE there is no --n and no --two-test-sets."
        )
    study = _read_study({name: values.pop(name) for name in OF_PLAN})
    del study["same_documents"]
    values["engine"] = values["engine"] or "exact"  # the plan draws exactly, too
    values["seed"] = study.get("seed")
    result: Any
    if not values.get("systems"):
        result = run_comparison(file, values)
    elif values["a"] or values["b"]:
        raise InputError("Pass either --a and --b, or --systems.")
    else:
        result = stanoff.contest(table_of(file), progress=on_terminal(), **typed_options(values))
    return result.plan(**study), result.data


def _read_study(values: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a simulation as the API takes them."""
    same_documents = not values.pop("two_test_sets")
    return typed_options(values) | {"same_documents": same_documents, "progress": on_terminal()}


def _pop(values: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Take out of the options those of these names that were given."""
    return typed_options({name: values.pop(name) for name in names})


def _read_scenarios(values: dict[str, Any], *, name: str = "") -> list[Any]:
    """Read the scenarios that are named, and one of the user's own from its rates or AUCs."""
    names, rates = values.pop("scenario"), _pop(values, RATES)
    aucs, settings = _pop(values, (*AUCS, "positives")), _pop(values, ("correlation",))
    if aucs:
        if names or rates:
            raise InputError("Pass either AUCs or a scenario of labels.")
        _check_complete(aucs, AUCS, "A scenario of AUCs")
        return [stanoff.AucScenario(**aucs, **settings, name=name)]
    if rates:
        _check_complete(rates, RATES, "A scenario of your own")
        return [*names, stanoff.Scenario.from_rates(**rates, **settings, name=name)]
    if settings:
        raise InputError(
            "--correlation goes with --mu, --rho-pos and --rho-neg, or --auc-a and --auc-b."
        )
    if not names:
        raise InputError(
            "Pass a scenario: --scenario a, or --mu, --rho-pos and --rho-neg, or --auc-a and "
            "--auc-b."
        )
    return list(names)


def _check_complete(values: dict[str, Any], names: tuple[str, ...], subject: str) -> None:
    missing = [as_typed(name) for name in names if name not in values]
    if missing:
        raise InputError(f"{subject} needs {', '.join(missing)} as well.")


def _draw(plot: Callable[[], Axes], path: str | None) -> None:
    """Save a figure, if one is asked for, in the format that its name ends with."""
    if path is not None:
        write_bytes(path, as_bytes(plot(), Path(path).suffix.removeprefix(".").lower()))


def _say_interrupted(warnings: Any) -> None:
    """Say what is missing, with the exit code of an interrupted program."""
    for warning in warnings:
        echo(warning, err=True)
    if warnings:
        click.get_current_context().exit(INTERRUPTED)
