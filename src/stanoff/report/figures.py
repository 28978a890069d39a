"""Figures as bytes that are the same whenever the numbers are."""

from __future__ import annotations

import io
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from stanoff.plots.theme import theme

_NO_DATE: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


def as_bytes(ax: Axes, style: str = "svg") -> bytes:
    """Save the figure of an ``Axes`` as svg, pdf or png, without the date, and close it."""
    buffer = io.BytesIO()
    figure = ax.get_figure(root=True)
    assert figure is not None
    with theme(), mpl.rc_context({"svg.hashsalt": "stanoff"}):
        figure.savefig(buffer, format=style, metadata=_NO_DATE[style])
    plt.close(figure)
    return buffer.getvalue()
