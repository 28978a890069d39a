"""Rebuild Zhang et al. (2016) from the predictions: its tables and figures, and what is beyond."""

from pathlib import Path

from common import About, write_report

from zhang2016 import beyond, paper, ranked, study_tables
from zhang2016.experiment import HERE

ABOUT = About(
    title="Bayesian Performance Comparison of Text Classifiers, rebuilt",
    subtitle="After Dell Zhang, Jun Wang, Emine Yilmaz, Xiaoling Wang and Yuxin Zhou, SIGIR 2016: "
    "from 7,532 predictions to its tables and figures, and beyond them.",
    heading="Bayesian performance comparison of text classifiers (2016)",
    text="The paper that stanoff implements, rebuilt from the predictions of four classifiers on "
    "20newsgroups: its Tables 3 to 6 next to the printed numbers, its Figures 1 to 6, and what "
    "the same predictions say beyond it.",
    figure="figure6",
    caption="NB_Mult is practically equivalent to SVM_L2 in F1 on category 8.",
)
SECTIONS = (
    *(paper.data, paper.models, paper.one_case, paper.power, paper.tables),
    *(study_tables.averages, beyond.contest, beyond.hierarchical, beyond.other_measures),
    *(ranked.section, beyond.sensitivity, beyond.more_documents),
)


def build(folder: Path = HERE) -> None:
    """Write the tables, the figures and the page."""
    write_report(ABOUT, SECTIONS, folder)
