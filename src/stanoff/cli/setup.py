"""``stanoff setup``."""

from __future__ import annotations

import click

from stanoff.cli.base import command
from stanoff.cmdstan.building import WITHOUT
from stanoff.errors import ToolchainError


@command
@click.option("--cmdstan", type=click.Path(), help="Use the CmdStan in this folder.")
def setup(cmdstan: str | None) -> None:
    """Get CmdStan if it is not there, and compile the models."""
    from stanoff.cmdstan.compile import compile_models
    from stanoff.cmdstan.install import ensure_cmdstan
    from stanoff.models import MODELS, stan_folder

    try:
        found = ensure_cmdstan(cmdstan)
    except ToolchainError as error:
        raise ToolchainError(f"{error} {WITHOUT}") from error
    programs = [model.stan_file for model in MODELS.values() if model.program]
    compile_models(programs, stan_folder(), found)
    click.echo(
        f"Ready: CmdStan {found.version[0]}.{found.version[1]} at {found.path} "
        f"({found.origin}), models compiled: {', '.join(MODELS)}.",
        err=True,
    )
