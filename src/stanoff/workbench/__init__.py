"""For those who write Stan: begin a program, calibrate it, hold it against others."""

from stanoff.workbench.calibration import Calibration, calibrate
from stanoff.workbench.label_noise import annotator_counts, label_noise_sensitivity
from stanoff.workbench.model_comparison import ModelComparison, compare_models
from stanoff.workbench.templates import new_program

__all__ = [
    "Calibration",
    "ModelComparison",
    "annotator_counts",
    "calibrate",
    "compare_models",
    "label_noise_sensitivity",
    "new_program",
]
