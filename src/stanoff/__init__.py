"""Is classifier A really better than classifier B? A verdict, judged in Stan."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stanoff import invariance, measures, plots, significance, suitability
    from stanoff.comparison import compare, compare_counts
    from stanoff.counts import PairedCounts, UnpairedCounts
    from stanoff.decision import Decision
    from stanoff.errors import InputError, SamplingWarning, StanoffError, ToolchainError
    from stanoff.evidence import Evidence
    from stanoff.planning.plan import plan
    from stanoff.planning.power import power
    from stanoff.planning.scenarios import Scenario
    from stanoff.priors import Prior
    from stanoff.result import Comparison
    from stanoff.saving import load

__version__ = "0.1.0"

_HOME = {
    "compare": "comparison",
    "compare_counts": "comparison",
    "Comparison": "result",
    "Decision": "decision",
    "Evidence": "evidence",
    "InputError": "errors",
    "PairedCounts": "counts",
    "Prior": "priors",
    "SamplingWarning": "errors",
    "Scenario": "planning.scenarios",
    "StanoffError": "errors",
    "ToolchainError": "errors",
    "UnpairedCounts": "counts",
    "load": "saving",
    "plan": "planning.plan",
    "power": "planning.power",
}

_MODULES = ("invariance", "measures", "plots", "significance", "suitability")

__all__ = [
    "Comparison",
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
    "invariance",
    "load",
    "measures",
    "plan",
    "plots",
    "power",
    "significance",
    "suitability",
]


def __getattr__(name: str) -> object:
    # A public name loads its module when it is first used, so that the import is instant.
    if name in _MODULES:
        return import_module(f"stanoff.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'stanoff' has no attribute {name!r}")
    return getattr(import_module(f"stanoff.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
