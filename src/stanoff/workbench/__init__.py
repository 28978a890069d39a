"""For those who write Stan: begin a program, calibrate it, hold it against others."""

from stanoff.workbench.annotators import annotated
from stanoff.workbench.calibration import Calibration, calibrate
from stanoff.workbench.judges import verdicts_by_error
from stanoff.workbench.programs import new_program
from stanoff.workbench.rivals import Rivals, compare_models

__all__ = [
    "Calibration",
    "Rivals",
    "annotated",
    "calibrate",
    "compare_models",
    "new_program",
    "verdicts_by_error",
]
