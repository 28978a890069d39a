"""``stanoff models``."""

from __future__ import annotations

from typing import Any

import click

from stanoff.cli.base import Command, main
from stanoff.cli.options import (
    COLUMNS,
    FILES,
    LABELS,
    MEASURE,
    OTHER_VERDICT,
    OWN_DATA,
    PRIOR,
    RULE,
    SAMPLING,
    VALUES,
    given,
    options,
    tables,
)


@main.group(invoke_without_command=True)
@click.pass_context
def models(ctx: click.Context) -> None:
    """List the models; begin, check, calibrate and compare Stan programs of your own."""
    from stanoff.models import MODELS

    if ctx.invoked_subcommand is None:
        for model in MODELS.values():
            engines = ", ".join(["stan"] * model.has_program + ["exact"] * model.is_conjugate)
            where = model.stan_file if model.has_program else "drawn by conjugacy"
            click.echo(f"{model.name:24} {engines:12} {where}")


@models.command(cls=Command)
@click.argument("file", type=click.Path())
def check(file: str) -> None:
    """Describe what a Stan program declares and whether stanoff can use it, without compiling."""
    from pathlib import Path

    from stanoff.models.custom import inspect_program

    program = inspect_program(Path(file))
    click.echo(f"data:      {', '.join(program.inputs)}")
    for name in program.user_data:
        declared = program.inputs[name]
        size = f"{declared['dimensions']} dimensions" if declared["dimensions"] else "one number"
        click.echo(f"own data:  {name}: {declared['type']}, {size}; pass it by data= or --data")
    click.echo(f"generates: {', '.join(program.outputs)}")
    for problem in program.problems:
        click.echo(f"problem:   {problem}")
    for limit in program.limits:
        click.echo(f"limit:     {limit}")
    if program.problems:
        click.get_current_context().exit(1)
    click.echo(f"{file} can be used: compare(..., model={file!r}).")


@models.command(cls=Command)
@click.argument("file", type=click.Path())
@click.option("--from", "base", help="What to begin with.  [default: paired]")
def new(file: str, base: str | None) -> None:
    """Write a commented Stan program that keeps the contract, to be changed."""
    from stanoff.workbench import new_program

    new_program(file, **given({"base": base}))
    click.echo(f"{file} is written. Next: stanoff models check {file}")


@models.command(cls=Command)
@click.argument("model")
@click.option("--simulations", type=int, help="Data sets to draw and fit.  [default: 200]")
@click.option("--documents", type=int, help="Documents per category, or items.  [default: 120]")
@click.option("--categories", type=int, help="Categories.  [default: 3]")
@options(MEASURE, (OWN_DATA, PRIOR))
@click.option("--seed", type=int, help="Makes every number reproducible.")
@click.option("--out", type=click.Path(), help="Also write a page.")
def calibrate(model: str, out: str | None, **values: Any) -> None:
    """Find out by simulation whether a Stan program draws from its own posterior.

    MODEL is the path of a program that draws documents, scores or values where `simulate` is 1, or
    the name of a model. The exit code is 3 if the ranks of the truth are not uniform.
    """
    from stanoff.workbench import calibrate as calibrated

    found = calibrated(model, progress=True, **given(values))
    click.echo(repr(found))
    if out is not None:
        click.echo(f"{found.to_html(out)} has the figures.")
    if not found.calibrated:
        click.get_current_context().exit(OTHER_VERDICT)


@models.command("compare", cls=Command)
@FILES
@click.option("--model", multiple=True, required=True, help="A model or .stan file; repeat it.")
@options(COLUMNS, VALUES, LABELS, MEASURE, RULE, (OWN_DATA, PRIOR), SAMPLING)
def compare_(file: tuple[str, ...], model: tuple[str, ...], **values: Any) -> None:
    """Fit several models to the same FILE, and tell how their verdicts differ."""
    import warnings

    from stanoff import count
    from stanoff.errors import SamplingWarning
    from stanoff.question import OPTIONS, Question
    from stanoff.workbench import compare_models

    table, asked = tables(file, given(values))
    drawing = {name: value for name, value in asked.items() if name in OPTIONS}
    layout = {name: value for name, value in asked.items() if name not in OPTIONS}
    if "average" in drawing:
        layout["average"] = drawing["average"]
    kind = Question.read(**given({"measure": values["measure"]})).measure.kind
    counts = count(table, kind=kind, **layout)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # told below the table
        click.echo(repr(compare_models(counts, model, **drawing)))


@models.command("data", cls=Command)
@FILES
@click.option("--model", required=True, help="A model or .stan file.")
@options(COLUMNS, VALUES, LABELS, MEASURE, (OWN_DATA, PRIOR))
def data_(file: tuple[str, ...], model: str, **values: Any) -> None:
    """Print what the Stan program of a model gets of FILE, as JSON that CmdStan reads."""
    from stanoff import count
    from stanoff.engines.stan import to_json
    from stanoff.question import OPTIONS, read

    table, arguments = tables(file, given(values))
    drawing = {name: value for name, value in arguments.items() if name in OPTIONS}
    layout = {name: value for name, value in arguments.items() if name not in OPTIONS}
    if "average" in drawing:
        layout["average"] = drawing["average"]
    question, sampling = read(model=model, **drawing)
    assert sampling.model is not None
    counts = sampling.model.prepare(count(table, kind=question.measure.kind, **layout))
    click.echo(to_json(sampling.model.stan_data(counts, sampling.prior, question.measure)))
