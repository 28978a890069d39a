"""``stanoff models``."""

from __future__ import annotations

import click

from stanoff.cli.base import Command, main


@main.group(invoke_without_command=True)
@click.pass_context
def models(ctx: click.Context) -> None:
    """List the models; `models check FILE` looks at a Stan program of your own."""
    from stanoff.models import MODELS

    if ctx.invoked_subcommand is None:
        for model in MODELS.values():
            engines = ", ".join(["stan"] * model.program + ["exact"] * bool(model.exact))
            where = model.stan_file if model.program else "drawn by conjugacy"
            click.echo(f"{model.name:24} {engines:12} {where}")


@models.command(cls=Command)
@click.argument("file", type=click.Path())
def check(file: str) -> None:
    """Describe what a Stan program declares and whether stanoff can use it, without compiling."""
    from pathlib import Path

    from stanoff.models.own import examine

    program = examine(Path(file))
    click.echo(f"data:      {', '.join(program.inputs)}")
    click.echo(f"generates: {', '.join(program.outputs)}")
    for problem in program.problems:
        click.echo(f"problem:   {problem}")
    for limit in program.limits:
        click.echo(f"limit:     {limit}")
    if program.problems:
        click.get_current_context().exit(1)
    click.echo(f"{file} can be used: compare(..., model={file!r}).")
