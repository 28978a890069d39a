"""From draws of the cells to the scores of a measure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stanoff import measures
from stanoff.counts import AVERAGES
from stanoff.errors import InputError
from stanoff.measures import Measure
from stanoff.result import Comparison


def judged(result: Comparison, measure: Measure, *, by_stan: bool = False) -> Comparison:
    """Put the scores of a measure beside the draws of the cells.

    Parameters
    ----------
    result : a comparison whose draws hold ``cells_A`` and ``cells_B``
    measure : how to score them
    by_stan : the draws hold the scores of the categories already
    """
    scored = []
    if not by_stan or result.average:
        _need_cells(result)
    for group in (result.draws.posterior, result.draws.prior):
        scores: dict[str, NDArray[np.float64]] = {}
        if (by_stan and not result.average) or not group:
            scored.append(scores)
            continue
        for name in ("A", "B"):
            cells = group[f"cells_{name}"]
            known = by_stan and f"psi_{name}" in group
            scores[f"psi_{name}"] = group[f"psi_{name}"] if known else measure(cells)
            for average in AVERAGES if result.average else ():
                scores[f"psi_{name}_{average}"] = (
                    measures.of_classes(measure, cells, average)
                    if result.model.classes
                    else measures.averaged(measure, cells, average)
                )
        for name in [name for name in scores if name.startswith("psi_A")]:
            ending = name.removeprefix("psi_A")
            scores[f"delta{ending}"] = scores[name] - scores[f"psi_B{ending}"]
        scored.append(scores)
    seen = {**result.draws.posterior, **scored[0]}
    undefined = sum(int(np.isnan(v).sum()) for k, v in seen.items() if k.startswith("delta"))
    if undefined:
        why = "0/0, and zero_division is NaN"
        if not np.isnan(measure.zero_division):
            why = "infinite for both classifiers, or not a number"
        raise InputError(
            f"{measure.label} has no difference in {undefined} draws, where it is {why}: choose "
            "another zero_division, another measure or a stronger prior."
        )
    return replace(result, measure_used=measure, draws=result.draws.with_variables(*scored))


def _need_cells(result: Comparison) -> None:
    if not {"cells_A", "cells_B"} <= set(result.draws.posterior):
        raise InputError(
            f"{result.model.name} does not generate cells_A and cells_B, so that there are no "
            "averages and no other measures."
        )
