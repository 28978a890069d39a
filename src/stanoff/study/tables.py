"""The tables of a study as files: all numbers as CSV, Markdown for people, LaTeX for a paper."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stanoff._lib.files import write_text
from stanoff.study.config import Study
from stanoff.text.numbers import level, rope_text
from stanoff.text.tables import SYMBOLS

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.study.outcomes import Outcome

FILES = ("table.csv", "table.md", "table.tex")
CONTEST_FILES = ("contests.csv", "contests.md", "contests.tex")
NEEDED = (
    "% Needs \\usepackage{booktabs} and \\usepackage{longtable}; "
    "run LaTeX until the widths of the columns no longer change."
)
SCORES = (
    *("category", "observed_A", "observed_B", "psi_A", "psi_B", "mean", "hdi", "p_rope"),
    "decision",
)


def write_tables(study: Study, made: Sequence[Outcome], out: Path) -> None:
    """Write what was found in all comparisons, in every format."""
    import pandas as pd

    from stanoff.text.frames import frame_text

    numbers = pd.concat([_labelled(o, o.summary) for o in made], ignore_index=True)
    write_text(out / "table.csv", f"{frame_text(numbers, 'csv')}\n")
    cells = pd.concat([_labelled(o, o.cells) for o in made], ignore_index=True)
    below = [f"{term}: {text}." for term, text in legend(study, list(cells.columns)).items()]
    write_text(out / "table.md", f"{frame_text(cells, 'markdown', below=below)}\n")
    write_text(out / "table.tex", as_latex(study, made))


def _labelled(outcome: Outcome, frame: pd.DataFrame | None) -> pd.DataFrame:
    assert frame is not None
    frame = frame.set_axis(range(len(frame)))
    labels = {"data": outcome.data} if outcome.data else {}
    labels |= {} if outcome.is_contest else {"A": outcome.a, "B": outcome.b}
    labels |= {"measure": outcome.measure, "model": outcome.model}
    for place, (name, value) in enumerate(labels.items()):
        frame.insert(place, name, value)
    return frame


def as_latex(study: Study, made: Sequence[Outcome]) -> str:
    """Write a table per measure that goes over several pages if need be; it is input in a paper."""
    from stanoff.text.longtable import frames_as_longtable

    texts = [NEEDED]
    question = study.questions[0]
    labels: list[str] = []
    for measure in dict.fromkeys(outcome.measure for outcome in made):
        groups = _groups([outcome for outcome in made if outcome.measure == measure])
        caption = (
            f"{study.title}: {measure} of A and B{_under(made)}, and the posterior of their "
            f"difference with its {level(question.hdi_prob)} HDI and the ROPE "
            f"{rope_text(question.rope_given)}."
        )
        labels.append(_label(measure, labels))
        told = legend(study, [*groups[0][1].columns, "decision"])
        texts.append(frames_as_longtable(groups, caption, labels[-1], list(told.items())))
    return "\n\n".join(texts) + "\n"


def _label(name: str, known: Sequence[str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "measure"
    return f"tab:{plain}" if f"tab:{plain}" not in known else f"tab:{plain}-{len(known)}"


def write_contests(study: Study, made: Sequence[Outcome], out: Path) -> None:
    """Write what was found in all contests, in every format."""
    import pandas as pd

    from stanoff.text.frames import frame_text

    numbers = pd.concat([_labelled(o, o.summary) for o in made], ignore_index=True)
    write_text(out / "contests.csv", f"{frame_text(numbers, 'csv')}\n")
    score = "score"  # each measure has a name of its own
    cells = [_labelled(o, o.cells).rename(columns={o.measure: score}) for o in made]
    below = [f"{term}: {text}." for term, text in contest_legend(study).items()]
    text = frame_text(pd.concat(cells, ignore_index=True), "markdown", below=below)
    write_text(out / "contests.md", f"{text}\n")
    write_text(out / "contests.tex", contests_as_latex(study, made))


def contests_as_latex(study: Study, made: Sequence[Outcome]) -> str:
    """Write a table per measure, with a group of systems per data set, model and category."""
    from stanoff.text.longtable import frames_as_longtable

    texts, labels = [NEEDED], list[str]()
    question = study.questions[0]
    for measure in dict.fromkeys(outcome.measure for outcome in made):
        some = [outcome for outcome in made if outcome.measure == measure]
        groups = [group for outcome in some for group in _standings(outcome, _under(some))]
        caption = (
            f"{study.title}: {measure} of all systems{_under(some)}, with its "
            f"{level(question.hdi_prob)} HDI and the ROPE {rope_text(question.rope_given)}."
        )
        labels.append(_label(f"{measure}-contest", labels))
        told = list(contest_legend(study).items())
        texts.append(frames_as_longtable(groups, caption, labels[-1], told))
    return "\n\n".join(texts) + "\n"


def _standings(outcome: Outcome, under: str) -> list[tuple[str, pd.DataFrame]]:
    """Return the systems of a contest category by category, the one decided upon first."""
    assert outcome.cells is not None
    cells = outcome.cells
    known = list(dict.fromkeys([*outcome.shown[:1], *cells["category"]]))
    model = "" if under else f" ({outcome.model})"
    return [
        (
            _titled(outcome, f"{category}{model}" if len(known) > 1 or model else ""),
            cells[cells["category"] == category].drop(columns="category"),
        )
        for category in known
    ]


def contest_legend(study: Study) -> Mapping[str, str]:
    """Explain the columns of the table of a contest."""
    question = study.questions[0]
    rope = rope_text(question.rope_given)
    return {
        "tier": "no system of a tier is significantly better than another one of it",
        "observed": "score on these documents, as other programs compute it",
        "P(near best)": f"probability of being within the ROPE {rope} of the best",
        "P(best)": "probability of being the best, which near-twins share",
        "regret": "expected loss against the best",
        "ranks": f"the ranks that have {level(question.hdi_prob)} of the probability",
    }


def _groups(made: Sequence[Outcome]) -> list[tuple[str, pd.DataFrame]]:
    """Gather rows of scores: a group per comparison, or per data set where each has one row."""
    import pandas as pd

    frames = [(outcome, _scores(outcome)) for outcome in made]
    under = {o: "" if _under(made) else f" ({o.model})" for o in made}
    if any(len(frame) > 1 for _, frame in frames):
        return [(_titled(o, f"A = {o.a}, B = {o.b}{under[o]}"), frame) for o, frame in frames]
    groups: dict[str, list[pd.DataFrame]] = {}
    for o, frame in frames:
        only = str(frame["category"].iloc[0])
        row = frame.rename(columns={"category": "A, B"})
        row.iloc[0, 0] = f"{o.a}, {o.b}{under[o]}"
        title = _titled(o, "" if only in ("1", "True") else f"category {only}")
        groups.setdefault(title, []).append(row)
    return [(title, pd.concat(rows)) for title, rows in groups.items()]


def _under(made: Sequence[Outcome]) -> str:
    """Name the model, if there is only one."""
    models = {outcome.model for outcome in made}
    return f" under the {models.pop()} model" if len(models) == 1 else ""


def _titled(outcome: Outcome, text: str) -> str:
    return ": ".join(part for part in (outcome.data, text) if part)


def _scores(outcome: Outcome) -> pd.DataFrame:
    assert outcome.scores is not None
    headings = {"mean": "A − B", "hdi": "HDI", "p_rope": "ROPE", "decision": ""}
    return outcome.scores.rename(columns=headings)


def legend(study: Study, columns: Sequence[str]) -> Mapping[str, str]:
    """Explain the columns of a table that need it, and all signs."""
    question = study.questions[0]
    known = {
        "sign-test": "p-value of the paper's sign test",
        "t-test": "p-value of the paper's t-test",
        "observed_A": "score of A on these documents, as other programs compute it",
        "observed_B": "the same of B",
        "psi_A": "posterior mean of A's score",
        "psi_B": "the same of B",
        "mean": "posterior mean of the difference A − B",
        "A − B": "posterior mean of the difference A − B",
        "std": "its standard deviation",
        "BF_SD": "Savage-Dickey Bayes factor for no difference; ? where it is not well-defined",
        "LG pct": "how much of the posterior is below and above 0",
        "HDI": f"highest density interval, with {level(question.hdi_prob)} of the posterior",
        "ROPE pct": f"probability of a difference within the ROPE {rope_text(question.rope_given)}",
        "ROPE": f"probability of a difference within the ROPE {rope_text(question.rope_given)}",
    }
    told = {name: known[name] for name in columns if name in known}
    if {"sign-test", "BF_SD"} & set(columns):
        told |= {"⋆": "p < 0.05 or Bayes factor < 1/3", "‡": "Bayes factor > 3"}
    if "decision" in columns:
        told |= dict(part.split(": ", 1) for part in SYMBOLS.split("; "))
    return told
