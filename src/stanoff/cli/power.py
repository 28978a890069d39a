"""``stanoff power``."""

from __future__ import annotations

from typing import Any

import click

from stanoff.cli.base import command
from stanoff.cli.options import (
    MEASURE,
    MODEL,
    RULE,
    SCENARIO,
    STUDY,
    STYLE,
    check_figure,
    draw,
    interrupted,
    options,
)
from stanoff.cli.scenarios import scenarios, studied


@command
@click.argument("n", type=int, nargs=-1, required=True)
@click.option("--scenario", multiple=True, help="a or b of the paper; may be repeated.")
@options(SCENARIO)
@click.option("--goal", multiple=True, help="<<, =, >>, settled.  [default: what is true]")
@click.option("--model", multiple=True, help="May be repeated.  [default: all that are conjugate]")
@options(MEASURE, RULE, MODEL[1:], STUDY)
@STYLE
def power(
    n: tuple[int, ...],
    scenario: tuple[str, ...],
    goal: tuple[str, ...],
    model: tuple[str, ...],
    figure: str | None,
    style: str,
    **values: Any,
) -> None:
    """Compute how often a goal is reached on N documents if a scenario is true.

    N may be several numbers.
    """
    from stanoff.planning.power import power as run
    from stanoff.text.render import render

    chosen = scenarios(scenario, values, name="own")
    check_figure(figure)
    table = run(chosen, n, goal=list(goal) or None, model=model or None, **studied(values))
    click.echo(render(table, style))
    if figure:
        from stanoff.plots import plot_power

        draw(plot_power(table), figure)
    interrupted(table.attrs["warnings"])
