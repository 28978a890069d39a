"""The six figures of Zhang et al. (2016), from the models and their draws."""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from stanoff.plots import theme
from zhang2016 import table3
from zhang2016.experiment import case
from zhang2016.plate_diagrams import DOCUMENTS, PAIRED, UNPAIRED, draw_graph


def figure_1() -> Axes:
    """Draw the model of one classifier, per document and in its compact form."""
    left, right = beside()
    draw_graph(DOCUMENTS, left)
    return draw_graph(UNPAIRED, right)


def figure_2() -> Axes:
    """Draw the unpaired model."""
    return draw_graph(UNPAIRED)


def figure_3() -> Axes:
    """Draw the paired model."""
    return draw_graph(PAIRED)


def figure_4() -> Axes:
    """Draw the trace of the sampler."""
    return case().plot_trace()


def figure_5() -> Axes:
    """Draw the powers of Table 3."""
    return table3.figure(table3.powers())


def figure_6() -> Axes:
    """Draw posterior plot and factor plot beside each other."""
    left, right = beside()
    case().plot_posterior(ax=left)
    return case().plot_factor(ax=right)


def beside() -> tuple[Axes, Axes]:
    """Make axes for two plots."""
    with theme():
        _, (left, right) = plt.subplots(1, 2, figsize=(12.8, 4.2), layout="constrained")
    return left, right
