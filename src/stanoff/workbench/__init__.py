"""For those who write Stan: begin a program, calibrate it, hold it against others."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stanoff.workbench.calibration import Calibration, calibrate
    from stanoff.workbench.label_noise import annotator_counts, label_noise_sensitivity
    from stanoff.workbench.model_comparison import ModelComparison, compare_models
    from stanoff.workbench.programs import cmdstan_model
    from stanoff.workbench.templates import new_program

_MODULES = {
    "calibration": ["Calibration", "calibrate"],
    "label_noise": ["annotator_counts", "label_noise_sensitivity"],
    "model_comparison": ["ModelComparison", "compare_models"],
    "programs": ["cmdstan_model"],
    "templates": ["new_program"],
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
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"stanoff.workbench.{module}"), name)
    raise AttributeError(f"module 'stanoff.workbench' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
