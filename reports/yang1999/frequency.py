"""Scores against how many training documents a category has, as Figures 4 and 5 show them."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from stanoff import plots

MARKERS = "os^Dv"
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))


def plot_frequency(scores: pd.DataFrame, frequency: pd.Series, window: float = 2.0) -> Axes:
    """Draw the mean score of the categories in each interval of training documents.

    The axis is logarithmic here, so intervals of equal size are those that end at ``window``
    times their start. The small dots are the categories.

    Parameters
    ----------
    scores : DataFrame
        A row per category and a column per classifier.
    frequency : Series
        Training documents of the same categories; 0 has an interval of its own.
    window : float
        How many times its start an interval reaches.
    """
    n = frequency.loc[scores.index].to_numpy(dtype=float)
    # Categories are averaged on the logarithmic axis, too: by the geometric mean of their sizes.
    logs = np.log(np.where(n > 0, n, np.nan))
    interval = pd.Series(np.floor(logs / np.log(window) + 1e-9), scores.index).fillna(-1)
    centre = np.exp(pd.Series(logs, scores.index).groupby(interval).mean()).fillna(0.0)
    means = scores.groupby(interval).mean()
    with plots.theme():
        _, ax = plt.subplots(figsize=(6.5, 4.25), layout="constrained")
        for i, name in enumerate(scores):
            ax.plot(n, scores[name], ".", color=f"C{i}", alpha=0.35, markersize=4)
            style = {"color": f"C{i}", "marker": MARKERS[i], "linestyle": DASHES[i]}
            ax.plot(centre, means[name], linewidth=1.6, label=name, **style)
        if n.min() > 0:
            ax.set_xscale("log")
        else:
            ax.set_xscale("symlog", linthresh=1, linscale=0.4)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        ax.set_xlim(-0.3 if n.min() == 0 else n.min() / 1.3, n.max() * 1.3)
        ax.set(xlabel="training documents of the category", ylabel="mean F1")
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax
