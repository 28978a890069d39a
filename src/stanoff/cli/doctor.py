"""``stanoff doctor``."""

from __future__ import annotations

import click

from stanoff.cli.base import command
from stanoff.cli.setup import WITHOUT


@command
def doctor() -> None:
    """Say what is there, what is missing, and what to do about it."""
    from stanoff.engines.doctor import examine
    from stanoff.models import MODELS

    findings = examine([model.stan_file for model in MODELS.values() if model.has_program])
    for finding in findings:
        status = "ok     " if finding.good else "MISSING"
        click.echo(f"{status}  {finding.subject}: {finding.description}")
        if not finding.good:
            click.echo(f"         -> {finding.advice}")
    if not all(finding.good for finding in findings):
        click.echo(WITHOUT)
        click.get_current_context().exit(1)
