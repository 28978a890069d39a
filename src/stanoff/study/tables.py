"""The tables of a study as files: all numbers as CSV, Markdown for people, LaTeX for a paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from stanoff._lib.files import write_text
from stanoff.study.config import Study
from stanoff.text.numbers import format_level, format_rope
from stanoff.text.render import render, to_longtable
from stanoff.text.tables import CONTEST, PAPER, in_one_paragraph, legend

if TYPE_CHECKING:
    from stanoff.study.outcomes import Outcome

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


def write_tables(study: Study, outcomes: Sequence[Outcome], out: Path) -> list[str]:
    """Write the numbers of all comparisons, and of all contests, in every format.

    Returns
    -------
    list of str
        The names of the files.
    """
    names = []
    for name, columns, of_contests in (("table", PAPER, False), ("contests", CONTEST, True)):
        members = [o for o in outcomes if not o.error and o.is_contest == of_contests]
        if not members:
            continue
        numbers = pd.concat([_labelled(o, o.summary) for o in members], ignore_index=True)
        cells = [_labelled(o, o.cells).rename(columns={o.measure: "score"}) for o in members]
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
    return legend(columns, rope=question.rope_given, hdi_prob=question.hdi_prob, defined=False)


def tables_as_latex(study: Study, outcomes: Sequence[Outcome]) -> str:
    """Write a table per measure that goes over several pages if need be; it is input in a paper."""
    question, texts, labels = study.questions[0], [NEEDED], list[str]()
    contests = outcomes[0].is_contest
    for measure in dict.fromkeys(outcome.measure for outcome in outcomes):
        members = [outcome for outcome in outcomes if outcome.measure == measure]
        model = _common_model(members)
        systems, about = ("all systems", "") if contests else ("A and B", "posterior of A − B, ")
        under = f" under the {model} model" if model else ""
        caption = (
            f"{study.title}: {measure} of {systems}{under}; {about}"
            f"{format_level(question.hdi_prob)} HDI, ROPE {format_rope(question.rope_given)}."
        )
        labels.append(_label(f"{measure}-contest" if contests else measure, labels))
        groups = _contest_groups(members, model) if contests else _groups(members, model)
        note = in_one_paragraph(study_legend(study, CONTEST if contests else SCORES))
        texts.append(to_longtable(groups, caption, labels[-1], note))
    return "\n\n".join(texts) + "\n"


def _labelled(outcome: Outcome, frame: pd.DataFrame | None) -> pd.DataFrame:
    """Put what a table is about before its columns."""
    assert frame is not None
    labels = {"data": outcome.data} if outcome.data else {}
    labels |= {} if outcome.is_contest else {"A": outcome.a, "B": outcome.b}
    labels |= {"measure": outcome.measure, "model": outcome.model}
    return pd.concat(
        [pd.DataFrame(labels, index=range(len(frame))), frame.reset_index(drop=True)], axis=1
    )


def _label(name: str, labels: Sequence[str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "measure"
    return f"tab:{plain}" if f"tab:{plain}" not in labels else f"tab:{plain}-{len(labels)}"


def _common_model(outcomes: Sequence[Outcome]) -> str:
    """Name the model, if there is only one."""
    models = {outcome.model for outcome in outcomes}
    return models.pop() if len(models) == 1 else ""


def _groups(outcomes: Sequence[Outcome], model: str) -> list[Group]:
    """Gather rows of scores: a group per comparison, or per data set where each has one row."""
    several_rows = any(len(_scores(outcome)) > 1 for outcome in outcomes)
    groups: dict[str, list[pd.DataFrame]] = {}
    for outcome in outcomes:
        frame, suffix = _scores(outcome), "" if model else f" ({outcome.model})"
        if several_rows:
            title = f"A = {outcome.a}, B = {outcome.b}{suffix}"
        else:
            category = str(frame["category"].iloc[0])
            title = "" if category in ("1", "True") else f"category {category}"
            frame = frame.rename(columns={"category": "A, B"})
            frame["A, B"] = f"{outcome.a}, {outcome.b}{suffix}"
        groups.setdefault(_titled(outcome, title), []).append(frame)
    return [(title, pd.concat(frames)) for title, frames in groups.items()]


def _contest_groups(outcomes: Sequence[Outcome], model: str) -> list[Group]:
    """Gather the systems of contests category by category, the one decided upon first."""
    groups = []
    for outcome in outcomes:
        assert outcome.cells is not None
        suffix = "" if model else f" ({outcome.model})"
        cells = outcome.cells.rename(columns={outcome.measure: "score"})
        categories = list(dict.fromkeys([*outcome.shown[:1], *cells["category"]]))
        for category in categories:
            title = f"{category}{suffix}" if len(categories) > 1 or suffix else ""
            rows = cells[cells["category"] == category].drop(columns="category")
            groups.append((_titled(outcome, title), rows))
    return groups


def _titled(outcome: Outcome, text: str) -> str:
    return ": ".join(part for part in (outcome.data, text) if part)


def _scores(outcome: Outcome) -> pd.DataFrame:
    assert outcome.scores is not None
    return outcome.scores.rename(columns=SHORT)
