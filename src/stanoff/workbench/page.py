"""The page of a calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stanoff.report.document import Figure, Paragraph, Section, Table, document
from stanoff.report.figures import as_bytes

if TYPE_CHECKING:
    from stanoff.workbench.calibration import Calibration

MOST_HISTOGRAMS = 6


def page(calibration: Calibration) -> str:
    """Write the verdict, the table and the figures of a calibration as a page."""
    n = len(calibration.ranks)
    names = calibration.variables[:MOST_HISTOGRAMS]
    how = (
        f"{n:,} times, true values were drawn from the prior and documents given these; the "
        f"program was fitted to the documents, and the true values were ranked among "
        f"{calibration.kept} of its draws. If it draws from its own posterior, all ranks are "
        f"equally probable (Talts et al. 2018). Seed {calibration.seed}."
    )
    table = Table(
        calibration.shown_table(),
        "p-values of uniform ranks, each alone and all together (Holm). The test looks at the "
        "whole distribution at once (Säilynoja et al. 2022).",
    )
    ecdf = Figure(
        as_bytes(calibration.plot_ecdf(), "svg"),
        "Distribution of the ranks less the uniform one. With a probability of 95 %, all of a line "
        "stays within the band if its ranks are uniform.",
    )
    histograms = [
        Figure(as_bytes(calibration.plot_ranks(name), "svg"), f"Ranks of {name}.") for name in names
    ]
    return document(
        f"Calibration of {calibration.program}",
        [
            Section("Verdict", [Paragraph(calibration.sentence()), table]),
            Section("All ranks", [ecdf]),
            Section("Histograms", histograms),
            Section("How it was done", [Paragraph(how)]),
        ],
    )
