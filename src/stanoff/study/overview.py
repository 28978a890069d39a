"""The page that gathers all comparisons of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stanoff import plots
from stanoff._lib.files import write_text
from stanoff.models.priors import describe_prior
from stanoff.report.figures import as_bytes, inline
from stanoff.report.templates import inlined, policy, render
from stanoff.study.answers import answer_tables, decision_symbol, list_answers
from stanoff.study.cache import StudyResult
from stanoff.study.config import Study, to_toml
from stanoff.study.tables import MIRRORED, study_legend, write_tables
from stanoff.text.numbers import format_level, format_rope
from stanoff.text.run_again import describe_versions
from stanoff.text.tables import DECISION_OF_SYMBOL, in_one_paragraph


def write_overview(study: Study, results: Sequence[StudyResult], out: Path) -> None:
    """Write index.html, and the tables as CSV, Markdown and LaTeX."""
    made = [result for result in results if not result.error]
    pairs = [result for result in made if not result.is_contest]
    answers = answer_tables(list_answers(made))
    script = inlined("copy.js") + inlined("sort.js")
    html = render(
        "overview.html",
        package="stanoff.study",
        policy=policy(script),
        script=script,
        study=study,
        results=results,
        failed=[result for result in results if result.error],
        made=made,
        contests=[result for result in made if result.is_contest],
        pairs=pairs,
        symbol=decision_symbol,
        answers=answers,
        averaged=_averaged(study),
        decisions={**DECISION_OF_SYMBOL, "": ""},
        data_names=[data.name for data in study.data],
        squares=squares(study, pairs),
        warnings=list(dict.fromkeys(w for result in made for w in result.warnings)),
        tables=write_tables(study, results, out),
        figures=list(dict.fromkeys(name for result in made for name in result.figures)),
        legend=in_one_paragraph(study_legend(study, ["decision"])),
        columns=in_one_paragraph(study_legend(study, ["mean", "hdi", "p_rope"])),
        settings=settings(study, made),
        again=to_toml(study),
        **_figure(study, answers),
    )
    write_text(out / "index.html", html)


def _figure(study: Study, answers: Mapping[Any, Mapping[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Draw the answers of the first table, and say what is seen."""
    if not answers:
        return {"figure": ""}
    (measure, is_difference), rows = next(iter(answers.items()))
    listed = [
        rows[label][data.name] for data in study.data for label in rows if data.name in rows[label]
    ]
    rope = study.questions[0].rope_option
    shown = rope if is_difference and not isinstance(rope, str) else None
    svg = as_bytes(plots.plot_answers(listed, shown))
    what = "difference" if is_difference else "score of every system"
    caption = f"Posterior mean and HDI of the {what} in {_averaged(study)}{measure}."
    return {"figure": inline(svg, "answers", caption), "figure_caption": caption}


def _averaged(study: Study) -> str:
    average = study.questions[0].average
    return f"{average}-averaged " if average else ""


def squares(study: Study, pairs: Sequence[StudyResult]) -> dict[str, Any]:
    """Find out who beats whom, by data set, measure and model: result and symbol of two systems."""
    tables: dict[str, dict[tuple[str, str], tuple[StudyResult, str]]] = {}
    for result in pairs:
        if result.category and len(study.systems) > 2:
            on = f" on {result.data}" if result.data else ""
            cells = tables.setdefault(f"{result.measure}{on}, {result.model} model", {})
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
        sha256 = next((r.sha256[:16] for r in made if r.data == data.name), None)
        dated = f", of {source['modified']}" if source.get("modified") else ""
        on = f" of {data.name}" if len(study.data) > 1 else ""
        rows[f"data{on}"] = f"{', '.join(Path(file).name for file in data.files)}{dated}"
        rows[f"SHA-256 of what was read{on}"] = sha256
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
        "versions": next((v for r in made if (v := describe_versions(r.versions))), None),
    }
    return {name: value for name, value in rows.items() if value is not None}
