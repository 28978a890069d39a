"""One comparison as one HTML page: the verdict, the table, the figures, the settings."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stanoff import __version__
from stanoff._lib.escaping import latex, one_line, shown
from stanoff.inference.evidence import Evidence
from stanoff.models.priors import described
from stanoff.report.embedding import embedded, json_block
from stanoff.report.figures import Picture, draw_figures, inline
from stanoff.report.templates import inlined, policy, render
from stanoff.text.numbers import digits_for, format_interval, format_level, signed
from stanoff.text.render import to_latex
from stanoff.text.sentences import (
    comparison_caption,
    describe_comparison,
    describe_direction,
    describe_documents,
    describe_rope_and_direction,
    describe_rope_flips,
    describe_score,
)
from stanoff.text.tables import COLUMNS as TABLE_COLUMNS
from stanoff.text.tables import PAPER, comparison_table, legend_of

if TYPE_CHECKING:
    from stanoff.results.base import Result
    from stanoff.results.comparison import Comparison

BIBTEX = """\
@inproceedings{zhang2016bayesian,
  author    = {Dell Zhang and Jun Wang and Emine Yilmaz and Xiaoling Wang and Yuxin Zhou},
  title     = {Bayesian Performance Comparison of Text Classifiers},
  booktitle = {Proceedings of the 39th International {ACM} {SIGIR} Conference on Research and
               Development in Information Retrieval ({SIGIR} '16)},
  address   = {Pisa, Italy},
  publisher = {ACM},
  year      = {2016},
  doi       = {10.1145/2911451.2911547},
}
"""
# What decides comes first: a narrow window shows only the first columns.
COLUMNS = (
    *("category", "decision", "mean", "hdi", "p_rope", "psi_A", "psi_B", "observed_A"),
    *("observed_B", "p_greater", "std", "bf_sd", "bf_rope", "sign_test", "t_test"),
)
CHANGING = ("p_rope", "hdi", "decision")  # these columns follow the reader's ROPE and HDI
CLASSES = {
    "category": "",
    "decision": "decision",
    "hdi": "number hdi",
    **dict.fromkeys(("psi_A", "psi_B", "observed_A", "observed_B"), "number name"),
}
HINTS = {
    "bf_sd": "Savage-Dickey Bayes factor for no difference",
    "bf_rope": "Interval Bayes factor, at the ROPE of the comparison",
    "p_rope": "Probability that the difference lies in the ROPE",
}
DECISIONS = ("<<", "<", "=", ">", ">>")


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
    said = [result.evidence(category) for category in result.categories]
    table = comparison_table(result, COLUMNS)
    rows, every = _rows(result, said)
    if figures is None:
        figures = draw_figures(result, result.categories[focus])
    names = [one_line(name) for name in result.names]
    hints = HINTS | {
        f"{kind}_{letter}": f"{told} of {name}"
        for kind, told in (("psi", "Posterior mean"), ("observed", "Observed score"))
        for letter, name in zip("AB", names, strict=True)
    }
    script = inlined("evidence.js") + inlined("page.js")
    return render(
        "page.html",
        policy=policy(script),
        script=script,
        data=json_block(_data(result, said, rows, focus)),
        title=_title(result, said[focus]),
        names=names,
        focus=focus,
        said=said[focus],
        sentence=describe_comparison(result, said[focus]),
        change=describe_rope_flips(result, said[focus]),
        decisions=DECISIONS,
        headings=[
            (key, heading, hints.get(key, ""), CLASSES.get(key, "number"))
            for key, heading in zip(COLUMNS, table.columns, strict=True)
        ],
        rows=list(zip(table.to_numpy().tolist(), said, strict=True)),
        digits=max(row["digits"] for row in rows),
        legend=legend_of(result, COLUMNS),
        averages=len(result.categories) - len(result.data.categories),
        middle=(result.rope[0] + result.rope[1]) / 2,
        rope=format_interval(result.rope),
        hdi=format_level(result.hdi_prob),
        every=every,
        fixed=[one_line(row["name"]) for row in rows if row["draws"] is None],
        warnings=result.warnings,
        figures=[
            (inline(picture.svg, picture.name, picture.caption), picture.caption)
            for picture in figures
        ],
        settings=settings(result, describe_documents(result)),
        bibtex=BIBTEX,
    )


def _title(result: Comparison, e: Evidence) -> str:
    """Write the verdict on one row, and the ROPE it holds for; page.js does the same."""
    a, b = map(shown, result.names)
    judged = describe_score(result, e.category)
    return f"{a} {e.decision.symbol} {b} in {judged}, ROPE {format_interval(e.rope)}"


def settings(result: Result, documents: str) -> dict[str, str]:
    """Describe what was compared and how, by name; where it comes from as far as that is known."""
    chains, draws = result.fit.draws.shape
    return {
        **_origin(result),
        "documents": f"{documents}, taken as independent of each other",
        "measure": f"{result.measure.label} = {result.measure.formula}",
        "model": result.model.name,
        "engine": result.engine,
        "prior": described(result.prior),
        "ROPE": format_interval(result.rope),
        "HDI": format_level(result.hdi_prob),
        "draws": f"{chains} × {draws:,}",
        "seed": str(result.seed),
        "stanoff": __version__,
    }


def _origin(result: Result) -> dict[str, str]:
    """Name the file, its date, its columns and the positive label."""
    origin = result.data.source
    columns = {"truth": "truth", "a": "A", "b": "B"}
    told = {
        "file": Path(origin.get("file", "")).name,  # not where it lies on this machine
        "file last changed": origin.get("modified", ""),
        "columns": ", ".join(
            f"{name}: {shown(origin[key])}" for key, name in columns.items() if origin.get(key)
        ),
        "positive label": origin.get("pos_label", ""),
    }
    return {name: one_line(value) for name, value in told.items() if value}


def _rows(result: Comparison, said: list[Evidence]) -> tuple[list[dict[str, Any]], int]:
    draws = [result.posterior_sample(category) for category in result.categories]
    coded, every = embedded(draws, keep_sides_of=(*result.rope, 0.0))
    rows = [
        {
            "name": e.category,
            "judged": describe_score(result, e.category),
            "documents": describe_documents(result, e.category),
            "model": shown(result.model.name),
            "mean": signed(e.mean, digits_for(e.std)),
            "sign": (e.mean > 0) - (e.mean < 0),
            "std": _number(e.std),
            "mcse": _number(e.mcse),
            "digits": digits_for(e.std),
            "draws": code,
        }
        # Where nothing can be computed anew, what Python said is all there is.
        | ({} if code else {"sentence": describe_comparison(result, e), "said": _static(e)})
        for e, code in zip(said, coded, strict=True)
    ]
    return rows, every


def _static(e: Evidence) -> dict[str, Any]:
    return {
        "decision": str(e.decision),
        "inside": _number(e.p_rope),
        "hdi": [_number(end) for end in e.hdi],
    }


def _data(
    result: Comparison, said: list[Evidence], rows: list[dict[str, Any]], focus: int
) -> dict[str, Any]:
    computed = ("category", *CHANGING)
    values = {
        key: result.p_values.get(key) or [getattr(e, key) for e in said]
        for key in COLUMNS
        if key not in computed
    }
    return {
        "names": [shown(name) for name in result.names],
        "rope": result.rope,
        "hdi": result.hdi_prob,
        "higher": result.measure.higher_is_better,
        **asides(result),
        "warnings": result.sampler_warnings,
        "focus": focus,
        "rows": rows,
        "columns": {key: COLUMNS.index(key) for key in CHANGING},
        "digits": max(row["digits"] for row in rows),
        "values": {key: [_number(v) for v in column] for key, column in values.items()},
        "latex": _latex_parts(result),
        "signs": {sign: latex(sign) for sign in "%<>[]≪≈≫"} | {"-": latex("-1")[:-1]},
        "bibtex": BIBTEX,
    }


def _latex_parts(result: Comparison) -> list[Any]:
    """Split the LaTeX table: between its texts stand the cells that the reader may change."""
    table, caption = comparison_table(result, PAPER), comparison_caption(result, PAPER)
    token = "cell"
    while token in to_latex(table, caption):
        token += "q"
    for key in CHANGING:
        table[TABLE_COLUMNS[key].heading] = [
            f"{token}{i}z{COLUMNS.index(key)}{token}" for i in range(len(table))
        ]
    told = f"{format_level(result.hdi_prob)} HDI and the ROPE {format_interval(result.rope)}"
    before, after = caption.split(told, 1)
    parts = (to_latex(table, f"{before}{token}caption{token}{after}") + "\n").split(token)
    return [_place(part) if i % 2 else part for i, part in enumerate(parts)]


def _place(part: str) -> list[int]:
    """Return row and column of a cell; the caption has neither."""
    return [] if part == "caption" else [int(number) for number in part.split("z")]


def asides(result: Result) -> dict[str, str]:
    """Return what follows a sentence at the given ROPE, and at one of the reader's own."""
    return {
        "aside": "".join(f" {told}" for told in describe_rope_and_direction(result)),
        "lower": "".join(f" {told}" for told in describe_direction(result)),
    }


def _number(value: float) -> float | None:
    """JSON has neither NaN nor infinity."""
    if isnan(value):
        return None
    return float(value) if isfinite(value) else (1e308 if value > 0 else -1e308)
