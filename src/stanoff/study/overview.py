"""The page that gathers all comparisons of a study."""

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
from stanoff.models.priors import described
from stanoff.report.document import (
    Block,
    Items,
    Paragraph,
    Section,
    Table,
    document,
    joined,
    link,
)
from stanoff.study.config import DataSet, Study
from stanoff.study.tables import study_legend, write_tables
from stanoff.text.numbers import format_level, format_rope
from stanoff.text.tables import in_one_paragraph

if TYPE_CHECKING:
    from stanoff.study.outcomes import Outcome

SYMBOLS = [decision.symbol for decision in Decision]
COLUMNS = ("comparison", "measure", "model", "category", "mean", "HDI", "ROPE pct", "decision")


def write_overview(study: Study, outcomes: Sequence[Outcome], out: Path) -> None:
    """Write index.html, and the tables as CSV, Markdown and LaTeX."""
    made = [outcome for outcome in outcomes if not outcome.error]
    pairs = [outcome for outcome in made if not outcome.is_contest]
    contests = [outcome for outcome in made if outcome.is_contest]
    tables = write_tables(study, outcomes, out)
    write_text(out / "index.html", _page(study, outcomes, contests, pairs, tables))


def _page(
    study: Study,
    outcomes: Sequence[Outcome],
    contests: Sequence[Outcome],
    made: Sequence[Outcome],
    tables: Sequence[str],
) -> str:
    sections = []
    broken = [outcome for outcome in outcomes if outcome.error]
    if broken:
        texts = [f"{outcome.title}: {outcome.error}" for outcome in broken]
        what = "comparisons and contests" if any(o.is_contest for o in outcomes) else "comparisons"
        told = f"{len(broken)} of {len(outcomes)} {what} could not be made:"
        sections.append(Section("What failed", [Paragraph(told, note=True), Items(texts)]))
    if contests:
        sections.append(Section("All systems together", _contests(contests)))
    if made:
        if len(study.data) > 1:
            sections.append(Section("All data sets", [_across(study, made), _signs(study)]))
        for data in study.data:
            sections += _of_data(study, data, [o for o in made if o.data == data.name])
        texts = [
            joined([_linked(outcome, outcome.title), ": ", line])
            for outcome in made
            for line in outcome.sentence.split("\n")
        ]
        sections.append(Section("In words", [Items(texts)]))
    every = [*contests, *made]
    if known := dict.fromkeys(warning for outcome in every for warning in outcome.warnings):
        notes = [Paragraph(warning, note=True) for warning in known]
        sections.append(Section("What to know before trusting the numbers", notes))
    if every:
        sections.append(Section("Files", _files(study, [*contests, *made], tables)))
    sections.append(Section("Settings", [_settings(study, every)]))
    return document(one_line(study.title), sections)


def _contests(contests: Sequence[Outcome]) -> list[Block]:
    """Show who can still be the best: in words, system by system, category by category."""
    blocks: list[Block] = []
    for o in contests:
        assert o.cells is not None
        if o.shown:
            blocks.append(joined([_linked(o, o.title), ": ", o.sentence]))
            rows = o.cells[o.cells["category"] == o.shown[0]].drop(columns="category")
            blocks.append(Table(rows, o.caption))
            continue
        blocks.append(Paragraph(_linked(o, o.title)))
        blocks.append(Items(o.sentence.split("\n")))
    return blocks


def _of_data(study: Study, data: DataSet, made: Sequence[Outcome]) -> list[Section]:
    """Show the verdicts on one data set, and who beats whom."""
    if not made:
        return []
    on = f" on {data.name}" if data.name else ""
    sections = [
        Section(
            f"Verdicts{on}",
            [_verdicts(made), _explained(study, ["mean", "hdi", "p_rope", "decision"])],
        )
    ]
    squares: list[Block] = list(_glance(study, made))
    if squares:
        sections.append(Section(f"At a glance{on}", [*squares, _signs(study)]))
    return sections


def _explained(study: Study, columns: Sequence[str]) -> Paragraph:
    return Paragraph(in_one_paragraph(study_legend(study, columns)))


def _signs(study: Study) -> Paragraph:
    return _explained(study, ["decision"])


def _linked(outcome: Outcome, text: str) -> Markup:
    return link(text, f"pages/{quote(outcome.slug)}.html")


