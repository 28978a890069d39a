"""The summary as text: for a terminal, a script, a document."""

from __future__ import annotations

import json
import math
from typing import Any, Literal

import pandas as pd

from stanoff.decision import Decision
from stanoff.result import COLUMNS, Comparison
from stanoff.words import digits_for, documents, percent, sentence

FORMATS = ("table", "json", "csv", "markdown")
HEADINGS = {
    "category": "category",
    "psi_A": "A",
    "psi_B": "B",
    "mean": "mean",
    "std": "std",
    "mcse": "mcse",
    "bf_sd": "BF_SD",
    "bf_rope": "BF_ROPE",
    "p_less": "P(<0)",
    "p_greater": "P(>0)",
    "p_rope": "P(ROPE)",
    "hdi": "HDI",
    "decision": "decision",
}


def as_text(result: Comparison, style: str) -> str:
    """Write a result in one of ``FORMATS``."""
    if style == "json":
        return json.dumps(as_json(result), indent=2, ensure_ascii=False, allow_nan=False)
    if style == "csv":
        return result.summary().to_csv(index=False).rstrip("\n")
    return _rich_table(result) if style == "table" else markdown(result)


def as_json(result: Comparison) -> dict[str, Any]:
    """Gather settings, numbers and words for a script; NaN becomes null, infinity "inf"."""
    rows = []
    for category in result.categories:
        evidence = result.evidence(category)
        row: dict[str, Any] = {
            name: getattr(evidence, name)
            for name in (*COLUMNS[:11], "p_below", "p_above", "bf_sd_error", "bf_sd_defined")
        }
        row |= {"hdi_low": evidence.hdi[0], "hdi_high": evidence.hdi[1]}
        row |= {"decision": str(evidence.decision), "sentence": sentence(result, evidence)}
        rows.append({name: _finite(value) for name, value in row.items()})
    return {
        "names": {"A": result.names[0], "B": result.names[1]},
        "documents": dict(zip("AB", result.counts.documents, strict=True)),
        "measure": result.measure_used.label,
        "average": result.average,
        "model": result.model.name,
        "engine": result.engine,
        "seed": result.seed,
        "rope": list(result.rope_used),
        "hdi": result.hdi_used,
        "results": rows,
        "warnings": list(result.warnings),
    }


def markdown(result: Comparison) -> str:
    """Write the table in Markdown, with the sentence and the warnings below it."""
    table = formatted(result)
    lines = [_markdown_row(list(table.columns)), "|" + " --- |" * len(table.columns)]
    lines += [_markdown_row(row) for row in table.to_numpy().tolist()]
    lines += ["", *(markdown_escaped(text) for text in (str(result), *_notes(result)))]
    return "\n".join(lines)


def formatted(result: Comparison) -> pd.DataFrame:
    """Format the numbers of the summary as the paper does: sign and fixed width."""
    rows = []
    for category in result.categories:
        e = result.evidence(category)
        d = digits_for(e.std)
        rows.append(
            [
                category,
                f"{e.psi_A:.{d}f}",
                f"{e.psi_B:.{d}f}",
                f"{e.mean:+.{d}f}",
                f"{e.std:.{d}f}",
                f"{e.mcse:.1g}",
                f"{bayes_factor(e.bf_sd)}{'' if e.bf_sd_defined else ' ?'}",
                bayes_factor(e.bf_rope),
                percent(e.p_less),
                percent(e.p_greater),
                percent(e.p_rope),
                f"[{e.hdi[0]:+.{d}f}, {e.hdi[1]:+.{d}f}]",
                Decision(e.decision).symbol,
            ]
        )
    headings = dict(HEADINGS, psi_A=result.names[0], psi_B=result.names[1])
    return pd.DataFrame(rows, columns=list(headings.values()))


def bayes_factor(factor: float) -> str:
    """Write a Bayes factor with the paper's marks: ‡ above 3, ⋆ below 1/3.

    Examples
    --------
    >>> bayes_factor(9.551), bayes_factor(0.075), bayes_factor(1.2)
    ('‡ 9.551', '⋆ 0.075', '1.200')
    """
    if math.isnan(factor):
        return "undefined"
    mark = "‡ " if factor > 3 else "⋆ " if factor < 1 / 3 else ""
    return f"{mark}{factor:.3g}" if factor >= 1000 else f"{mark}{factor:.3f}"


def markdown_escaped(text: str) -> str:
    r"""Keep the characters of a text from meaning anything in Markdown or HTML.

    Examples
    --------
    >>> markdown_escaped("a_b|<i>")
    'a\\_b\\|&lt;i&gt;'
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for sign in "\\`*_[]|#":
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())


def _markdown_row(cells: list[str]) -> str:
    return "| " + " | ".join(markdown_escaped(cell) for cell in cells) + " |"


def _rich_table(result: Comparison) -> str:
    import io
    import shutil

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    text = formatted(result)
    for i, heading in enumerate(text.columns):
        side: Literal["left", "right"] = "left" if i == 0 else "right"
        table.add_column(Text(str(heading)), justify=side, no_wrap=True)
    for row in text.to_numpy().tolist():
        table.add_row(*(Text(cell) for cell in row))
    rows = [list(text.columns), *text.to_numpy().tolist()]
    needed = sum(max(map(len, column)) + 3 for column in zip(*rows, strict=True))
    width = max(shutil.get_terminal_size((100, 24)).columns, needed)
    text_file = io.StringIO()
    console = Console(file=text_file, width=width)
    console.print(table)
    wrapped = Console(file=text_file, width=min(width, 100))
    for line in (str(result), *_notes(result)):
        wrapped.print(Text(line))
    return text_file.getvalue().rstrip()


def _notes(result: Comparison) -> list[str]:
    told = [
        f"Based on {documents(result)}; {result.model.name} model, {result.engine} engine, "
        f"seed {result.seed}."
    ]
    known = result.sampler_warnings  # the sentence tells these
    return told + [f"Note: {warning}" for warning in result.warnings if warning not in known]


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
