"""All pairs of the four classifiers: the study in ``study.toml``, and the section that sums it up.

The four are fitted together, and the pairs are taken from their contest. A study writes pages that
hold every draw, so that their readers can change the ROPE. These are large, and the last digits of
a draw are not those of another machine. So the study is built aside, and what is kept of it is the
overview, and a page per comparison and for the contest with words, figure and table.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from common import PAGE, Output, as_csv, shortened, signed, write_file

from stanoff import Decision
from stanoff.report.document import Figure, Paragraph, Section, Table, document, joined, link
from stanoff.study.cache import StudyResult
from stanoff.study.config import read_study
from stanoff.study.overview import write_overview
from stanoff.study.run import FIGURE_FOLDER, PAGE_FOLDER, build_study
from stanoff.text.numbers import format_interval, percent
from stanoff.text.tables import PAPER
from zhang2016.experiment import HERE, TABLES, fitted

STUDY = read_study(HERE / "study.toml")
KEPT = "study"
AVERAGES = ("macro", "micro")


def averages(out: Output) -> Section:
    """Judge the classifiers over all categories."""
    pairs = all_pairs(compared(out.folder / KEPT))
    shown = pd.DataFrame(
        {
            "A": pairs["A"],
            "B": pairs["B"],
            "average": pairs["average"],
            "F1 of A": pairs["F1 of A"].map("{:.3f}".format),
            "F1 of B": pairs["F1 of B"].map("{:.3f}".format),
            "delta": signed(pairs["delta"]),
            "HDI": [format_interval(pair, 3) for pair in pairs[["hdi_low", "hdi_high"]].to_numpy()],
            "P(ROPE)": pairs["p_rope"].map(percent),
            "decision": pairs["decision"],
        }
    )
    flat, joint = (fitted(*TABLES[6], model=name).evidence("macro") for name in ("paired", "joint"))
    blocks = [
        "The paper judges category by category. Over all 20 of them the same predictions "
        "settle nearly every pair. The averages come from the joint model of the true class "
        "and the four predicted ones, fitted once for all pairs: a model per category takes "
        "the categories as independent of each other, which they are not where every document "
        "has one label, and would give the "
        f"macro average of the pair of Table 6 a standard deviation of {flat.std:.4f} instead "
        f"of {joint.std:.4f}.",
        out.table(
            "all_pairs", shown, "All six pairs in macro- and micro-averaged F1.", numbers=pairs
        ),
        joined(
            [
                "These numbers are those of a study: ",
                link("study.toml", "study.toml"),
                " says what is compared, and ",
                link("the overview", f"{KEPT}/{PAGE}"),
                " links a page for every pair, category by category.",
            ]
        ),
    ]
    return Section("All six pairs, over all categories", blocks)


def compared(folder: Path) -> list[StudyResult]:
    """Build the study, and keep the overview, its tables and a page per comparison."""
    with TemporaryDirectory() as aside:
        outcomes = build_study(STUDY, Path(aside))
        for outcome in outcomes:
            if outcome.error:
                raise SystemExit(f"{outcome.title}: {outcome.error}")
            drawn = Path(aside, FIGURE_FOLDER, f"{outcome.slug}-{_figure(outcome)}.svg")
            svg = shortened(drawn.read_bytes())
            write_file(folder / PAGE_FOLDER / f"{outcome.slug}.html", page(outcome, svg))
    # Neither the figures are kept, nor the date of the file, which every copy has of its own.
    write_overview(
        STUDY, [o.model_copy(update={"figures": (), "source": {}}) for o in outcomes], folder
    )
    for name in ("table.csv", "contests.csv"):
        write_file(folder / name, as_csv(pd.read_csv(folder / name)))
    return [outcome for outcome in outcomes if not outcome.is_contest]


def _figure(outcome: StudyResult) -> str:
    return "scores" if outcome.is_contest else "forest"


def page(outcome: StudyResult, svg: bytes) -> str:
    """Show one comparison, or all four classifiers: words, figure, table."""
    pair = f"{outcome.a} and {outcome.b}"
    told = f"{pair}: mean and HDI of the difference, and the ROPE."
    caption = f"{pair}: the posterior of the difference."
    if outcome.is_contest:
        told = "Posterior mean, HDI and observed score of the macro average, tier by tier."
        caption = "All four by category and on average, the best first; near: within the ROPE."
    return document(
        outcome.title,
        [
            Section(
                "Verdict",
                [
                    outcome.sentence,
                    *(Paragraph(text, note=True) for text in outcome.warnings),
                    joined(["Back to ", link("the study", f"../{PAGE}"), "."]),
                ],
            ),
            Section(
                "Category by category",
                [
                    Figure(svg, told),
                    Table(outcome.cells if outcome.is_contest else outcome.table(PAPER), caption),
                ],
            ),
        ],
        subtitle=STUDY.title,
    )


def all_pairs(outcomes: list[StudyResult]) -> pd.DataFrame:
    """Gather the averages of every pair, a row each."""
    columns = ["psi_A", "psi_B", "mean", "hdi_low", "hdi_high", "p_rope", "decision"]
    rows = [
        {"A": o.a, "B": o.b, "average": name, **o.summary.set_index("category").loc[name, columns]}
        for o in outcomes
        for name in AVERAGES
    ]
    pairs = pd.DataFrame(rows)
    pairs["decision"] = [Decision(text).symbol for text in pairs["decision"]]
    return pairs.rename(columns={"psi_A": "F1 of A", "psi_B": "F1 of B", "mean": "delta"})
