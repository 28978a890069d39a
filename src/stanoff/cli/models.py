"""``stanoff models``, ``stanoff setup`` and ``stanoff doctor``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stanoff import workbench
from stanoff.cli.base import Command, command, echo
from stanoff.cli.compare import OTHER_VERDICT
from stanoff.cli.options import COMPARE, FILES, options, table_of, typed_options
from stanoff.data.load import count
from stanoff.data.types import Data
from stanoff.engines import toolchain
from stanoff.engines.cmdstan import usable_bundle
from stanoff.engines.stan import to_json
from stanoff.errors import ToolchainError, unknown
from stanoff.models import MODELS, is_conjugate, suit
from stanoff.models.custom import inspect_program
from stanoff.options import FIT, select
from stanoff.question import Question, read

WITHOUT = "Without it, `stanoff compare ... --engine exact` works at once."
OF_SEVERAL = tuple(name for name in COMPARE if name not in ("model", "engine"))


@click.group(invoke_without_command=True)
@click.pass_context
def models(ctx: click.Context) -> None:
    """List the models; begin, check, calibrate and compare Stan programs of your own."""
    if ctx.invoked_subcommand is None:
        for model in MODELS.values():
            engines = ", ".join(["stan"] * bool(model.inputs) + ["exact"] * is_conjugate(model))
            where = model.stan_file if model.inputs else "drawn by conjugacy"
            echo(f"{model.name:24} {engines:12} {where}")


@models.command(cls=Command)
@click.argument("file", type=click.Path())
def check(file: str) -> None:
    """Describe what a Stan program declares and whether stanoff can use it, without compiling."""
    program = inspect_program(Path(file))
    echo(f"data:      {', '.join(program.inputs)}")
    for name in program.user_data:
        declared = program.inputs[name]
        size = f"{declared['dimensions']} dimensions" if declared["dimensions"] else "one number"
        echo(f"own data:  {name}: {declared['type']}, {size}; pass it by data= or --data")
    echo(f"generates: {', '.join(program.outputs)}")
    for problem in program.problems:
        echo(f"problem:   {problem}")
    for limit in program.limits:
        echo(f"limit:     {limit}")
    if program.problems:
        click.get_current_context().exit(1)
    echo(f"{file} can be used: compare(..., model={file!r}).")


@models.command(cls=Command)
@click.argument("file", type=click.Path())
@click.option("--from", "base", help="What to begin with.  [default: paired]")
def new(file: str, base: str | None) -> None:
    """Write a commented Stan program that keeps the contract, to be changed."""
    workbench.new_program(file, **typed_options({"base": base}))
    echo(f"{file} is written. Next: stanoff models check {file}")


@models.command(cls=Command)
@click.argument("model")
@click.option("--simulations", type=int, help="Data sets to draw and fit.  [default: 200]")
@click.option("--documents", type=int, help="Documents per category, or items.  [default: 120]")
@click.option("--categories", type=int, help="Categories.  [default: 3]")
@options("measure", "beta", "zero_division", "prevalence", "clip", "data", "prior", "seed")
@click.option("--out", type=click.Path(), help="Also write a page.")
def calibrate(model: str, out: str | None, **values: Any) -> None:
    """Find out by simulation whether a Stan program draws from its own posterior.

    MODEL is the path of a program that draws documents, scores or values where `simulate` is 1, or
    the name of a model. The exit code is 3 if the ranks of the truth are not uniform.
    """
    calibration = workbench.calibrate(model, progress=True, **typed_options(values))
    echo(repr(calibration))
    if out is not None:
        echo(f"{calibration.to_html(out)} has the figures.")
    if not calibration.calibrated:
        click.get_current_context().exit(OTHER_VERDICT)


@models.command("compare", cls=Command)
@FILES
@click.option("--model", multiple=True, required=True, help="A model or .stan file; repeat it.")
@options(*OF_SEVERAL)
def compare_models(file: tuple[str, ...], model: tuple[str, ...], **values: Any) -> None:
    """Fit several models to the same FILE, and tell how their verdicts differ."""
    counts, asked = _count(file, values)
    echo(repr(workbench.compare_models(counts, model, **asked)))


@models.command("data", cls=Command)
@FILES
@click.option("--model", required=True, help="A model or .stan file.")
@options(*OF_SEVERAL)
def print_data(file: tuple[str, ...], model: str, **values: Any) -> None:
    """Print what the Stan program of a model gets of FILE, as JSON that CmdStan reads."""
    counts, asked = _count(file, values)
    question, sampling = read(model=model, **asked)
    fitted, counts = suit(sampling.model, counts)
    echo(to_json(fitted.stan_data(counts, sampling.prior, question.measure)))


def _count(file: tuple[str, ...], values: dict[str, Any]) -> tuple[Data, dict[str, Any]]:
    """Count what is in FILE; return the options of question and sampling beside it."""
    settings = typed_options(values)
    asked = select(settings, FIT)
    reading = {name: value for name, value in settings.items() if name not in FIT}
    kind = Question.read(**select(settings, ("measure",))).measure.reads
    return count(table_of(file), kind=kind, average=asked.get("average"), **reading), asked


@command
@click.option("--cmdstan", type=click.Path(), help="Use the CmdStan in this folder.")
@click.option(
    "--toolchain",
    "compiler",
    is_flag=True,
    help="Get CmdStan even if the models came compiled: for Stan programs of your own.",
)
@click.argument("names", nargs=-1, metavar="[MODEL]...")
def setup(names: tuple[str, ...], cmdstan: str | None, compiler: bool) -> None:
    """Get CmdStan if it is not there, and compile the models that did not come compiled.

    These are all models, or only those that are named: another one is compiled when it is used.
    """
    programs = {name: model.stan_file for name, model in MODELS.items() if model.inputs}
    for name in names:
        if name not in programs:
            raise unknown("MODEL", name, programs)
    selected = {name: programs[name] for name in names or programs}
    bundles = [usable_bundle(file) for file in selected.values()]
    bundled = all(bundle and not bundle.flaw for bundle in bundles)
    if bundled and not (cmdstan or compiler):
        own = "For Stan programs of your own: stanoff setup --toolchain"
        echo(f"Ready: all models came compiled with stanoff. {own}", err=True)
        return
    for bundle in bundles:
        if bundle and bundle.flaw:
            echo(bundle.flaw, err=True)
    try:
        installed = toolchain.ensure_cmdstan(cmdstan)
    except ToolchainError as error:
        raise error if bundled else ToolchainError(f"{error} {WITHOUT}") from error
    if not bundled or cmdstan:
        toolchain.compile_programs(list(selected.values()), installed)
    where = f"{installed.label} at {installed.path} ({installed.source})"
    echo(f"Ready: {where}, models compiled: {', '.join(selected)}.", err=True)


@command
def doctor() -> None:
    """Say what is there, what is missing, and what to do about it."""
    findings = toolchain.examine([m.stan_file for m in MODELS.values() if m.inputs])
    for finding in findings:
        status = "ok     " if finding.good else "MISSING"
        echo(f"{status}  {finding.subject}: {finding.description}")
        if not finding.good:
            echo(f"         -> {finding.advice}")
    if not all(finding.good for finding in findings):
        echo(WITHOUT)
        click.get_current_context().exit(1)
