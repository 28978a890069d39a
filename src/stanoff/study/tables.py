"""The tables of a study as files: all numbers as CSV, Markdown for people, LaTeX for a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
TIES = {
    "bold": "the best",
    "≈": "practically equivalent to it",
    "∼": "whether it is worse by more than the ROPE is not settled",
    "no sign": "significantly worse",
}
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
        shown = [_rows_shown(study, o, frame) for o, frame in zip(members, shown, strict=True)]
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
    """Write a table per measure, which is input in a paper."""
    long = study.latex == "longtable"
    texts, labels = [NEEDED_BY_LONG if long else NEEDED], list[str]()
    contests = results[0].is_contest
    for (measure, model), members in _by_measure_and_model(results, apart=not long):
        labels.append(_label(f"{measure}-contest" if contests else measure, labels))
        names = CONTEST if contests else SCORES
        about: dict[str, Any] = {
            "label": labels[-1],
            "headings": {COLUMNS[n].heading: COLUMNS[n].latex for n in names if COLUMNS[n].latex},
            "legend": study_legend(study, names),
            "notes": [f"Judged by the {_rule(study)}."],
        }
        judged = f"{measure} of {{}}{f' under the {model} model' if model else ''}"
        if not contests and not long and len({result.systems for result in members}) > 1:
            frame, bold = _scores_by_system(study, members)
            caption = f"{study.title}: {judged.format('all systems')}, posterior means."
            about["legend"] = TIES
            texts.append(to_latex(frame, caption, **about, bold=bold, full=True))
            continue
        gather = _contest_groups if contests else _groups
        groups = gather(study, members, model)
        systems = "all systems" if contests else "A and B"
        caption = f"{study.title}: {judged.format(systems)}."
        if long:
            texts.append(to_longtable(groups, caption, **about))
        else:
            texts.append(to_latex(titled_rows(groups), caption, **about, full=True))
    return "\n\n".join(texts) + "\n"


def _rule(study: Study) -> str:
    question = study.questions[0]
    rope = format_rope(question.rope_option)
    return f"{format_level(question.hdi_prob)} HDI and the ROPE {rope}"


def _by_measure_and_model(
    results: Sequence[StudyResult], *, apart: bool
) -> Iterator[tuple[tuple[str, str], list[StudyResult]]]:
    """Group results by measure, and by model where these are to be told apart.

    Of models that stand in one table, the name is empty.
    """
    groups: dict[tuple[str, str], list[StudyResult]] = {}
    for result in results:
        groups.setdefault((result.measure, result.model if apart else ""), []).append(result)
    for (measure, model), members in groups.items():
        yield (measure, model or _common_model(members)), members


def _scores_by_system(
    study: Study, results: Sequence[StudyResult]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Put scores into a row per system and a column per data set; the best ones are bold.

    Where there are many data sets, each has a row.
    """
    columns = ("category", "psi_A", "psi_B", "decision")
    cells: dict[str, dict[str, str]] = {}
    scores: dict[str, dict[str, float]] = {}
    signs: dict[tuple[str, str, str], str] = {}
    for result in results:
        frame = _rows_shown(study, result, result.table(columns))
        numbers = _rows_shown(study, result, result.summary)[["psi_A", "psi_B"]]
        for texts, psi in zip(frame.to_numpy(), numbers.to_numpy(), strict=True):
            line = _titled(result, texts[0] if len(frame) > 1 else "") or "score"
            for system, text, value in zip(result.systems, texts[1:3], psi, strict=True):
                cells.setdefault(line, {})[system] = text
                scores.setdefault(line, {})[system] = value
            symbol = texts[3].partition(" ")[0]  # without the mark of what cannot be told apart
            signs[line, result.a, result.b] = symbol
            signs[line, result.b, result.a] = MIRRORED[symbol]
    labels = {question.measure.label: question.measure for question in study.questions}
    best_of = max if labels[results[0].measure].higher_is_better else min
    bold: dict[str, dict[str, bool]] = {}
    for line, values in scores.items():
        best = best_of(values, key=values.__getitem__)
        bold[line] = {system: system == best for system in values}
        for system in values:
            sign = signs.get((line, best, system), "")
            cells[line][system] += {"≈": " ≈", ">": " ∼", "<": " ∼"}.get(sign, "")
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


def _groups(study: Study, results: Sequence[StudyResult], model: str) -> list[Group]:
    """Gather rows of scores: a group per comparison, or per data set where each has one row."""
    several_rows = any(len(_scores(study, result)) > 1 for result in results)
    groups: dict[str, list[pd.DataFrame]] = {}
    for result in results:
        frame, suffix = _scores(study, result), "" if model else f" ({result.model})"
        if several_rows:
            title = f"A = {result.a}, B = {result.b}{suffix}"
        else:
            category = str(frame["category"].iloc[0])
            title = "" if category in ("1", "True") else f"category {category}"
            frame = frame.rename(columns={"category": "A, B"})
            frame["A, B"] = f"{result.a}, {result.b}{suffix}"
        groups.setdefault(_titled(result, title), []).append(frame)
    return [(title, pd.concat(frames)) for title, frames in groups.items()]


def _contest_groups(study: Study, results: Sequence[StudyResult], model: str) -> list[Group]:
    """Gather the systems of contests category by category, the one decided upon first."""
    groups = []
    for result in results:
        suffix = "" if model else f" ({result.model})"
        cells = _rows_shown(study, result, result.cells).rename(columns={result.measure: "score"})
        first = [result.category] if result.category else []
        categories = list(dict.fromkeys([*first, *cells["category"]]))
        for category in categories:
            title = f"{category}{suffix}" if len(categories) > 1 or suffix else ""
            rows = cells[cells["category"] == category].drop(columns="category")
            groups.append((_titled(result, title), rows))
    return groups


def _titled(result: StudyResult, text: str) -> str:
    return ": ".join(part for part in (result.data, text) if part)


def _scores(study: Study, result: StudyResult) -> pd.DataFrame:
    return _rows_shown(study, result, result.table(SCORES))
