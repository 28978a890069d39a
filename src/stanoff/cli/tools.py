"""What is there: models, measures, CmdStan."""

from __future__ import annotations

import click

from stanoff.cli.base import Command, command, main


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
    """Tell what a Stan program declares and whether stanoff can use it; nothing is compiled."""
    from pathlib import Path

    from stanoff.own_models import examine

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


@command
def measures() -> None:
    """List the measures: which way is better, their range and their formula."""
    from stanoff.measures import ALIASES, MEASURES

    for measure in MEASURES.values():
        also = [alias for alias, name in ALIASES.items() if name == measure.name]
        name = " = ".join([*also, measure.name])
        better = "higher" if measure.higher_is_better else "lower"
        low, high = measure.range
        click.echo(f"{name:26} {better:6} is better   {low:2g} to {high:<3g}   {measure.formula}")


@command
@click.option("--cmdstan", type=click.Path(), help="Use the CmdStan in this folder.")
def setup(cmdstan: str | None) -> None:
    """Get CmdStan if it is not there, and compile the models."""
    from stanoff.models import MODELS, stan_folder
    from stanoff.toolchain import compile_models, ensure_cmdstan

    found = ensure_cmdstan(cmdstan)
    programs = [model.stan_file for model in MODELS.values() if model.program]
    compile_models(programs, stan_folder(), found)
    click.echo(
        f"Ready: CmdStan {found.version[0]}.{found.version[1]} at {found.path} "
        f"({found.origin}), models compiled: {', '.join(MODELS)}.",
        err=True,
    )


@command
def doctor() -> None:
    """Tell what is there, what is missing, and what to do about it."""
    from stanoff.doctor import examine

    findings = examine()
    for finding in findings:
        click.echo(f"{'ok     ' if finding.good else 'MISSING'}  {finding.what}: {finding.found}")
        if not finding.good:
            click.echo(f"         -> {finding.advice}")
    if not all(finding.good for finding in findings):
        click.get_current_context().exit(1)
