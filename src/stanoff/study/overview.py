"""The page that gathers all comparisons of a study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stanoff import __version__
from stanoff._lib.files import write_text
from stanoff.models.priors import describe_prior
from stanoff.report.templates import policy, render
from stanoff.study.cache import StudyResult
from stanoff.study.config import DataSet, Study
from stanoff.study.tables import MIRRORED, study_legend, write_tables
from stanoff.text.numbers import format_level, format_rope
from stanoff.text.tables import in_one_paragraph


def write_overview(study: Study, results: Sequence[StudyResult], out: Path) -> None:
    """Write index.html, and the tables as CSV, Markdown and LaTeX."""
    made = [result for result in results if not result.error]
    pairs = [result for result in made if not result.is_contest]
    html = render(
        "overview.html",
        package="stanoff.study",
        policy=policy(),
        study=study,
        results=results,
        failed=[result for result in results if result.error],
        made=made,
        contests=[result for result in made if result.is_contest],
        pairs=pairs,
        symbol=decision_symbol,
        across=decisions_by_data(pairs),
        squares={data.name: squares(study, pairs, data) for data in study.data},
        warnings=list(dict.fromkeys(w for result in made for w in result.warnings)),
        tables=write_tables(study, results, out),
        figures=list(dict.fromkeys(name for result in made for name in result.figures)),
        legend=in_one_paragraph(study_legend(study, ["mean", "hdi", "p_rope", "decision"])),
        symbols=in_one_paragraph(study_legend(study, ["decision"])),
        settings=settings(study, made),
    )
    write_text(out / "index.html", html)


def decision_symbol(result: StudyResult) -> str:
    """Return the decision, or how often each was made where no row is decided upon."""
    if result.category:
        return str(result.rows_of(result.category)["decision"].iloc[0])[0]  # without a dagger
    symbols = [cell[0] for cell in result.cells["decision"]]
    return ", ".join(f"{symbols.count(s)} {s}" for s in MIRRORED if s in symbols)


def decisions_by_data(pairs: Sequence[StudyResult]) -> dict[tuple[str, ...], Any]:
    """Put the results of a pair on all data sets together, by systems, measure and model."""
    rows: dict[tuple[str, ...], dict[str, StudyResult]] = {}
    for result in pairs:
        key = (f"{result.a} and {result.b}", result.measure, result.model)
        rows.setdefault(key, {})[result.data] = result
    return rows


def squares(study: Study, pairs: Sequence[StudyResult], data: DataSet) -> dict[str, Any]:
    """Find out who beats whom, by measure and model: the result and symbol of two systems."""
    tables: dict[str, dict[tuple[str, str], tuple[StudyResult, str]]] = {}
    for result in pairs:
        if result.data == data.name and result.category and len(study.systems) > 2:
            cells = tables.setdefault(f"{result.measure}, {result.model} model", {})
            symbol = decision_symbol(result)
            cells[result.a, result.b] = result, symbol
            cells[result.b, result.a] = result, MIRRORED[symbol]
    return tables


def settings(study: Study, made: Sequence[StudyResult]) -> dict[str, Any]:
    """Say what was compared and how: files and columns, prior, ROPE, seed."""
    question, sampling = study.questions[0], study.samplings[0]
    rows: dict[str, Any] = {}
    for data in study.data:
        source = next((result.source for result in made if result.data == data.name), {})
        dated = f", of {source['modified']}" if source.get("modified") else ""
        on = f" of {data.name}" if len(study.data) > 1 else ""
        rows[f"data{on}"] = f"{', '.join(Path(file).name for file in data.files)}{dated}"
        rows[f"truth{on}"] = data.truth
        rows[f"positive label{on}"] = source.get("pos_label", data.pos_label)
        rows[f"labels{on}"] = data.labels and ", ".join(map(str, data.labels))
    systems = study.systems.items()
    rows |= {
        "classifiers": ", ".join(n if n == c else f"{n} (column {c})" for c, n in systems),
        "measures": ", ".join(question.measure.label for question in study.questions),
        "models": ", ".join(s.model.name if s.model else "by the data" for s in study.samplings),
        "average": question.average,
        "ROPE": format_rope(question.rope_option),
        "HDI": format_level(question.hdi_prob),
        "prior": describe_prior(sampling.prior),
        "engine": sampling.engine or "by the model",
        "chains": sampling.chains,
        "draws": sampling.draws,
        "warmup": sampling.warmup,
        "seed": sampling.seed,
        "stanoff": __version__,
    }
    return {name: value for name, value in rows.items() if value is not None}
