"""What is there: models, measures, CmdStan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stanoff.cli.base import Command, command, main

if TYPE_CHECKING:
    import pandas as pd

FRAME_FORMATS = ("table", "json", "csv", "markdown")


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
@click.option("--invariance", is_flag=True, help="Tell which changes of a table they do not see.")
@click.option("--explain", metavar="MEASURE", help="Tell so of one measure, with examples.")
@click.option(
    "--suited",
    metavar="SITUATION",
    multiple=True,
    help="Tell which measures suit such data: imbalance, multimodal_negatives, "
    "unimodal_negatives, unreliable_labels, many_counterexamples, comparable_proportions, "
    "unknown_proportions. May be repeated.",
)
@click.option("--beta", type=float, default=1.0, show_default=True, help="Beta of F-beta.")
@click.option("--prevalence", type=float, help="Share of positives to judge at.")
@click.option(
    "--format", "style", type=click.Choice(FRAME_FORMATS), default="table", show_default=True
)
def measures(
    invariance: bool, explain: str | None, suited: tuple[str, ...], style: str, **settings: Any
) -> None:
    """List the measures: which way is better, their range and their formula."""
    if invariance + (explain is not None) + bool(suited) > 1:
        raise click.UsageError("--invariance, --explain and --suited exclude each other.")
    if explain is not None:
        from stanoff.invariance import examine

        found = examine(explain, **settings)
        _tell(found.frame(), found.explain(), style)
    elif suited:
        from stanoff.suitability import advice
        from stanoff.suitability import suited as choose

        _tell(choose(suited, **settings), advice(suited, **settings), style)
    elif invariance:
        from stanoff.invariance import overview, table

        _tell(table(**settings), overview(**settings), style)
    else:
        _tell(*_listed(), style)


def _tell(frame: pd.DataFrame, words: str, style: str) -> None:
    """Print a table for scripts and documents, or words for a person."""
    from stanoff import texts

    if style == "json":
        click.echo(texts.dumped(frame.to_dict("records")))
    elif style == "csv":
        click.echo(frame.to_csv(index=False, lineterminator="\n"), nl=False)
    else:
        click.echo(texts.frame_as_markdown(frame) if style == "markdown" else words)


def _listed() -> tuple[pd.DataFrame, str]:
    import pandas as pd

    from stanoff.measures import ALIASES, MEASURES

    rows, lines = [], []
    for measure in MEASURES.values():
        also = [alias for alias, name in ALIASES.items() if name == measure.name]
        better = "higher" if measure.higher_is_better else "lower"
        low, high = (f"{end:g}" for end in measure.range)
        rows.append(
            {"measure": measure.name, "also": " ".join(also), "better": better}
            | {"least": low, "greatest": high, "formula": measure.formula}
        )
        name = " = ".join([*also, measure.name])
        lines.append(f"{name:26} {better:6} is better   {low:>2} to {high:<3}   {measure.formula}")
    return pd.DataFrame(rows), "\n".join(lines)


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
