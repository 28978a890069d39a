"""At which error of the labels a verdict flips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from stanoff._lib.arguments import check_float
from stanoff.data.types import Data
from stanoff.engines.programs import stan_folder
from stanoff.errors import invalid
from stanoff.fit import fit
from stanoff.question import read

ERRORS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2)
KNOWN = 1_000_000  # documents of a calibration set that leaves nothing open


def label_noise_sensitivity(
    counts: Data, errors: Sequence[float] = ERRORS, **options: Any
) -> pd.DataFrame:
    """Judge the same labels under several shares of wrong ones among them.

    The model is ``stan/examples/noisy_truth.stan``: the labels of both classes are taken to be
    wrong with this probability, independently of what the systems said.

    Parameters
    ----------
    counts : Data
        What :func:`stanoff.count` returned: by the labels, as if they were true.
    errors : sequence of float
        Shares of wrong labels, from 0 to less than 0.5.
    **options
        As in :func:`stanoff.compare`.

    Returns
    -------
    DataFrame
        A row per share: ``error``, ``mean``, ``hdi_low``, ``hdi_high``, ``decision``, and
        ``flipped``, whether the decision is another than that of the first row.
    """
    shares = [check_float("errors", error, "a number from 0 to less than 0.5") for error in errors]
    if not shares or not all(0 <= share < 0.5 for share in shares):
        raise invalid("errors", "from 0 to less than 0.5", list(errors))
    rows: list[dict[str, Any]] = []
    for share in shares:
        right = round(KNOWN * (1 - share))
        known = {"calibration": [right, KNOWN, right, KNOWN], "errors": [1, 1]}
        program = str(stan_folder() / "examples/noisy_truth.stan")
        question, sampling = read(model=program, data=known, **options)
        a, b = counts.systems
        said = fit(counts, question, sampling).between(a, b, question).evidence()
        row = {"error": share, "mean": said.mean, "hdi_low": said.hdi[0], "hdi_high": said.hdi[1]}
        rows.append(row | {"decision": str(said.decision)})
    table = pd.DataFrame(rows)
    return table.assign(flipped=table["decision"] != table["decision"].iloc[0])
