"""Rebuild Zhang et al. (2016) from the predictions: its tables and figures, and what is beyond."""

import beyond_sections as beyond
import paper_sections as paper
from experiment import HERE

from stanoff import progress
from stanoff.files import write_text
from stanoff.report.document import Section, document

SECTIONS = (
    paper.data,
    paper.models,
    paper.one_case,
    paper.power,
    paper.table_sections,
    beyond.averages,
    beyond.hierarchical,
    beyond.other_measures,
    beyond.sensitivity,
    beyond.more_documents,
)


def main() -> None:
    """Write the tables, the figures and the page next to this script."""
    sections: list[Section] = []
    with progress.step("zhang2016", total=len(SECTIONS)) as advance:
        for done, make in enumerate(SECTIONS, start=1):
            made = make()
            sections += made if isinstance(made, list) else [made]
            advance(done)
    page = document(
        "Bayesian Performance Comparison of Text Classifiers, rebuilt",
        sections,
        subtitle="After Dell Zhang, Jun Wang, Emine Yilmaz, Xiaoling Wang and Yuxin Zhou, SIGIR "
        "2016: from 7,532 predictions to its tables and figures, and beyond them.",
    )
    write_text(HERE / "index.html", page)
    print(f"Wrote {HERE / 'index.html'}")


if __name__ == "__main__":
    main()
