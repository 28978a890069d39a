"""The tables of a study as files: all numbers as CSV, Markdown for people, LaTeX for a paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from stanoff._lib.files import write_text
from stanoff.study.cache import StudyResult
from stanoff.study.config import Study
from stanoff.text.numbers import format_level, format_rope
from stanoff.text.render import render, to_longtable
from stanoff.text.tables import CONTEST, PAPER, in_one_paragraph, legend

FORMATS = {"csv": "csv", "md": "markdown"}
NEEDED = (
    "% Needs \\usepackage{booktabs} and \\usepackage{longtable}; "
    "run LaTeX until the widths of the columns no longer change."
)
SCORES = (
    *("category", "observed_A", "observed_B", "psi_A", "psi_B", "mean", "hdi", "p_rope"),
    "decision",
)
SHORT = {"ROPE pct": "ROPE", "decision": ""}  # headings that leave room for names
Group = tuple[str, pd.DataFrame]


def write_tables(study: Study, results: Sequence[StudyResult], out: Path) -> list[str]:
    """Write the numbers of all comparisons, and of all contests, in every format.

    Returns
    -------
    list of str
        The names of the files.
    """
    names = []
    for name, columns, of_contests in (("table", PAPER, False), ("contests", CONTEST, True)):
        members = [o for o in results if not o.error and o.is_contest == of_contests]
        if not members:
            continue
        numbers = pd.concat([_labelled(o, o.summary) for o in members], ignore_index=True)
        shown = [o.cells.rename(columns={o.measure: "score"}) for o in members]
        if not of_contests:
            shown = [o.table(columns) for o in members]
        cells = [_labelled(o, frame) for o, frame in zip(members, shown, strict=True)]
        frame = pd.concat(cells, ignore_index=True)
        below = [f"{term}: {text}." for term, text in study_legend(study, columns).items()]
        for ending, format in FORMATS.items():
            text = render(frame, format, numbers=numbers, below=below)
            write_text(out / f"{name}.{ending}", f"{text}\n")
        write_text(out / f"{name}.tex", tables_as_latex(study, members))
        names += [f"{name}.{ending}" for ending in (*FORMATS, "tex")]
    return names


def study_legend(study: Study, columns: Sequence[str]) -> dict[str, str]:
    """Explain columns under the ROPE and HDI of a study."""
    question = study.questions[0]
    return legend(columns, rope=question.rope_option, hdi_prob=question.hdi_prob, defined=False)


def tables_as_latex(study: Study, results: Sequence[StudyResult]) -> str:
    """Write a table per measure that goes over several pages if need be; it is input in a paper."""
    question, texts, labels = study.questions[0], [NEEDED], list[str]()
    contests = results[0].is_contest
    for measure in dict.fromkeys(result.measure for result in results):
        members = [result for result in results if result.measure == measure]
        model = _common_model(members)
        systems, about = ("all systems", "") if contests else ("A and B", "posterior of A − B, ")
        under = f" under the {model} model" if model else ""
        caption = (
            f"{study.title}: {measure} of {systems}{under}; {about}"
            f"{format_level(question.hdi_prob)} HDI, ROPE {format_rope(question.rope_option)}."
        )
        labels.append(_label(f"{measure}-contest" if contests else measure, labels))
        groups = _contest_groups(members, model) if contests else _groups(members, model)
        note = in_one_paragraph(study_legend(study, CONTEST if contests else SCORES))
        texts.append(to_longtable(groups, caption, labels[-1], note))
    return "\n\n".join(texts) + "\n"


def _labelled(result: StudyResult, frame: pd.DataFrame) -> pd.DataFrame:
    """Put what a table is about before its columns."""
    labels = {"data": result.data} if result.data else {}
    labels |= {} if result.is_contest else {"A": result.a, "B": result.b}
    labels |= {"measure": result.measure, "model": result.model}
    return pd.concat(
        [pd.DataFrame(labels, index=range(len(frame))), frame.reset_index(drop=True)], axis=1
    )


def _label(name: str, labels: Sequence[str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "measure"
    return f"tab:{plain}" if f"tab:{plain}" not in labels else f"tab:{plain}-{len(labels)}"


def _common_model(results: Sequence[StudyResult]) -> str:
    """Name the model, if there is only one."""
    models = {result.model for result in results}
    return models.pop() if len(models) == 1 else ""


def _groups(results: Sequence[StudyResult], model: str) -> list[Group]:
    """Gather rows of scores: a group per comparison, or per data set where each has one row."""
    several_rows = any(len(_scores(result)) > 1 for result in results)
    groups: dict[str, list[pd.DataFrame]] = {}
    for result in results:
        frame, suffix = _scores(result), "" if model else f" ({result.model})"
        if several_rows:
            title = f"A = {result.a}, B = {result.b}{suffix}"
        else:
            category = str(frame["category"].iloc[0])
            title = "" if category in ("1", "True") else f"category {category}"
            frame = frame.rename(columns={"category": "A, B"})
            frame["A, B"] = f"{result.a}, {result.b}{suffix}"
        groups.setdefault(_titled(result, title), []).append(frame)
    return [(title, pd.concat(frames)) for title, frames in groups.items()]


def _contest_groups(results: Sequence[StudyResult], model: str) -> list[Group]:
    """Gather the systems of contests category by category, the one decided upon first."""
    groups = []
    for result in results:
        suffix = "" if model else f" ({result.model})"
        cells = result.cells.rename(columns={result.measure: "score"})
        categories = list(
            dict.fromkeys(
                [result.category, *cells["category"]] if result.category else cells["category"]
            )
        )
        for category in categories:
            title = f"{category}{suffix}" if len(categories) > 1 or suffix else ""
            rows = cells[cells["category"] == category].drop(columns="category")
            groups.append((_titled(result, title), rows))
    return groups


def _titled(result: StudyResult, text: str) -> str:
    return ": ".join(part for part in (result.data, text) if part)


def _scores(result: StudyResult) -> pd.DataFrame:
    return result.table(SCORES).rename(columns=SHORT)
