"""``stanoff plan``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stanoff.cli.base import command
from stanoff.cli.compare import compared
from stanoff.cli.options import (
    COLUMNS,
    MEASURE,
    MODEL,
    POS_LABEL,
    RULE,
    SCENARIO,
    STUDY,
    STYLE,
    check_figure,
    draw,
    interrupted,
    options,
)
from stanoff.cli.scenarios import AUCS, RATES, scenarios, studied
from stanoff.errors import InputError

if TYPE_CHECKING:
    from stanoff.planning.plan import Plan

OF_STUDY = ("n_simulations", "draws", "seed", "jobs", "two_test_sets")


@command
@click.argument("file", nargs=-1)
@options(COLUMNS)
@POS_LABEL
@click.option("--scenario", help="a or b of the paper, if there is no FILE.")
@options(SCENARIO)
@click.option("--n", type=int, help="Ask for the smallest difference that N documents settle.")
@click.option("--goal", multiple=True, help="<<, =, >> or settled; may be repeated.")
@click.option("--assurance", type=float, multiple=True, help="May be repeated.  [default: 0.8]")
@click.option("--max-n", type=int, help="Documents to consider at most.  [default: 1000000]")
@options(MEASURE, RULE, MODEL, STUDY)
@STYLE
def plan(
    file: tuple[str, ...],
    goal: tuple[str, ...],
    assurance: tuple[float, ...],
    max_n: int | None,
    figure: str | None,
    style: str,
    **values: Any,
) -> None:
    """Compute how many documents a goal kind, or the smallest difference that N documents settle.

    With FILE, which is as in `stanoff compare`: how many more documents settle that comparison.
    """
    from stanoff.text.render import render

    asked: dict[str, Any] = {"assurance": list(assurance)} if assurance else {}
    if goal:
        asked["goal"] = goal[0] if len(goal) == 1 else list(goal)
    if max_n is not None:
        asked["max_n"] = max_n
    check_figure(figure)
    answer = _for_file(file, values, asked) if file else _for_scenario(values, asked)
    if figure:
        draw(answer.plot(), figure)
    table = answer.summary()
    table.insert(0, "goal", answer.goal)
    table.insert(0, "question", answer.question)
    click.echo(str(answer) if style == "table" else render(table, style))
    interrupted(answer.warnings)


def _for_scenario(values: dict[str, Any], asked: dict[str, Any]) -> Plan:
    from stanoff.data.load import Layout
    from stanoff.planning.plan import plan as run

    for name in ("truth", "a", "b", "pos_label", "truth_file", *Layout.__annotations__):
        if values.pop(name, None) is not None:
            raise InputError(f"--{name.replace('_', '-')} goes with FILE.")
    named = values.pop("scenario")
    chosen = scenarios((named,) if named else (), values)
    if len(chosen) > 1:
        raise InputError("Pass either --scenario, or --mu, --rho-pos and --rho-neg.")
    return run(chosen[0], values.pop("n"), **asked, **studied(values))


def _for_file(file: tuple[str, ...], values: dict[str, Any], asked: dict[str, Any]) -> Plan:
    of_scenarios = (*RATES, *AUCS, "positives", "correlation", "scenario", "n")
    own = [name for name in of_scenarios if values[name] is not None]
    if own or values["two_test_sets"]:
        raise InputError(
            "Pass either FILE or a scenario; with FILE there is no --n and no --two-test-sets."
        )
    study = studied({name: values[name] for name in OF_STUDY})
    del study["same_documents"]
    comparing = {name: value for name, value in values.items() if name not in OF_STUDY}
    comparing["engine"] = comparing["engine"] or "exact"  # the plan draws exactly, too
    return compared(file, comparing | {"seed": values["seed"]}).plan(**asked, **study)
