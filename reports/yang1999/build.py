"""Rebuild the tables and figures of Yang and Liu (1999), and judge the same pairs in Stan's way.

    python reports/yang1999/build.py

Part 1 starts from the scores that the paper printed, part 2 from ``decisions.jsonl.gz``, which
``train.py`` made. Everything is written next to this script.
"""

from pathlib import Path

import pandas as pd
import published_tables as published
import report_tables as shown
import report_text as text
import reuters_tables as reuters

from stanoff.files import write_bytes, write_text
from stanoff.plots import frequency_plot
from stanoff.progress import step
from stanoff.report.document import document
from stanoff.report.figures import as_bytes
from stanoff.texts import frame_as_markdown

HERE = Path(__file__).resolve().parent
RARE = 60  # Figure 4 shows the categories with up to so many training documents


def main() -> None:
    """Write the tables, the figures and the page."""
    with step("judging the printed scores"):
        judged = published.judged()
        part1 = {
            "table3": published.table3(judged),
            "published_side_by_side": shown.side_by_side(judged),
        }
    with step("scoring and testing the decisions"):
        found, tests = reuters.table1(), reuters.outcomes()
        scores, frequency = reuters.f1_by_category(), reuters.categories()["train"]
        part2 = {
            "table1": shown.scores_beside(found, published.table1()),
            "table2": shown.signs_beside(reuters.table2(tests)),
        }
        of_all = reuters.of_all_five()
    with step("drawing the figures"):
        rare = frequency[frequency <= RARE]
        figures = {
            "figure4": drawn(scores.loc[rare.index], rare),
            "figure5": drawn(scores, frequency),
        }
    compared, complaints = reuters.compared()
    for average in ("micro", "macro"):
        verdicts = shown.verdicts(compared, reuters.table2(tests), average)
        part2[f"hierarchical_{average}"] = verdicts
    numbers = {
        "published_judged": judged,
        "tests": tests,
        "compared": compared,
        "f1_by_category": scores.reset_index(),
    }
    for name, frame in {**part1, **part2}.items():
        write_text(HERE / f"{name}.md", frame_as_markdown(frame) + "\n")
        write_text(HERE / f"{name}.csv", as_csv(frame))
    for name, frame in numbers.items():
        write_text(HERE / f"{name}.csv", as_csv(frame))
    for name, figure in figures.items():
        write_bytes(HERE / f"{name}.svg", figure)
    sections = [
        *text.first_part(part1, judged),
        *text.second_part(part2, of_all, figures, complaints),
    ]
    page = document(text.TITLE, sections, subtitle=text.SUBTITLE)
    print(f"Wrote {write_text(HERE / 'index.html', page)}")


def drawn(scores: pd.DataFrame, frequency: pd.Series) -> bytes:
    """Draw F1 against the number of training documents."""
    ax = frequency_plot(scores, frequency)
    ax.set_ylabel("mean F1")
    return as_bytes(ax)


def as_csv(frame: pd.DataFrame) -> str:
    """Write numbers with as many digits as two runs on two machines may share."""
    return frame.to_csv(index=False, float_format="%.6g", lineterminator="\n")


if __name__ == "__main__":
    main()
