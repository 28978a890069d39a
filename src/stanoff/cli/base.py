"""The root of the command line, and what its commands have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stanoff import __version__
from stanoff.errors import StanoffError


class Command(click.Command):
    """A command whose known failures are one sentence on stderr and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
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


def command(function: Callable[..., None]) -> click.Command:
    """Make a function a command of stanoff."""
    return main.command(cls=Command)(function)
