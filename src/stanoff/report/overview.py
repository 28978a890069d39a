"""The page and the table files that gather all comparisons of a study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup

from stanoff import __version__
from stanoff.decision import Decision
from stanoff.escaping import one_line
from stanoff.files import write_text
from stanoff.report.config import Study
from stanoff.report.document import (
    Items,
    Paragraph,
    Section,
    Table,
    document,
    joined,
    link,
)

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.report.study import Outcome

SYMBOLS = [decision.symbol for decision in Decision]


def write_overview(study: Study, outcomes: Sequence[Outcome], out: Path) -> None:
    """Write index.html, and the table as CSV, Markdown and LaTeX."""
    import pandas as pd

    from stanoff.latex import frame_as_latex
    from stanoff.texts import frame_as_markdown

    made = [outcome for outcome in outcomes if not outcome.error]
    if made:
        numbers = pd.concat([_labelled(o, o.summary) for o in made], ignore_index=True)
        write_text(out / "table.csv", numbers.to_csv(index=False, lineterminator="\n"))
        cells = pd.concat([_labelled(o, o.cells) for o in made], ignore_index=True)
        write_text(out / "table.md", f"{frame_as_markdown(cells)}\n")
        write_text(out / "table.tex", f"{frame_as_latex(cells, caption=study.title)}\n")
    write_text(out / "index.html", _page(study, outcomes, made))


def _labelled(outcome: Outcome, frame: pd.DataFrame | None) -> pd.DataFrame:
    assert frame is not None
    labels = {"A": outcome.a, "B": outcome.b, "measure": outcome.measure, "model": outcome.model}
    return frame.set_axis(range(len(frame))).pipe(lambda f: _before(f, labels))


def _before(frame: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    for place, (name, value) in enumerate(labels.items()):
        frame.insert(place, name, value)
    return frame


def _page(study: Study, outcomes: Sequence[Outcome], made: Sequence[Outcome]) -> str:
    import pandas as pd

    sections = []
    broken = [outcome for outcome in outcomes if outcome.error]
    if broken:
        texts = [f"{_title(outcome)}: {outcome.error}" for outcome in broken]
        told = f"{len(broken)} of {len(outcomes)} comparisons could not be made:"
        sections.append(Section("What failed", [Paragraph(told, note=True), Items(texts)]))
    if made:
        sections.append(Section("Verdicts", [_verdicts(made)]))
        sections += _glance(study, made)
        texts = [
            joined([_linked(outcome, _title(outcome)), ": ", line])
            for outcome in made
            for line in outcome.sentence.split("\n")
        ]
        sections.append(Section("In words", [Items(texts)]))
        known = dict.fromkeys(warning for outcome in made for warning in outcome.warnings)
        if known:
            notes = [Paragraph(warning, note=True) for warning in known]
            sections.append(Section("What to know before trusting the numbers", notes))
        files = [link(name, name) for name in ("table.csv", "table.md", "table.tex")]
        told = joined(["All numbers: ", files[0], ", ", files[1], ", ", files[2], ". The figures "])
        more = joined([told, "are in the folder ", link("figures", "figures/"), "."])
        sections.append(Section("Files", [Paragraph(more)]))
    settings = pd.DataFrame(_settings(study), columns=["setting", "value"])
    sections.append(Section("Settings", [Table(settings)]))
    return document(one_line(study.title), sections)


def _title(outcome: Outcome) -> str:
    return f"{outcome.a} and {outcome.b} by {outcome.measure} ({outcome.model})"


def _linked(outcome: Outcome, text: str) -> Markup:
    return link(text, f"pages/{quote(outcome.slug)}.html")


def _verdicts(made: Sequence[Outcome]) -> Table:
    """Tell every comparison in a row: the one decided upon, or how many of each decision."""
    import pandas as pd

    rows = []
    for o in made:
        category, mean, hdi, p_rope, symbol = o.shown or (
            "all",
            "",
            "",
            "",
            _tally(o),
        )
        who = [_linked(o, f"{o.a} and {o.b}"), o.measure, o.model]
        rows.append([*who, category, mean, hdi, p_rope, symbol])
    names = ["comparison", "measure", "model", "category", "mean", "HDI", "ROPE pct", "decision"]
    caption = "Posterior of the difference; every comparison has a page of its own."
    return Table(pd.DataFrame(rows, columns=names, dtype=object), caption)


def _tally(outcome: Outcome) -> str:
    assert outcome.summary is not None
    found = [Decision(text).symbol for text in outcome.summary["decision"]]
    return ", ".join(f"{found.count(s)} {s}" for s in SYMBOLS if s in found)


def _glance(study: Study, made: Sequence[Outcome]) -> list[Section]:
    """Show who beats whom: a square table per measure and model, where there are three or more."""
    import pandas as pd

    names = list(study.names.values())
    mirrored = dict(zip(SYMBOLS, reversed(SYMBOLS), strict=True))
    tables = []
    for measure, model in dict.fromkeys((o.measure, o.model) for o in made):
        found: dict[tuple[str, str], Markup] = {}
        for o in made:
            if (o.measure, o.model) == (measure, model) and o.shown:
                found[o.a, o.b] = _linked(o, o.shown[-1])
                found[o.b, o.a] = _linked(o, mirrored[o.shown[-1]])
        if len(names) > 2 and found:
            rows = [[a, *(found.get((a, b), "") for b in names)] for a in names]
            caption = f"{measure}, {model} model: how the row compares to the column."
            tables.append(Table(pd.DataFrame(rows, columns=["", *names], dtype=object), caption))
    return [Section("At a glance", tables)] if tables else []


def _settings(study: Study) -> list[tuple[str, str]]:
    rows = {
        "data": Path(study.file).name,
        "truth": study.truth,
        "classifiers": ", ".join(study.names.values()),
        "measures": ", ".join(study.measures),
        "models": ", ".join(Path(model).stem for model in study.models),
        "ROPE": f"[{study.rope[0]:+g}, {study.rope[1]:+g}]",
        "HDI": f"{100 * study.hdi:g}%",
        "prior": study.prior,
        "seed": str(study.seed),
        **{name: str(value) for name, value in study.fitting.items()},
        **{name: f"{value:g}" for name, value in study.judging.items() if value is not None},
        "stanoff": __version__,
    }
    return list(rows.items())
