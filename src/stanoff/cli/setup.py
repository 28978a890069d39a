"""``stanoff setup``."""

from __future__ import annotations

import click

from stanoff.cli.base import command
from stanoff.cmdstan.building import WITHOUT
from stanoff.errors import ToolchainError


@command
@click.option("--cmdstan", type=click.Path(), help="Use the CmdStan in this folder.")
@click.option(
    "--toolchain",
    is_flag=True,
    help="Get CmdStan even if the models came compiled: for Stan programs of your own.",
)
@click.argument("models", nargs=-1, metavar="[MODEL]...")
def setup(models: tuple[str, ...], cmdstan: str | None, toolchain: bool) -> None:
    """Get CmdStan if it is not there, and compile the models that did not come compiled.

    These are all models, or only those that are named: another one is compiled when it is used.
    """
    from stanoff.cmdstan.carried import find_carried
    from stanoff.cmdstan.compile import compile_models
    from stanoff.cmdstan.install import ensure_cmdstan
    from stanoff.errors import unknown
    from stanoff.models import MODELS, stan_folder

    with_program = {name: model.stan_file for name, model in MODELS.items() if model.has_program}
    for name in models:
        if name not in with_program:
            raise unknown("models", name, with_program)
    chosen = models or tuple(with_program)
    programs = [with_program[name] for name in chosen]
    carried = [find_carried(program, stan_folder()) for program in programs]
    came = all(one and not one.flaw for one in carried)
    if came and not (cmdstan or toolchain):
        click.echo(
            "Ready: all models came compiled with stanoff. For Stan programs of your own: "
            "stanoff setup --toolchain",
            err=True,
        )
        return
    for one in carried:
        if one and one.flaw:
            click.echo(one.told, err=True)
    try:
        found = ensure_cmdstan(cmdstan)
    except ToolchainError as error:
        raise error if came else ToolchainError(f"{error} {WITHOUT}") from error
    if not came or cmdstan:
        compile_models(programs, stan_folder(), found)
    click.echo(
        f"Ready: CmdStan {found.version[0]}.{found.version[1]} at {found.path} "
        f"({found.origin}), models compiled: {', '.join(chosen)}.",
        err=True,
    )
