r"""Tables in LaTeX, with booktabs; a document needs ``\usepackage{booktabs}`` and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stanoff.errors import invalid
from stanoff.escaping import latex
from stanoff.tables import formatted
from stanoff.words import documents, what_is_judged

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.result import Comparison

SYMBOLS = {"BF_SD": r"BF$_{\mathrm{SD}}$", "BF_ROPE": r"BF$_{\mathrm{ROPE}}$"}


def frame_as_latex(
    frame: pd.DataFrame, caption: str | None = None, label: str | None = None
) -> str:
    r"""Write a table of text cells for booktabs; whatever they hold is escaped.

    Parameters
    ----------
    frame : a data frame; its index is not shown
    caption : what stands above it, as plain text
    label : what ``\ref`` calls it; letters, digits, ``:``, ``.``, ``_`` and ``-``

    Examples
    --------
    >>> import pandas as pd
    >>> print(frame_as_latex(pd.DataFrame({"name": ["a_b"], "shown": ["≫"]})))
    \begin{tabular}{lr}
    \toprule
    name & shown \\
    \midrule
    a\_b & $\gg$ \\
    \bottomrule
    \end{tabular}
    """
    headings = [SYMBOLS.get(str(name)) or latex(str(name)) for name in frame.columns]
    lines = [
        rf"\begin{{tabular}}{{l{'r' * (len(headings) - 1)}}}",
        r"\toprule",
        _row(headings),
        r"\midrule",
        *(_row([latex(str(cell)) for cell in row]) for row in frame.to_numpy().tolist()),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if caption is None and label is None:
        return "\n".join(lines)
    above = [] if caption is None else [rf"\caption{{{latex(caption)}}}"]
    above += [] if label is None else [rf"\label{{{_as_label(label)}}}"]
    # The ten columns of the paper then need a text width of 15 cm.
    size = [r"\smallskip", r"\footnotesize", r"\setlength{\tabcolsep}{3pt}"]
    return "\n".join([r"\begin{table}", r"\centering", *above, *size, *lines, r"\end{table}"])


def as_latex(
    result: Comparison,
    columns: Sequence[str],
    *,
    caption: str | None = None,
    label: str | None = None,
    categories: Sequence[str] | None = None,
) -> str:
    """Write the table of a comparison with a caption that tells what it shows."""
    table = formatted(result, columns, categories=categories)
    return frame_as_latex(table, caption_of(result) if caption is None else caption, label)


def caption_of(result: Comparison) -> str:
    """Tell in a caption what was compared, how it was judged, and what to be wary of."""
    a, b = result.names
    only = result.categories[0] if len(result.categories) == 1 else None
    judged = what_is_judged(result, only) if only else result.measure_used.label
    low, high = result.rope_used
    told = [
        f"{a} (A) against {b} (B) by {judged}, on {documents(result)}: posterior of the difference "
        f"A − B, with a {100 * result.hdi_used:g}% HDI and the ROPE [{low:+g}, {high:+g}].",
        "⋆: p < 0.05 or Bayes factor < 1/3; ‡: Bayes factor > 3.",
    ]
    if not result.measure_used.higher_is_better:
        told.append("Lower is better.")
    if any(not result.evidence(c).bf_sd_defined for c in result.categories):
        told.append("?: not well-defined, as the prior density at 0 is infinite.")
    return " ".join([*told, *result.sampler_warnings])


def _row(cells: Sequence[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _as_label(label: Any) -> str:
    if not isinstance(label, str) or not re.fullmatch(r"[A-Za-z0-9:._-]+", label):
        raise invalid("label", "letters, digits, ':', '.', '_' and '-'", label)
    return label