def _verdicts(made: Sequence[Outcome]) -> Table:
    """Show every comparison in a row: the one decided upon, or how many of each decision."""
    import pandas as pd

    rows = []
    for o in made:
        category, mean, hdi, p_rope, symbol = o.shown or ("all", "", "", "", _tally(o))
        who = [_linked(o, f"{o.a} and {o.b}"), o.measure, o.model]
        rows.append([*who, category, mean, hdi, p_rope, symbol])
    caption = (
        "Posterior of the difference between the first (A) and the second (B); every comparison "
        "has a page of its own."
    )
    return Table(pd.DataFrame(rows, columns=list(COLUMNS), dtype=object), caption)


def _tally(outcome: Outcome) -> str:
    assert outcome.summary is not None
    found = [Decision(text).symbol for text in outcome.summary["decision"]]
    return ", ".join(f"{found.count(s)} {s}" for s in SYMBOLS if s in found)


def _across(study: Study, made: Sequence[Outcome]) -> Table:
    """Show every comparison in a row, and its decision on every data set."""
    import pandas as pd

    found: dict[tuple[str, ...], dict[str, Markup]] = {}
    for o in made:
        symbol = o.shown[-1] if o.shown else _tally(o)
        found.setdefault((o.a, o.b, o.measure, o.model), {})[o.data] = _linked(o, symbol)
    names = [data.name for data in study.data]
    rows = [
        [f"{a} and {b}", *rest, *(cells.get(name, "") for name in names)]
        for (a, b, *rest), cells in found.items()
    ]
    columns = ["comparison", "measure", "model", *names]
    caption = "How the first (A) compares to the second (B) on every data set."
    return Table(pd.DataFrame(rows, columns=columns, dtype=object), caption)


def _glance(study: Study, made: Sequence[Outcome]) -> list[Table]:
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
            caption = f"{measure}, {model} model: how the row (A) compares to the column (B)."
            tables.append(Table(pd.DataFrame(rows, columns=["", *names], dtype=object), caption))
    return tables


def _files(study: Study, made: Sequence[Outcome], tables: Sequence[str]) -> list[Block]:
    """Link the tables, and the figures in every format."""
    import pandas as pd

    linked = Markup(", ").join(link(name, name) for name in tables)
    where = Paragraph(joined(["All numbers: ", linked, "."]))
    names = list(dict.fromkeys(name for outcome in made for name in outcome.figures))
    if not names:
        return [where]

    def links(outcome: Outcome, name: str) -> Markup:
        if name not in outcome.figures:
            return Markup("")
        path = f"figures/{quote(outcome.slug)}-{name}"
        parts = [link(style, f"{path}.{style}") for style in study.figure_formats]
        return Markup(", ").join(parts)

    rows = [[o.title, *(links(o, name) for name in names)] for o in made]
    frame = pd.DataFrame(rows, columns=["comparison", *names], dtype=object)
    return [where, Table(frame, "The figures, which are in the folder figures.")]


def _settings(study: Study, made: Sequence[Outcome]) -> Table:
    """Say what was compared and how: files and columns, prior, ROPE, seed."""
    import pandas as pd

    question, sampling = study.questions[0], study.samplings[0]
    given = [s.model.name if s.model else "by the data" for s in study.samplings]
    rows = [row for data in study.data for row in _described(study, data, made)]
    columns = [
        name if name == column else f"{name} (column {column})"
        for column, name in study.names.items()
    ]
    rows += {
        "classifiers": ", ".join(columns),
        "measures": ", ".join(question.measure.label for question in study.questions),
        "models": ", ".join(given),
        "average": question.average,
        "ROPE": format_rope(question.rope_given),
        "HDI": format_level(question.hdi_prob),
        "prior": described(sampling.prior),
        "engine": sampling.engine or "by the model",
        "chains": sampling.chains,
        "draws": sampling.draws,
        "warmup": sampling.warmup,
        "seed": sampling.seed,
        "stanoff": __version__,
    }.items()
    told = [(name, str(value)) for name, value in rows if value is not None]
    return Table(pd.DataFrame(told, columns=["setting", "value"]))


def _described(
    study: Study, data: DataSet, made: Sequence[Outcome]
) -> list[tuple[str, object | None]]:
    """Say where the labels of a data set are, of when, and what they mean."""
    origin = next((o.source for o in made if o.data == data.name), {})
    dated = f", of {origin['modified']}" if origin.get("modified") else ""
    on = f" of {data.name}" if len(study.data) > 1 else ""
    return [
        (f"data{on}", f"{', '.join(Path(file).name for file in data.files)}{dated}"),
        (f"truth{on}", data.truth),
        (f"positive label{on}", origin.get("pos_label", data.pos_label)),
        (f"labels{on}", None if data.labels is None else ", ".join(map(str, data.labels))),
    ]
