"""The six figures of Zhang et al. (2016) and its Table 3, from the models and their draws."""

from functools import cache

import matplotlib.pyplot as plt
import pandas as pd
import table3
from experiment import NAMES, PREDICTIONS, ROPE, SEED
from matplotlib.axes import Axes

import stanoff
from stanoff import plots
from stanoff.models import MODELS

CATEGORY = 8  # of Figure 6
DATA_SETS, DRAWS = 2000, 2000


@cache
def case() -> stanoff.Comparison:
    """Compare NB_Mult with SVM_L2 on category 8 alone: the case of Figures 4 and 6."""
    return stanoff.compare(
        PREDICTIONS,
        truth="truth",
        a="nb_mult",
        b="svm_l2",
        pos_label=CATEGORY,
        names=(NAMES["nb_mult"], NAMES["svm_l2"]),
        rope=ROPE,
        seed=SEED,
    )


@cache
def powers() -> pd.DataFrame:
    """Simulate the powers of Table 3, and put the printed ones beside them."""
    return table3.simulated(DATA_SETS, draws=DRAWS)


def figure_1() -> Axes:
    """Draw the model of one classifier, per document and in its compact form."""
    return _graphs("documents", "unpaired")


def figure_2() -> Axes:
    """Draw the unpaired model."""
    return plots.graph_plot(MODELS["unpaired"])


def figure_3() -> Axes:
    """Draw the paired model."""
    return plots.graph_plot(MODELS["paired"])


def figure_4() -> Axes:
    """Draw the trace of the sampler."""
    return case().plot_trace()


def figure_5() -> Axes:
    """Draw the powers of Table 3."""
    return table3.figure(powers())


def figure_6() -> Axes:
    """Draw posterior plot and factor plot beside each other."""
    _, (left, right) = plt.subplots(1, 2, figsize=(12.8, 4.2), layout="constrained")
    case().plot_posterior(ax=left)
    return case().plot_factor(ax=right)


def _graphs(*names: str) -> Axes:
    _, axes = plt.subplots(1, len(names), figsize=(6.4 * len(names), 4.2), layout="constrained")
    for name, ax in zip(names, axes, strict=True):
        plots.graph_plot(MODELS[name], ax=ax)
    return axes[-1]
