"""Where the rebuilt tables and figures go: beside the script, in folders of their own."""

from collections.abc import Callable

import pandas as pd
from experiment import HERE
from matplotlib.axes import Axes

from stanoff.files import write_bytes, write_text
from stanoff.latex import frame_as_latex
from stanoff.report.figures import as_bytes
from stanoff.texts import frame_as_markdown


def saved_table(
    name: str, shown: pd.DataFrame, caption: str, *, numbers: pd.DataFrame | None = None
) -> None:
    """Write a table as Markdown and LaTeX as it is shown, and its numbers as CSV."""
    folder = HERE / "tables"
    exact = shown if numbers is None else numbers
    write_text(folder / f"{name}.csv", exact.to_csv(index=numbers is not None, float_format="%.6g"))
    write_text(folder / f"{name}.md", frame_as_markdown(shown) + "\n")
    write_text(folder / f"{name}.tex", frame_as_latex(shown, caption=caption) + "\n")


def saved_figure(name: str, draw: Callable[[], Axes]) -> bytes:
    """Write a figure as PDF and SVG, and return the latter."""
    write_bytes(HERE / "figures" / f"{name}.pdf", as_bytes(draw(), "pdf"))
    svg = as_bytes(draw())
    write_bytes(HERE / "figures" / f"{name}.svg", svg)
    return svg
