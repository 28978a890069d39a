"""Is system A really better than system B? A verdict, judged in Stan."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stanoff import datasets, measures, plots, significance, workbench
    from stanoff.api import compare, compare_counts, contest, load
    from stanoff.data.load import count
    from stanoff.data.types import PairedCounts, UnpairedCounts
    from stanoff.errors import InputError, SamplingWarning, StanoffError, ToolchainError
    from stanoff.inference.decision import Decision
    from stanoff.inference.evidence import Evidence
    from stanoff.measures import invariance, recommend
    from stanoff.models.priors import Prior
    from stanoff.planning.plan import plan
    from stanoff.planning.power import power
    from stanoff.planning.scenario import AucScenario, Scenario
    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest

__version__ = "0.3.0"

_HOMES = {  # what is public of each module
    "api": "compare compare_counts contest load",
    "data.load": "count",
    "data.types": "PairedCounts UnpairedCounts",
    "errors": "InputError SamplingWarning StanoffError ToolchainError",
    "inference.decision": "Decision",
    "inference.evidence": "Evidence",
    "models.priors": "Prior",
    "planning.plan": "plan",
    "planning.power": "power",
    "planning.scenario": "AucScenario Scenario",
    "results.comparison": "Comparison",
    "results.contest": "Contest",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
_MODULES = {"invariance": "measures.invariance", "recommend": "measures.recommend"}
_MODULES |= {name: name for name in ("datasets", "measures", "plots", "significance", "workbench")}

__all__ = [
    "AucScenario",
    "Comparison",
    "Contest",
    "Decision",
    "Evidence",
    "InputError",
    "PairedCounts",
    "Prior",
    "SamplingWarning",
    "Scenario",
    "StanoffError",
    "ToolchainError",
    "UnpairedCounts",
    "compare",
    "compare_counts",
    "contest",
    "count",
    "datasets",
    "invariance",
    "load",
    "measures",
    "plan",
    "plots",
    "power",
    "recommend",
    "significance",
    "workbench",
]


def __getattr__(name: str) -> object:
    # A public name loads its module when it is first used, so that the import is instant.
    if name in _MODULES:
        return import_module(f"stanoff.{_MODULES[name]}")
    if name not in _HOME:
        raise AttributeError(f"module 'stanoff' has no attribute {name!r}")
    return getattr(import_module(f"stanoff.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
