"""The command line: thin commands over the functions of the package."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from stanoff import __version__
from stanoff.errors import StanoffError

FORMATS = ("table", "json", "csv", "markdown")


class _Command(click.Command):
    """A command whose known failures are one sentence on stderr and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except StanoffError as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(1)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(130)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="stanoff")
def main() -> None:
    """Is classifier A really better than classifier B? A verdict, judged in Stan."""


def _command(function: Callable[..., None]) -> click.Command:
    return main.command(cls=_Command)(function)


@_command
@click.argument("file")
@click.option("--truth", required=True, help="Column of true labels.")
@click.option("--a", required=True, help="Column of A's predictions.")
@click.option("--b", required=True, help="Column of B's predictions.")
@click.option("--positive", help="The positive label.  [default: 1]")
@click.option(
    "--average",
    type=click.Choice(["macro", "micro", "weighted"]),
    help="Judge all categories together.",
)
@click.option("--measure", default="f1", show_default=True, help="See: stanoff measures.")
@click.option("--beta", type=float, default=1.0, show_default=True, help="Beta of F-beta.")
@click.option("--prevalence", type=float, help="Share of positives to judge at.")
@click.option(
    "--rope",
    type=float,
    default=0.05,
    show_default=True,
    help="Half-width of the region of practical equivalence.",
)
@click.option(
    "--hdi",
    type=float,
    default=0.95,
    show_default=True,
    help="Probability of the highest density interval.",
)
@click.option(
    "--model", default="paired", show_default=True, help="See: stanoff models. Or a .stan file."
)
@click.option("--engine", type=click.Choice(["stan", "exact"]), help="Stan unless told.")
@click.option("--draws", type=int, help="Draws to keep per chain.")
@click.option("--chains", type=int, help="Chains.")
@click.option("--warmup", type=int, help="Draws to discard per chain.")
@click.option("--seed", type=int, help="Makes every number reproducible.")
@click.option("--format", "style", type=click.Choice(FORMATS), default="table", show_default=True)
def compare(
    file: str, truth: str, a: str, b: str, positive: str | None, style: str, **options: Any
) -> None:
    """Compare two columns of predictions in FILE (CSV, Parquet or JSON lines)."""
    import warnings

    from stanoff.comparison import compare as run
    from stanoff.errors import SamplingWarning
    from stanoff.tables import as_text

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # the result tells it in its own words
        result = run(
            file, truth=truth, a=a, b=b, pos_label=positive, progress=sys.stderr.isatty(), **options
        )
    click.echo(as_text(result, style))


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


@models.command(cls=_Command)
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


@_command
def measures() -> None:
    """List the measures: which way is better, their range and their formula."""
    from stanoff.measures import ALIASES, MEASURES

    for measure in MEASURES.values():
        also = [alias for alias, name in ALIASES.items() if name == measure.name]
        name = " = ".join([*also, measure.name])
        better = "higher" if measure.higher_is_better else "lower"
        low, high = measure.range
        click.echo(f"{name:26} {better:6} is better   {low:2g} to {high:<3g}   {measure.formula}")


@_command
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


@_command
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
