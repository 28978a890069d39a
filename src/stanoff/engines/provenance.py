"""Where a result comes from: the versions behind it and the program that was run."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any

from stanoff import __version__
from stanoff.engines.programs import program_hash, program_sources
from stanoff.engines.toolchain import cmdstan_version
from stanoff.models import Model

PACKAGES = {"numpy": "numpy", "arviz": "arviz-base"}


@dataclass(frozen=True)
class Provenance:
    """What it takes to tell, or to repeat, how a result came about.

    Attributes
    ----------
    versions : mapping
        Of stanoff, python, numpy and arviz; where Stan drew, of cmdstan and cmdstanpy, too.
    program : str or None
        The SHA-256 hash of the Stan program and all that it includes; None if none was run.
    sources : tuple of tuple of str
        Name and text of the program and of what it includes.
    settings : mapping
        How much was drawn: chains, draws, warmup.
    """

    versions: Mapping[str, str] = field(default_factory=dict)
    program: str | None = None
    sources: tuple[tuple[str, str], ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


def gather(model: Model, engine: str, settings: Mapping[str, Any]) -> Provenance:
    """Take down what is there now."""
    versions = {"stanoff": __version__, "python": platform.python_version(), **_versions()}
    if engine != "stan":
        return Provenance(versions, settings=dict(settings))
    file = model.stan_file
    if number := cmdstan_version(file):
        versions["cmdstan"] = ".".join(map(str, number))
    versions["cmdstanpy"] = version("cmdstanpy")
    return Provenance(versions, program_hash(file), program_sources(file), dict(settings))


@cache
def _versions() -> dict[str, str]:
    return {name: version(package) for name, package in PACKAGES.items()}
