"""Show the long simulations, whose results are kept beside this script, on one page.

They are made by ``python -m validation.NAME`` in the folder ``reports``, where NAME is ``table3``,
``verdicts``, ``contests``, ``items``, ``folds``, ``resampling``, ``rivals``, ``scores`` or ``sbc``.
"""

from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from common import REPORTS, About, Output, write_report

from stanoff.report.document import Section
from validation import contests, folds, items, resampling, rivals, sbc, scores, table3, verdicts
from validation.harness import kept

HERE = REPORTS / "validation"
ABOUT = About(
    title="How far to trust stanoff",
    subtitle="Simulations in which the truth is known: the power of the models, how often the "
    "verdicts are right, and whether the Stan programs draw from their posteriors.",
    heading="How far to trust stanoff",
    text="Simulations in which the truth is known: the power of the models against the paper's "
    "Table 3, how often each verdict is right, and the calibration of every Stan program.",
    figure="verdicts",
    caption="How often the verdicts are right.",
)


class Study(NamedTuple):
    """A section: what ``notes``, ``figure`` and ``shown`` of a module make of its stored table."""

    title: str
    module: ModuleType
    figure_caption: str = ""
    table_caption: str = ""
    introduction: str = ""

    def __call__(self, out: Output) -> Section:
        """Make the section."""
        name = self.module.__name__.rpartition(".")[2]
        table = kept(name)
        blocks = [*filter(None, [self.introduction]), self.module.notes(table)]
        if self.figure_caption:
            blocks.append(out.figure(name, lambda: self.module.figure(table), self.figure_caption))
        if self.table_caption:
            shown = self.module.shown(table)
            look = {"row_headings": False, "folded": len(shown) > 20}
            blocks.append(out.table(name, shown, self.table_caption, **look))
        return Section(self.title, blocks)


STUDIES = (
    Study(
        "Power",
        table3,
        "Power against the size of the test set; the crosses are the printed numbers.",
        "Power of the two models, ours with Monte-Carlo standard error, and as printed.",
    ),
    Study(
        "Verdicts",
        verdicts,
        ABOUT.caption,
        "How often each verdict is reached, is right and is wrong, and how often the tests "
        "reject, in percent. corr.: correlation; side: to the wrong side.",
    ),
    Study(
        "Contests",
        contests,
        "How often a statement is true against how probable the contest said it is: tenths "
        "with 300 cases or more, of accuracy, F1, means and AUC.",
        introduction="Contests of 6 and of 20 systems on 400 documents, of which some are hard "
        "for all. The true scores are normal, with a spread of 0.2 to 5 standard errors; "
        "the ROPE is two standard errors.",
    ),
    Study(
        "Values per item",
        items,
        table_caption="How often 95% HDIs hold the true difference. n: items, or clusters or data "
        "sets.",
    ),
    rivals.section,
    Study(
        "Cross-validation",
        folds,
        table_caption="In percent, how often 95% intervals hold the true difference and how often "
        f"a verdict with a ROPE of ±{folds.ROPE:g} is settled and wrong; and how wide they are.",
    ),
    Study(
        "Training seeds, many data sets, out-of-fold predictions",
        resampling,
        table_caption="How often 95% intervals hold the truth. sd: of accuracies over copies; the "
        "scale of differences over data sets; or of what a training set does, in log-odds.",
    ),
    Study(
        "Scores",
        scores,
        "How often 95% intervals hold the true difference, with two standard errors.",
        "Share of data sets whose interval holds the true difference, in percent, its "
        "Monte-Carlo error, and the mean width of the intervals.",
    ),
    Study(
        "Calibration",
        sbc,
        "Ranks of the truth; the grey line is what a uniform distribution would have.",
        "Chi-square tests that the ranks are uniform. Of right programs one in twenty has "
        "a p-value below 0.05; a very small one would be bad news.",
    ),
)


def build(folder: Path = HERE) -> None:
    """Write the tables, the figures and the page."""
    write_report(ABOUT, STUDIES, folder)
