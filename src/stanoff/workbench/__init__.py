"""For those who write Stan: begin a program, calibrate it, hold it against others."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stanoff.workbench.calibration import Calibration, calibrate
    from stanoff.workbench.model_comparison import (
        ModelComparison,
        annotator_counts,
        compare_models,
        label_noise_sensitivity,
    )
    from stanoff.workbench.programs import cmdstan_model, new_program

_MODULES = {
    **dict.fromkeys(("Calibration", "calibrate"), "calibration"),
    **dict.fromkeys(
        ("ModelComparison", "annotator_counts", "compare_models", "label_noise_sensitivity"),
        "model_comparison",
    ),
    **dict.fromkeys(("cmdstan_model", "new_program"), "programs"),
}

__all__ = [
    "Calibration",
    "ModelComparison",
    "annotator_counts",
    "calibrate",
    "cmdstan_model",
    "compare_models",
    "label_noise_sensitivity",
    "new_program",
]


def __getattr__(name: str) -> object:
    # A result uses the checks of this package, and some of its functions make results: they load
    # when they are first used.
    if name not in _MODULES:
        raise AttributeError(f"module 'stanoff.workbench' has no attribute {name!r}")
    return getattr(import_module(f"stanoff.workbench.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
