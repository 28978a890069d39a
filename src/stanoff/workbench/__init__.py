"""For those who write Stan: begin a program, calibrate it, hold it against others."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stanoff.workbench.annotators import annotator_counts
    from stanoff.workbench.calibration import Calibration, calibrate
    from stanoff.workbench.judges import label_noise_sensitivity
    from stanoff.workbench.programs import new_program
    from stanoff.workbench.rivals import ModelComparison, compare_models

_HOME = {
    "Calibration": "calibration",
    "ModelComparison": "rivals",
    "annotator_counts": "annotators",
    "calibrate": "calibration",
    "compare_models": "rivals",
    "label_noise_sensitivity": "judges",
    "new_program": "programs",
}

__all__ = [
    "Calibration",
    "ModelComparison",
    "annotator_counts",
    "calibrate",
    "compare_models",
    "label_noise_sensitivity",
    "new_program",
]


def __getattr__(name: str) -> object:
    # A result uses the checks of this package, and some of its functions make results: they load
    # when they are first used.
    if name not in _HOME:
        raise AttributeError(f"module 'stanoff.workbench' has no attribute {name!r}")
    return getattr(import_module(f"stanoff.workbench.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
