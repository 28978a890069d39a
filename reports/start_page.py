"""The start page that links all reports."""

from pathlib import Path

from stanoff.files import write_text
from stanoff.report.document import Block, Figure, Items, Section, document, joined, link

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Write ``index.html`` next to this script; the figures are those that the reports left."""
    page = document(
        "stanoff: reports",
        [
            _report(
                "Bayesian performance comparison of text classifiers (2016)",
                "zhang2016",
                "figures/figure6.svg",
                "The paper that stanoff implements, rebuilt from the predictions of four "
                "classifiers on 20newsgroups: its Tables 3 to 6 next to the printed numbers, its "
                "Figures 1 to 6, and what the same predictions tell beyond it.",
                "NB_Mult is practically equivalent to SVM_L2 on category 8.",
            ),
            _report(
                "A re-examination of text categorization methods (1999)",
                "yang1999",
                "figure4.svg",
                "The significance tests of Yang and Liu beside the Bayesian verdicts, from their "
                "published table and from five classifiers trained on Reuters-21578.",
                "Macro-averaged F1 against how often the categories occur in training.",
            ),
            _report(
                "Performance measures in classification of human communications (2006)",
                "sokolova2006",
                "forest.svg",
                "The invariance of every measure, the table of Sokolova and Lapalme computed "
                "again and corrected, and how probable each of its rankings is.",
                "What the same two confusion matrices say by each measure.",
            ),
            _benchmark(),
        ],
        subtitle="Is classifier A really better than classifier B? Three papers, rebuilt and "
        "carried on; and how far stanoff itself can be trusted.",
    )
    write_text(HERE / "index.html", page)


def _report(title: str, folder: str, figure: str, told: str, shown: str) -> Section:
    svg = (HERE / folder / figure).read_bytes()
    return Section(
        title,
        [told, joined([link("Read the report", f"{folder}/index.html"), "."]), Figure(svg, shown)],
        anchor=folder,
    )


def _benchmark() -> Section:
    folder = HERE / "benchmark"
    blocks: list[Block] = [
        Items(
            [
                joined([link("Power", "benchmark/table3.md"), " of the paper's Table 3."]),
                joined([link("Verdicts", "benchmark/verdicts.md"), ": how often each is right."]),
                joined([link("Ranks", "benchmark/sbc.csv"), " of the truth among the draws."]),
            ]
        ),
        Figure((folder / "verdicts.svg").read_bytes(), "How often the verdicts are right."),
        Figure((folder / "sbc.svg").read_bytes(), "Simulation-based calibration of the programs."),
    ]
    return Section("How far to trust it", blocks, anchor="benchmark")


if __name__ == "__main__":
    main()
