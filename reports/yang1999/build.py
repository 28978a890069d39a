"""Rebuild the tables and figures of Yang and Liu (1999), and judge the same pairs in Stan's way.

The first part starts from the scores that the paper printed, the second from
``decisions.jsonl.gz``, which ``train.py`` made.
"""

from pathlib import Path

from common import About, write_report

from yang1999 import printed_sections as first
from yang1999 import reuters_sections as second
from yang1999.published import HERE

ABOUT = About(
    title="Yang and Liu (1999), rebuilt",
    subtitle="The significance tests of “A re-examination of text categorization methods” (SIGIR "
    "1999), and what the Bayesian comparison says about the same classifiers.",
    heading="A re-examination of text categorization methods (1999)",
    text="The significance tests of Yang and Liu beside the Bayesian verdicts, from their "
    "published table and from five classifiers trained on Reuters-21578.",
    figure="figure4",
    caption="Macro-averaged F1 against how often the categories occur in training.",
)
SECTIONS = (
    first.scores,
    first.side_by_side,
    second.experiment,
    second.tests,
    second.hierarchical,
    second.contest,
    second.frequencies,
)


def build(folder: Path = HERE) -> None:
    """Write the tables, the figures and the page."""
    write_report(ABOUT, SECTIONS, folder)
