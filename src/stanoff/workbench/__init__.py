"""For those who write Stan: begin a program, calibrate it, hold it against others."""

from stanoff.workbench.annotators import annotator_counts
from stanoff.workbench.calibration import Calibration, calibrate
from stanoff.workbench.judges import label_noise_sensitivity
from stanoff.workbench.programs import new_program
from stanoff.workbench.rivals import ModelComparison, compare_models

__all__ = [
    "Calibration",
    "ModelComparison",
    "annotator_counts",
    "calibrate",
    "compare_models",
    "label_noise_sensitivity",
    "new_program",
]
