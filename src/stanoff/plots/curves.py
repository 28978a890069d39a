"""Curves of scores: ROC, the difference of two ROC curves, precision-recall, reliability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.axes import Axes

from stanoff.data.scores import ScoredDocuments
from stanoff.errors import InputError
from stanoff.models.bootstrap import of_category, precision_curves, reliability, roc_curves
from stanoff.plots import style
from stanoff.text.numbers import format_level

if TYPE_CHECKING:
    from stanoff import Comparison

SHARES = np.linspace(0, 1, 201)
SIZE = 4.75  # inches
COLORS, DASHES = (style.BLUE, style.RED), ("-", "--")
GUIDE: dict[str, Any] = {"color": style.GREY, "linewidth": 0.8, "linestyle": ":"}


@style.themed(SIZE, SIZE)
def plot_roc(ax: Axes, result: Comparison, category: str | None = None) -> None:
    """Draw the ROC curves of both systems, with the band that holds each point's HDI's mass.

    Parameters
    ----------
    result : Comparison
        A comparison of scores.
    category : str, optional
        One of its categories; the only one by default.

    Examples
    --------
    >>> from stanoff import compare
    >>> y, a, b = [1, 0] * 20, [i % 7 - i % 2 for i in range(40)], list(range(40))
    >>> result = compare(y, [x + 0.5 for x in a], b, measure="auc", draws=100, seed=1)
    >>> plot_roc(result).get_xlabel()
    'share of negatives called positive'
    """
    data = scored(result, category)
    ax.plot([0, 1], [0, 1], **GUIDE)
    _draw_bands(ax, result, SHARES, roc_curves(data, result.prior, result.seed, SHARES))
    ax.set(xlabel="share of negatives called positive", ylabel="share of positives found")
    _square(ax, "lower right")


@style.themed(SIZE, SIZE)
def plot_precision_recall(ax: Axes, result: Comparison, category: str | None = None) -> None:
    """Draw precision against recall of both systems, with bands; else as :func:`plot_roc`."""
    data = scored(result, category)
    ax.axhline(data.truth.mean(), **GUIDE)
    at = SHARES[1:]
    _draw_bands(ax, result, at, precision_curves(data, result.prior, result.seed, at))
    ax.set(xlabel="share of positives found (recall)", ylabel="precision")
    _square(ax, "lower left")


@style.themed()
def plot_roc_difference(ax: Axes, result: Comparison, category: str | None = None) -> None:
    """Draw how much more positives A finds than B, with its band and the ROPE.

    The mean of the curve is the difference of the AUCs. Else as :func:`plot_roc`.
    """
    data = scored(result, category)
    curves = roc_curves(data, result.prior, result.seed, SHARES)
    difference = curves[:, 0] - curves[:, 1]
    ax.axhspan(*result.rope, color=style.GREEN, alpha=0.12, linewidth=0, label="ROPE")
    ax.axhline(0, color=style.GREY, linewidth=0.8)
    look: dict[str, Any] = {"color": style.BLUE, "alpha": 0.25, "linewidth": 0}
    ends = _ends(difference[1:], result.hdi_prob)
    ax.fill_between(SHARES, *ends, label=f"{format_level(result.hdi_prob)} band", **look)
    ax.plot(SHARES, difference[0], color=style.BLUE, label="observed")
    a, b = style.short_names(result, 24)
    ax.set(xlabel="share of negatives called positive", xlim=(0, 1))
    ax.set_ylabel(f"share of positives found:\n{a} − {b}")
    ax.legend(loc="best")


@style.themed(SIZE, SIZE)
def plot_reliability(ax: Axes, result: Comparison, category: str | None = None) -> None:
    """Draw how often what was given a probability happens; else as :func:`plot_roc`."""
    data = scored(result, category)
    if not are_probabilities(data):
        raise InputError("A reliability diagram needs probabilities between 0 and 1.")
    mean, happened = reliability(data, result.prior, result.seed)
    ax.plot([0, 1], [0, 1], **GUIDE)
    for system, name in enumerate(style.short_names(result, 20)):
        filled = np.isfinite(mean[system])
        y = happened[0, system, filled]
        low, high = _ends(happened[1:, system][:, filled], result.hdi_prob)
        look: dict[str, Any] = {"linestyle": DASHES[system], "color": COLORS[system]}
        look |= {"markersize": 5, "linewidth": 1.2, "capsize": 2}
        bars = np.maximum([y - low, high - y], 0)
        ax.errorbar(mean[system, filled], y, bars, fmt="os"[system], label=name, **look)
    ax.set(xlabel="probability that was given", ylabel="share that was positive")
    _square(ax, "upper left")


def scored(result: Comparison, category: str | None) -> ScoredDocuments:
    """Return the scores of A and B in one category, or refuse."""
    if not isinstance(result.data, ScoredDocuments):
        raise InputError("Curves need scores of documents, as for measure='auc'.")
    category = result.resolve_category(category)
    if category not in result.data.categories:
        raise InputError(f"There is no curve of an average: {category}.")
    data = of_category(result.data, category).pair(*result.pair)
    assert isinstance(data, ScoredDocuments)
    return data


def are_probabilities(data: ScoredDocuments) -> bool:
    """Return whether all scores are between 0 and 1."""
    return bool(data.score.min() >= 0 and data.score.max() <= 1)


def _draw_bands(ax: Axes, result: Comparison, at: style.Array, curves: style.Array) -> None:
    """Draw the curves of the data, and around them where draws of them lie."""
    for system, name in enumerate(style.short_names(result, 20)):
        ends = _ends(curves[1:, system], result.hdi_prob)
        ax.fill_between(at, *ends, color=COLORS[system], alpha=0.2, linewidth=0)
        ax.plot(at, curves[0, system], DASHES[system], color=COLORS[system], label=name)


def _ends(draws: style.Array, probability: float) -> style.Array:
    tail = (1 - probability) / 2
    return np.asarray(np.nanquantile(draws, [tail, 1 - tail], axis=0))


def _square(ax: Axes, legend: Literal["lower right", "lower left", "upper left"]) -> None:
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    ax.legend(loc=legend)
