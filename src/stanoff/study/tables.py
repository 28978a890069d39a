"""The tables of a study as files: all numbers as CSV, Markdown for people, LaTeX for a paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from stanoff._lib.files import write_text
from stanoff.inference.decision import Decision
from stanoff.study.cache import StudyResult
from stanoff.study.config import Study
from stanoff.text.latex import titled_rows, to_latex, to_longtable
from stanoff.text.numbers import format_level, format_rope
from stanoff.text.render import render
from stanoff.text.tables import COLUMNS, CONTEST, PAPER, legend

FORMATS = {"csv": "csv", "md": "markdown"}
NEEDED = "% Needs \\usepackage{booktabs}."
NEEDED_BY_LONG = (
    "% Needs \\usepackage{booktabs} and \\usepackage{longtable}; "
    "run LaTeX until the widths of the columns no longer change."
)
SCORES = (
    *("category", "observed_A", "observed_B", "psi_A", "psi_B", "mean", "hdi", "p_rope"),
    "decision",
)
MAX_COLUMNS = 8  # of data sets
MIRRORED = {decision.symbol: decision.mirrored.symbol for decision in Decision}
TIE = {"≈": " ≈", ">": " ∼", "<": " ∼"}  # after the score of a system that is not the best
TIES = {
    "bold": "the best",
    "≈": "practically equivalent to it",
    "∼": "whether it is worse by more than the ROPE is not settled",
    "no sign": "significantly worse",
}


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
        cells = [_labelled(o, _cells(study, o, columns)) for o in members]
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
    """Write a table per measure, which is input in a paper; compact ones also per model."""
    long, contests = study.latex == "longtable", results[0].is_contest
    rope, level = study.questions[0].rope_option, format_level(study.questions[0].hdi_prob)
    texts, labels = [NEEDED_BY_LONG if long else NEEDED], list[str]()
    tables: dict[tuple[str, str], list[StudyResult]] = {}
    for result in results:
        tables.setdefault((result.measure, "" if long else result.model), []).append(result)
    for (measure, _), members in tables.items():
        models = {result.model for result in members}
        model = models.pop() if len(models) == 1 else ""
        labels.append(_label(f"{measure}-contest" if contests else measure, labels))
        names = CONTEST if contests else SCORES
        about: dict[str, Any] = {
            "label": labels[-1],
            "headings": {COLUMNS[n].heading: COLUMNS[n].latex for n in names if COLUMNS[n].latex},
            "legend": study_legend(study, names),
            "notes": [f"Judged by the {level} HDI and the ROPE {format_rope(rope)}."],
        }
        judged = f"{measure} of {{}}{f' under the {model} model' if model else ''}"
        if not contests and not long and len({result.systems for result in members}) > 1:
            frame, about["bold"] = _scores_by_system(study, members)
            about["legend"] = TIES
            caption = f"{study.title}: {judged.format('all systems')}, posterior means."
            texts.append(to_latex(frame, caption, **about, full=True))
            continue
        groups = _groups(study, members, model)
        caption = f"{study.title}: {judged.format('all systems' if contests else 'A and B')}."
        if long:
            texts.append(to_longtable(groups, caption, **about))
        else:
            texts.append(to_latex(titled_rows(groups), caption, **about, full=True))
    return "\n\n".join(texts) + "\n"


def _scores_by_system(
    study: Study, results: Sequence[StudyResult]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Put scores into a row per system and a column per data set; the best ones are bold.

    Where there are many data sets, each has a row.
    """
    cells: dict[str, dict[str, str]] = {}
    scores: dict[str, dict[str, float]] = {}
    signs: dict[tuple[str, str, str], str] = {}
    for result in results:
        rows = _cells(study, result, ("category", "psi_A", "psi_B", "decision")).to_numpy()
        numbers = _rows_shown(study, result, result.summary)[["psi_A", "psi_B"]].to_numpy()
        for (category, *texts, decision), psi in zip(rows, numbers, strict=True):
            line = _titled(result, category if len(rows) > 1 else "") or "score"
            cells.setdefault(line, {}).update(zip(result.systems, texts, strict=True))
            scores.setdefault(line, {}).update(zip(result.systems, psi, strict=True))
            symbol = decision.partition(" ")[0]  # without the mark of what cannot be told apart
            signs[line, result.a, result.b] = symbol
            signs[line, result.b, result.a] = MIRRORED[symbol]
    measure = next(q.measure for q in study.questions if q.measure.label == results[0].measure)
    best_of = max if measure.higher_is_better else min
    bold: dict[str, dict[str, bool]] = {}
    for line, values in scores.items():
        best = best_of(values, key=values.__getitem__)
        bold[line] = {system: system == best for system in values}
        for system in values:
            cells[line][system] += TIE.get(signs.get((line, best, system), ""), "")
    frame, mask = pd.DataFrame(cells).fillna(""), pd.DataFrame(bold).fillna(value=False)
    name = "system"
    if frame.shape[1] > MAX_COLUMNS:
        name, frame, mask = "data", frame.T, mask.T
    frame.insert(0, name, frame.index)
    mask.insert(0, name, value=False)
    return frame.reset_index(drop=True), mask.reset_index(drop=True)


def _rows_shown(study: Study, result: StudyResult, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all categories, or of the average alone if the study says so."""
    if study.rows == "all" or not result.category:
        return frame
    return frame[(result.summary["category"] == result.category).to_numpy()]


def _cells(study: Study, result: StudyResult, columns: Sequence[str]) -> pd.DataFrame:
    """Return cells of text: columns of a comparison, or all of a contest."""
    if result.is_contest:
        return _rows_shown(study, result, result.cells.rename(columns={result.measure: "score"}))
    return _rows_shown(study, result, result.cells[[COLUMNS[name].heading for name in columns]])


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


def _groups(
    study: Study, results: Sequence[StudyResult], model: str
) -> list[tuple[str, pd.DataFrame]]:
    """Gather rows by a title: data set and comparison, or the category of a contest."""
    groups: dict[str, list[pd.DataFrame]] = {}
    several_rows = any(len(_cells(study, result, SCORES)) > 1 for result in results)
    for result in results:
        frame, suffix = _cells(study, result, SCORES), "" if model else f" ({result.model})"
        if result.is_contest:  # category by category, the one decided upon first
            order = sorted(frame["category"].unique(), key=lambda name: name != result.category)
            titles = {c: f"{c}{suffix}" if len(order) > 1 or suffix else "" for c in order}
            by_category = dict(list(frame.groupby("category")))
            frames = {titles[c]: by_category[c].drop(columns="category") for c in order}
        elif several_rows:
            frames = {f"A = {result.a}, B = {result.b}{suffix}": frame}
        else:
            category = str(frame["category"].iloc[0])
            frame = frame.rename(columns={"category": "A, B"})
            frame["A, B"] = f"{result.a}, {result.b}{suffix}"
            frames = {"" if category in ("1", "True") else f"category {category}": frame}
        for title, rows in frames.items():
            groups.setdefault(_titled(result, title), []).append(rows)
    return [(title, pd.concat(frames)) for title, frames in groups.items()]


def _titled(result: StudyResult, text: str) -> str:
    return ": ".join(part for part in (result.data, text) if part)
