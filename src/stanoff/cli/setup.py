"""``stanoff setup``."""

from __future__ import annotations

import click

from stanoff.cli.base import command
from stanoff.errors import ToolchainError

WITHOUT = "Without it, `stanoff compare ... --engine exact` works at once."


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
    from stanoff.engines.install import ensure_cmdstan
    from stanoff.engines.toolchain import compile_programs, usable_bundle
    from stanoff.errors import unknown
    from stanoff.models import MODELS

    programs = {name: model.stan_file for name, model in MODELS.items() if model.has_program}
    for name in models:
        if name not in programs:
            raise unknown("models", name, programs)
    selected = {name: programs[name] for name in models or programs}
    bundles = [usable_bundle(file) for file in selected.values()]
    bundled = all(bundle and not bundle.flaw for bundle in bundles)
    if bundled and not (cmdstan or toolchain):
        click.echo(
            "Ready: all models came compiled with stanoff. For Stan programs of your own: "
            "stanoff setup --toolchain",
            err=True,
        )
        return
    for bundle in bundles:
        if bundle and bundle.flaw:
            click.echo(bundle.flaw, err=True)
    try:
        found_cmdstan = ensure_cmdstan(cmdstan)
    except ToolchainError as error:
        raise error if bundled else ToolchainError(f"{error} {WITHOUT}") from error
    if not bundled or cmdstan:
        compile_programs(list(selected.values()), found_cmdstan)
    click.echo(
        f"Ready: {found_cmdstan.label} at {found_cmdstan.path} ({found_cmdstan.source}), "
        f"models compiled: {', '.join(selected)}.",
        err=True,
    )
