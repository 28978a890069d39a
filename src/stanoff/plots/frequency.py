"""Scores against how many training documents a category has."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter
from numpy.typing import NDArray

from stanoff.errors import InputError, invalid
from stanoff.inference.intervals import hdi as hdi_of
from stanoff.plots.style import (
    DASHES,
    LINES,
    MARKERS,
    literal,
    new_axes,
    shortened,
    themed,
    wrapped,
)
from stanoff.text.numbers import level

if TYPE_CHECKING:
    from stanoff import Comparison

Array = NDArray[np.float64]


@themed
def plot_frequency(
    scores: pd.DataFrame | Comparison,
    frequency: Mapping[Any, float] | pd.Series,
    *,
    window: float = 2.0,
    ax: Axes | None = None,
) -> Axes:
    """Draw how scores depend on the number of training documents of a category.

    After Figures 4 and 5 of Yang & Liu (1999): the axis is cut into intervals of equal size,
    scores are averaged over the categories in each, and the averages are joined. The axis is
    logarithmic here, so equal means that every interval ends at ``window`` times its start. The
    small dots are the categories.

    Parameters
    ----------
    scores : DataFrame or Comparison
        A row per category and a column per classifier; or a comparison, whose posterior means are
        drawn, with the HDI of the average over each interval.
    frequency : mapping or Series
        Category to number of training documents.
    window : float
        How many times its start an interval reaches, above 1.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> scores = pd.DataFrame({"svm": [0.9, 0.7, 0.4], "nb": [0.8, 0.6, 0.5]}, index=list("xyz"))
    >>> ax = plot_frequency(scores, {"x": 900, "y": 40, "z": 35})
    >>> [round(float(y), 2) for y in ax.lines[1].get_ydata()]
    [0.55, 0.9]
    """
    if isinstance(window, bool) or not isinstance(window, Real) or not 1 < float(window) < np.inf:
        raise invalid("window", "a number above 1", window)
    table, draws, label, hdi_prob = _read(scores)
    counted = _frequencies(table.index, frequency)
    interval = np.full(len(counted), -1)  # that of no training documents
    some = counted > 0
    interval[some] = np.floor(np.log(counted[some]) / np.log(float(window)) + 1e-9).astype(int)
    ax = ax or new_axes()
    for i, name in enumerate(table.columns):
        of_one = draws[i] if draws else None
        _line(
            ax, i, str(name), table[name].to_numpy(dtype=float), counted, interval, of_one, hdi_prob
        )
    _scale(ax, counted.min(), counted.max())
    ax.set_xlabel("training documents of the category")
    ax.set_ylabel(wrapped(ax, literal(label)))
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
    return ax


def _line(
    ax: Axes,
    place: int,
    name: str,
    values: Array,
    counted: Array,
    interval: NDArray[np.int64],
    draws: Array | None,
    hdi_prob: float,
) -> None:
    """Draw the categories of one system as dots, and their averages per interval as a line."""
    color, known = LINES[place % len(LINES)], np.isfinite(values)
    ax.plot(counted[known], values[known], ".", color=color, alpha=0.35, markersize=4)
    groups = [np.flatnonzero(known & (interval == one)) for one in np.unique(interval[known])]
    middle = [_centre(counted[group]) for group in groups]
    if draws is not None:
        ends = np.array([hdi_of(draws[..., g].mean(axis=-1).ravel(), hdi_prob) for g in groups]).T
        ax.fill_between(middle, *ends, color=color, alpha=0.18, linewidth=0)
        ax.vlines(middle, *ends, color=color, alpha=0.5, linewidth=1)
    ax.plot(
        middle,
        [values[group].mean() for group in groups],
        color=color,
        marker=MARKERS[place % len(MARKERS)],
        linestyle=DASHES[place % len(DASHES)],
        linewidth=1.6,
        label=literal(shortened(name, 20)),
    )


def _scale(ax: Axes, low: float, high: float) -> None:
    """Make the axis logarithmic, with a place for 0; on a short range logarithms say nothing."""
    if low > 0 and high / low < 4:
        ax.set_xlim(low / 1.3, high * 1.3)
        ax.locator_params(axis="x", nbins=6)
        return
    if low > 0:
        ax.set_xscale("log", subs=(2, 5) if high / low < 100 else None)
    else:
        ax.set_xscale("symlog", linthresh=1, linscale=0.4)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    ax.xaxis.set_minor_formatter(
        (lambda value, _: f"{value:,.10g}") if 0 < high < 100 * low else NullFormatter()
    )
    ax.set_xlim(-0.3 if low == 0 else low / 1.3, max(high, 1) * 1.3)


def _read(scores: Any) -> tuple[pd.DataFrame, list[Array], str, float]:
    """Read scores as a table; of a comparison also the draws behind them."""
    if hasattr(scores, "scores"):  # a comparison
        known = scores.data.categories
        draws = [scores.scores.psi[:, :, system, : len(known)] for system in (0, 1)]
        if not np.isfinite(draws).all():
            raise InputError(f"{scores.model.name} has no scores of A and B to show.")
        means = np.stack([each.mean(axis=(0, 1)) for each in draws], axis=1)
        table = pd.DataFrame(means, index=list(known), columns=list(scores.names))
        label = f"{scores.measure.label}, mean and {level(scores.hdi_prob)} HDI"
        if scores.names[0] == scores.names[1]:
            table.columns = pd.Index([f"{scores.names[0]} (A)", f"{scores.names[1]} (B)"])
        return table, draws, label, scores.hdi_prob
    if not isinstance(scores, pd.DataFrame):
        raise invalid("scores", "a DataFrame or a Comparison", scores)
    kinds = [dtype.kind for dtype in scores.dtypes if isinstance(dtype, np.dtype)]
    if scores.empty or len(kinds) < scores.shape[1] or not set(kinds) <= set("iuf"):
        raise invalid("scores", "numbers, a row per category and a column per classifier", scores)
    if not scores.columns.is_unique or not scores.index.is_unique:
        raise invalid("scores", "a table whose rows and columns have different names", scores)
    if not np.isfinite(scores.to_numpy(dtype=float)).any(axis=0).all():
        raise invalid("scores", "a table with a finite score of every classifier", scores)
    return scores, [], "mean score", 0.95


def _frequencies(categories: pd.Index, frequency: Any) -> Array:
    """Look every category up, by its name or by the text of its name."""
    if not isinstance(frequency, (Mapping, pd.Series)):
        raise invalid("frequency", "a mapping of categories to training documents", frequency)
    given = dict(frequency.items())
    texts = {str(name): count for name, count in given.items()}
    missing = [str(name) for name in categories if name not in given and str(name) not in texts]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise InputError(f"The 'frequency' parameter lacks {', '.join(missing[:5])}{more}.")
    counts = [given[name] if name in given else texts[str(name)] for name in categories]
    for count in counts:
        if isinstance(count, bool) or not isinstance(count, Real) or not 0 <= float(count) < np.inf:
            raise invalid("frequency", "finite numbers >= 0", count)
    return np.array(counts, dtype=float)


def _centre(counts: Array) -> float:
    """Average on the logarithmic axis."""
    centre = float(np.exp(np.mean(np.log(np.maximum(counts, 1e-300)))))
    return centre if isfinite(centre) and counts.min() > 0 else 0.0
