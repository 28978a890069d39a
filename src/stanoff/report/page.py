"""One comparison as one HTML page: the verdict, the table, the figures, the settings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from stanoff import __version__
from stanoff._lib.escaping import latex, one_line, shown
from stanoff.errors import StanoffError
from stanoff.models.priors import describe_prior
from stanoff.report.embedding import embed_draws, format_coarseness, json_block
from stanoff.report.figures import Picture, draw_figures, inline
from stanoff.report.templates import inlined, policy, render
from stanoff.text.export import article_table
from stanoff.text.latex import to_latex
from stanoff.text.numbers import digits_for, format_interval, format_level, signed
from stanoff.text.run_again import run_again
from stanoff.text.sentences import (
    describe_claims,
    describe_comparison,
    describe_dependence,
    describe_direction,
    describe_documents,
    describe_groups,
    describe_rope_and_direction,
    describe_rope_flips,
    describe_score,
)
from stanoff.text.tables import COLUMNS as TABLE_COLUMNS
from stanoff.text.tables import (
    DECISION_SYMBOLS,
    GROUPS,
    comparison_table,
    in_one_paragraph,
    legend_of,
    meaning_of,
)

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.inference.evidence import Evidence
    from stanoff.results.comparison import Comparison
    from stanoff.results.contest import Contest

MAX_READ_AGAIN, MAX_LISTED, MAX_CELL = 10_000, 50, 80  # documents, rows, characters
BIBTEX = inlined("zhang2016.bib")
# What decides comes first: a narrow window shows only the first columns.
COLUMNS = (
    *("category", "decision", "mean", "hdi", "p_rope", "psi_A", "psi_B", "observed_A"),
    *("observed_B", "p_greater", "std", "bf_sd", "bf_rope", "sign_test", "t_test"),
)
CHANGING = ("p_rope", "hdi", "decision")  # these columns follow the reader's ROPE and HDI
NAMED = ("psi_A", "psi_B", "observed_A", "observed_B")  # headings that are as long as names
CLASSES = {
    "category": "",
    "decision": "decision",
    "hdi": "number hdi",
    **dict.fromkeys(NAMED, "number name"),
}


def comparison_page(result: Comparison, *, figures: Sequence[Picture] | None = None) -> str:
    """Render a self-contained page; whatever the user named is escaped.

    The draws are in it, so that a reader can apply another ROPE or HDI in the browser.

    Parameters
    ----------
    result : Comparison
        A comparison.
    figures : sequence of Picture, optional
        Its figures, if they have been drawn already.
    """
    focus = result.categories.index(result.average or result.categories[0])
    category = result.categories[focus]
    evidence = [result.evidence(name) for name in result.categories]
    table = comparison_table(result.whole, COLUMNS)
    draws = [result.posterior_sample(name) for name in result.categories]
    embedded, thinning = embed_draws(draws, keep_sides_of=(*result.rope, 0.0))
    rows = [_row(result, e, d) for e, d in zip(evidence, embedded, strict=True)]
    a, b = map(shown, result.names)
    score, rope = describe_score(result, category), format_interval(result.rope)
    return render_page(
        "page",
        result,
        draw_figures(result, category) if figures is None else figures,
        data=_data(result, evidence, rows, focus),
        documents=describe_documents(result),
        title=f"{a} {evidence[focus].decision.symbol} {b} in {score}, ROPE {rope}",
        names=[one_line(name) for name in result.names],
        focus=focus,
        evidence=evidence[focus],
        sentence=describe_comparison(result, evidence[focus]),
        change=describe_rope_flips(result, evidence[focus]),
        headings=[
            (name, heading, meaning_of(name), CLASSES.get(name, "number"))
            for name, heading in zip(COLUMNS, table.columns, strict=True)
        ],
        rows=[(i, table.iloc[i].tolist(), evidence[i]) for i in _natural_order(result)],
        digits=max(row["digits"] for row in rows),
        legend=in_one_paragraph(legend_of(result, COLUMNS)),
        averages=len(result.categories) - len(result.data.categories),
        thinning=thinning,
        coarse=format_coarseness(thinning, draws),
        disagreements=_few_disagreements(result),
        groups=groups_table(result, comparison_table(result, GROUPS)) if result.groups else None,
        fixed=[one_line(row["name"]) for row in rows if row["draws"] is None],
    )


def _natural_order(result: Comparison) -> list[int]:
    """Order the rows by name, numbers in names as numbers; averages stay last."""
    n = len(result.data.categories)
    names = [re.split(r"(\d+)", name) for name in result.data.categories]
    keys = [[(int(p), "") if p.isdecimal() else (0, p) for p in parts] for parts in names]
    return [*sorted(range(n), key=keys.__getitem__), *range(n, len(result.categories))]


def render_page(
    name: str,
    result: Comparison | Contest,
    figures: Sequence[Picture],
    *,
    data: Mapping[str, Any],
    documents: str,
    **values: Any,
) -> str:
    """Fill in what the pages of comparisons and contests share."""
    script = "".join(inlined(f"{file}.js") for file in ("evidence", "copy", "shared", name))
    shared = {
        "rope": result.rope,
        "higher": result.measure.higher_is_better,
        # What follows a sentence at the given ROPE, and at one of the reader's own:
        "aside": "".join(f" {sentence}" for sentence in describe_rope_and_direction(result)),
        "lower": "".join(f" {sentence}" for sentence in describe_direction(result)),
        "warnings": result.sampler_warnings,
        "bibtex": BIBTEX,
    }
    return render(
        f"{name}.html",
        policy=policy(script),
        script=Markup(script),
        kind="comparison" if result.is_pair else "contest",
        hdi=format_level(result.hdi_prob),
        again=run_again(result),
        data=json_block({**shared, **data}),
        symbols=DECISION_SYMBOLS,
        middle=(result.rope[0] + result.rope[1]) / 2,
        rope=format_interval(result.rope),
        warnings=result.warnings,
        figures=[(inline(f.svg, f.name, f.caption), f.caption) for f in figures],
        settings=settings(result, documents),
        bibtex=BIBTEX,
        **values,
    )


def groups_table(result: Comparison | Contest, table: pd.DataFrame) -> dict[str, Any]:
    """Return what a page shows of groups of the documents."""
    return {
        "by": one_line(result.by),
        "sentence": describe_groups(result),
        "headings": list(table.columns),
        "rows": table.to_numpy().tolist(),
    }


def settings(result: Comparison | Contest, documents: str) -> dict[str, str]:
    """Describe what was compared and how, by name; where it comes from as far as that is known."""
    chains, draws = result.fit.draws.shape
    source = result.data.source
    columns = {"truth": "truth", "a": "A", "b": "B"}
    origin = {
        "file": Path(source.get("file", "")).name,  # not where it lies on this machine
        "file last changed": source.get("modified", ""),
        "columns": ", ".join(
            f"{name}: {shown(source[key])}" for key, name in columns.items() if source.get(key)
        ),
        "positive label": source.get("pos_label", ""),
    }
    return {
        **{name: one_line(value) for name, value in origin.items() if value},
        "documents": f"{documents}, taken as {describe_dependence(result.data)}",
        "measure": f"{result.measure_label} = {result.measure.formula}",
        "model": result.model.name,
        "engine": result.engine,
        "prior": describe_prior(result.prior),
        "ROPE": format_interval(result.rope),
        "HDI": format_level(result.hdi_prob),
        "draws": f"{chains} × {draws:,}",
        "seed": str(result.seed),
        "stanoff": __version__,
    }


def _few_disagreements(result: Comparison) -> dict[str, Any] | None:
    """Return the documents on which the systems differ, if they can be had and are few."""
    if result.fit.rows is None or max(result.n_documents()) > MAX_READ_AGAIN:
        return None
    try:
        table = result.disagreements()
    except StanoffError:  # what was given is not there any more
        return None
    if not 0 < len(table) <= MAX_LISTED:
        return None
    cells = [[str(cell)[:MAX_CELL] for cell in row] for row in table.to_numpy().tolist()]
    rows = list(zip(map(str, table.index), cells, strict=True))
    return {"columns": [str(name) for name in table.columns], "rows": rows}


def _row(result: Comparison, e: Evidence, draws: Any) -> dict[str, Any]:
    row = {
        "name": e.category,
        "judged": describe_score(result, e.category),
        "documents": describe_documents(result, e.category),
        "model": shown(result.model.name),
        "mean": signed(e.mean, digits_for(e.std)),
        "sign": (e.mean > 0) - (e.mean < 0),
        "std": _number(e.std),
        "mcse": _number(e.mcse),
        "pBetter": e.p_greater if result.measure.higher_is_better else e.p_less,
        "pWorse": e.p_less if result.measure.higher_is_better else e.p_greater,
        "digits": digits_for(e.std),
        "draws": draws,
        "reported": {
            "decision": str(e.decision),
            "hdi": [_number(end) for end in e.hdi],
            "below": _number(e.p_below),
            "inside": _number(e.p_rope),
            "above": _number(e.p_above),
        },
        "claims": "".join(f" {text}" for text in describe_claims(result.claims_of(e.category))),
    }
    # Where nothing can be computed anew, what Python says is all there is.
    return row if draws is not None else row | {"sentence": describe_comparison(result, e)}


def _data(
    result: Comparison, evidence: list[Evidence], rows: list[dict[str, Any]], focus: int
) -> dict[str, Any]:
    values = {
        name: result.p_values.get(name) or [getattr(e, name) for e in evidence]
        for name in COLUMNS
        if name not in ("category", *CHANGING)
    }
    return {
        "names": [shown(name) for name in result.names],
        "hdi": result.hdi_prob,
        "focus": focus,
        "rows": rows,
        "columns": {name: COLUMNS.index(name) for name in CHANGING},
        "digits": max(row["digits"] for row in rows),
        "values": {name: [_number(v) for v in column] for name, column in values.items()},
        "latex": _latex_parts(result),
        "signs": {sign: latex(sign) for sign in "%<>[]≪≈≫"} | {"-": latex("-1")[:-1]},
    }


def _latex_parts(result: Comparison) -> list[Any]:
    """Split the LaTeX table: between its texts stand row and column of cells that may change.

    The place of the note on ROPE and HDI has neither row nor column.
    """
    texts = article_table(result.whole)
    shown = texts.pop("frame")
    token = "cell"
    while token in to_latex(shown, **texts):
        token += "q"
    frame = shown.copy()
    for name in CHANGING:
        frame[TABLE_COLUMNS[name].heading] = [
            f"{token}{i}z{COLUMNS.index(name)}{token}" for i in range(len(frame))
        ]
    texts["notes"] = [f"{token}{token}", *texts["notes"][1:]]
    parts = (to_latex(frame, **texts, measured=shown) + "\n").split(token)
    return [
        [int(number) for number in part.split("z") if number] if i % 2 else part
        for i, part in enumerate(parts)
    ]


def _number(value: float) -> float | None:
    """JSON has neither NaN nor infinity."""
    if isnan(value):
        return None
    return float(value) if isfinite(value) else (1e308 if value > 0 else -1e308)
