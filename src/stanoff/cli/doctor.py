"""``stanoff doctor``."""

from __future__ import annotations

import click

from stanoff.cli.base import command
from stanoff.cmdstan.building import WITHOUT


@command
def doctor() -> None:
    """Say what is there, what is missing, and what to do about it."""
    from stanoff.cmdstan.doctor import examine

    findings = examine()
    for finding in findings:
        click.echo(f"{'ok     ' if finding.good else 'MISSING'}  {finding.what}: {finding.found}")
        if not finding.good:
            click.echo(f"         -> {finding.advice}")
    if not all(finding.good for finding in findings):
        click.echo(WITHOUT)
        click.get_current_context().exit(1)
