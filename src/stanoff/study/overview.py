"""The page of a study: a verdict on every system and data set first, then all comparisons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stanoff import plots
from stanoff._lib.files import write_text
from stanoff.models.priors import describe_prior
from stanoff.report.figures import as_bytes, inline
from stanoff.report.templates import inlined, policy, render
from stanoff.study.cache import StudyResult
from stanoff.study.config import Study, to_toml
from stanoff.study.tables import MIRRORED, study_legend, write_tables
from stanoff.text.numbers import format_level, format_rope
from stanoff.text.run_again import describe_versions
from stanoff.text.tables import DECISION_OF_SYMBOL, in_one_paragraph

MODEL_OF_PAIRS = {"contest": "paired"}  # two systems of a contest are what the paired model has


class Answer(NamedTuple):
    """How good a system is on a data set and whether the leader is better; or how two differ.

    Attributes
    ----------
    measure, data, label : str
        What is judged, on what, and the system, or both systems of a comparison.
    mean, low, high : float
        The posterior mean of the score or of the difference, and its HDI.
    text : str
        The mean as text.
    symbol : str
        The verdict: of a system against the leader, who has none.
    slug : str
        How the page is called that has more.
    can_be_best : bool
        Whether no system is significantly better.
    is_difference : bool
        Whether it is about two systems.
    """

    measure: str
    data: str
    label: str
    mean: float
    low: float
    high: float
    text: str
    symbol: str
    slug: str
    can_be_best: bool = False
    is_difference: bool = False


def list_answers(results: Sequence[StudyResult]) -> Iterator[Answer]:
    """List the answers of contests, and of comparisons that belong to none.

    Results that decide on no row, because they have several categories and no average, have none.
    """
    decided = [result for result in results if result.category]
    pairs = [result for result in decided if not result.is_contest]
    contests = {
        (r.data, r.measure, MODEL_OF_PAIRS.get(r.model, r.model)): r
        for r in decided
        if r.is_contest
    }
    several_models = len({pair.model for pair in pairs}) > 1
    for about, contest in contests.items():
        model = f" ({contest.model})" if several_models else ""
        of_contest = [pair for pair in pairs if (pair.data, pair.measure, pair.model) == about]
        yield from _of_contest(contest, of_contest, model)
    for pair in pairs:
        if (pair.data, pair.measure, pair.model) not in contests:
            model = f" ({pair.model})" if several_models else ""
            [row] = pair.summary[pair.summary["category"] == pair.category].to_dict("records")
            yield Answer(
                measure=pair.measure,
                data=pair.data,
                label=f"{pair.a} − {pair.b}{model}",
                mean=row["mean"],
                low=row["hdi_low"],
                high=row["hdi_high"],
                text=pair.rows_of(pair.category)["mean"].iloc[0],
                symbol=decision_symbol(pair),
                slug=pair.slug,
                is_difference=True,
            )


def _of_contest(contest: StudyResult, pairs: Sequence[StudyResult], model: str) -> Iterator[Answer]:
    rows = contest.summary[contest.summary["category"] == contest.category].to_dict("records")
    leader, symbols = rows[0]["system"], dict[str, str]()
    for pair in pairs:
        if leader in pair.systems:
            symbols[pair.a] = decision_symbol(pair)
            symbols[pair.b] = MIRRORED[symbols[pair.a]]
    symbols[leader] = ""
    for row, text in zip(rows, contest.rows_of(contest.category)[contest.measure], strict=True):
        yield Answer(
            measure=contest.measure,
            data=contest.data,
            label=f"{row['system']}{model}",
            mean=row["psi"],
            low=row["hdi_low"],
            high=row["hdi_high"],
            text=text,
            symbol=symbols.get(row["system"], ""),
            slug=contest.slug,
            can_be_best=row["tier"] == 1,
        )


def decision_symbol(result: StudyResult) -> str:
    """Return the decision, or how often each was made where no row is decided upon."""
    if result.category:
        return str(result.rows_of(result.category)["decision"].iloc[0])[0]
    symbols = [cell[0] for cell in result.cells["decision"]]
    return ", ".join(f"{symbols.count(s)} {s}" for s in MIRRORED if s in symbols)


def write_overview(study: Study, results: Sequence[StudyResult], out: Path) -> None:
    """Write index.html, and the tables as CSV, Markdown and LaTeX."""
    made = [result for result in results if not result.error]
    pairs = [result for result in made if not result.is_contest]
    # By measure and whether they are differences, then by row and data set.
    answers: dict[tuple[str, bool], dict[str, dict[str, Answer]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for answer in list_answers(made):
        answers[answer.measure, answer.is_difference][answer.label][answer.data] = answer
    tables = write_tables(study, results, out)
    first = next(iter(answers.values()), None)
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
        decisions={**DECISION_OF_SYMBOL, "": ""},  # the leader has no verdict
        data_names=[data.name for data in study.data],
        squares=squares(study, pairs),
        warnings=list(dict.fromkeys(w for result in made for w in result.warnings)),
        tables=tables,
        figures=list(dict.fromkeys(name for result in made for name in result.figures)),
        legend=in_one_paragraph(study_legend(study, ["decision"])),
        columns=in_one_paragraph(study_legend(study, ["mean", "hdi", "p_rope"])),
        settings=settings(study, made),
        again=to_toml(study),
        **(_figure(study, first) if first else {}),
    )
    write_text(out / "index.html", html)


def _figure(study: Study, rows: dict[str, dict[str, Answer]]) -> dict[str, Any]:
    """Draw the answers of the first table, and say what is seen."""
    answers = [row[data.name] for data in study.data for row in rows.values() if data.name in row]
    rope, is_difference = study.questions[0].rope_option, answers[0].is_difference
    shown = rope if is_difference and not isinstance(rope, str) else None
    what = "difference" if is_difference else "score of every system"
    what = f"{what} in {_averaged(study)}{answers[0].measure}"
    caption = f"Posterior mean and HDI of the {what}."
    svg = as_bytes(plots.plot_answers(answers, shown))
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
        result = next((result for result in made if result.data == data.name), None)
        source = result.source if result else {}
        dated = f", of {source['modified']}" if source.get("modified") else ""
        on = f" of {data.name}" if len(study.data) > 1 else ""
        rows[f"data{on}"] = f"{', '.join(Path(file).name for file in data.files)}{dated}"
        rows[f"SHA-256 of what was read{on}"] = result and result.sha256[:16]
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
        **{name: getattr(sampling, name) for name in ("chains", "draws", "warmup", "seed")},
        "versions": next((v for r in made if (v := describe_versions(r.versions))), None),
    }
    return {name: value for name, value in rows.items() if value is not None}
