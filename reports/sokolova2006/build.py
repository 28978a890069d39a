"""Rebuild Table 10 of Sokolova & Lapalme (2006), and add how sure its rankings are."""

from pathlib import Path

from common import About, write_report

from sokolova2006 import sections
from sokolova2006.table10 import HERE

ABOUT = About(
    title="Ten measures rank two classifiers",
    subtitle="Table 10 of M. Sokolova and G. Lapalme, Performance Measures in Classification of "
    "Human Communications (2006): computed again, checked, and with the uncertainty it lacks",
    heading="Performance measures in classification of human communications (2006)",
    text="The invariance of every measure, the table of Sokolova and Lapalme computed again and "
    "corrected, and how probable each of its rankings is.",
    figure="forest",
    caption="What the same two confusion matrices say in each measure.",
)
SECTIONS = (
    sections.again,
    sections.differences,
    sections.rankings,
    sections.signs,
    sections.advised,
)


def build(folder: Path = HERE) -> None:
    """Write the tables, the figure and the page."""
    write_report(ABOUT, SECTIONS, folder)
