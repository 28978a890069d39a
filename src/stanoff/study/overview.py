"""The page and the table files that gather all comparisons of a study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup

from stanoff import __version__
from stanoff._lib.escaping import one_line
from stanoff._lib.files import write_text
from stanoff.inference.decision import Decision
from stanoff.report.document import (
    Items,
    Paragraph,
    Section,
    Table,
    document,
    joined,
    link,
)
from stanoff.study.config import Study
from stanoff.text.numbers import ends, level

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.study.build import Outcome

SYMBOLS = [decision.symbol for decision in Decision]


def write_overview(study: Study, outcomes: Sequence[Outcome], out: Path) -> None:
    """Write index.html, and the table as CSV, Markdown and LaTeX."""
    import pandas as pd

    from stanoff.text.frames import frame_text

    made = [outcome for outcome in outcomes if not outcome.error]
    if made:
        numbers = pd.concat([_labelled(o, o.summary) for o in made], ignore_index=True)
        write_text(out / "table.csv", f"{frame_text(numbers, 'csv')}\n")
        cells = pd.concat([_labelled(o, o.cells) for o in made], ignore_index=True)
        write_text(out / "table.md", f"{frame_text(cells, 'markdown')}\n")
        write_text(out / "table.tex", f"{frame_text(cells, 'latex', caption=study.title)}\n")
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
        texts = [f"{outcome.title}: {outcome.error}" for outcome in broken]
        told = f"{len(broken)} of {len(outcomes)} comparisons could not be made:"
        sections.append(Section("What failed", [Paragraph(told, note=True), Items(texts)]))
    if made:
        sections.append(Section("Verdicts", [_verdicts(made)]))
        sections += _glance(study, made)
        texts = [
            joined([_linked(outcome, outcome.title), ": ", line])
            for outcome in made
            for line in outcome.sentence.split("\n")
        ]
        sections.append(Section("In words", [Items(texts)]))
        known = dict.fromkeys(warning for outcome in made for warning in outcome.warnings)
        if known:
            notes = [Paragraph(warning, note=True) for warning in known]
            sections.append(Section("What to know before trusting the numbers", notes))
        files = [link(name, name) for name in ("table.csv", "table.md", "table.tex")]
        where: list[str] = ["All numbers: ", files[0], ", ", files[1], ", ", files[2], "."]
        if study.figures:
            where += [" The figures are in the folder ", link("figures", "figures/"), "."]
        sections.append(Section("Files", [Paragraph(joined(where))]))
    settings = pd.DataFrame(_settings(study), columns=["setting", "value"])
    sections.append(Section("Settings", [Table(settings)]))
    return document(one_line(study.title), sections)


def _linked(outcome: Outcome, text: str) -> Markup:
    return link(text, f"pages/{quote(outcome.slug)}.html")


def _verdicts(made: Sequence[Outcome]) -> Table:
    """Show every comparison in a row: the one decided upon, or how many of each decision."""
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
    question, sampling = study.questions[0], study.samplings[0]
    given = [s.model.name if s.model else "by the data" for s in study.samplings]
    rows = {
        "data": Path(study.file).name,
        "truth": study.truth,
        "classifiers": ", ".join(study.names.values()),
        "measures": ", ".join(question.measure.label for question in study.questions),
        "models": ", ".join(given),
        "average": question.average,
        "ROPE": ends(question.rope),
        "HDI": level(question.hdi),
        "prior": str(sampling.prior),
        "engine": sampling.engine,
        "chains": sampling.chains,
        "draws": sampling.draws,
        "warmup": sampling.warmup,
        "seed": sampling.seed,
        "pos_label": study.pos_label,
        "labels": None if study.labels is None else ", ".join(map(str, study.labels)),
        "stanoff": __version__,
    }
    return [(name, str(value)) for name, value in rows.items() if value is not None]
