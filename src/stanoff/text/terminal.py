"""Tables and sentences for a terminal, no wider than it is."""

from __future__ import annotations

import io
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table as RichTable

LEFT = ("test", "measure", "note", "scenario", "model", "goal", "formula")  # columns of words


def frame_for_terminal(frame: pd.DataFrame, below: Sequence[str] = ()) -> str:
    """Write a table of text cells, and lines below it, no wider than the terminal.

    Columns that do not fit beside the others follow in a block of their own, with the first column
    again.
    """
    from rich.console import Console
    from rich.text import Text

    width = shutil.get_terminal_size((80, 24)).columns
    file = io.StringIO()
    for block in _blocks(frame, width):
        needed = max(width, sum(map(_width, _columns_of(block))) + 1)
        Console(file=file, width=needed).print(_table(block))
    wrapped = Console(file=file, width=min(width, 100))
    for line in below:
        wrapped.print(Text(line))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()).rstrip()


def _columns_of(frame: pd.DataFrame) -> list[list[str]]:
    """Return the heading and the cells of every column."""
    return [[str(frame.columns[i]), *map(str, frame.iloc[:, i])] for i in range(frame.shape[1])]


def _width(column: Sequence[str]) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, column)) + 2  # and the room between two columns


def _blocks(frame: pd.DataFrame, width: int) -> Iterator[pd.DataFrame]:
    """Split a table that is too wide, at best where the first column still stands beside."""
    widths = [_width(column) for column in _columns_of(frame)]
    chosen, used = [0], widths[0]
    for i in range(1, len(widths)):
        if len(chosen) > 1 and used + widths[i] > width:
            yield frame.iloc[:, chosen]
            chosen, used = [0], widths[0]
        chosen.append(i)
        used += widths[i]
    yield frame.iloc[:, chosen]


def _table(frame: pd.DataFrame) -> RichTable:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for i, heading in enumerate(frame.columns):
        left = i == 0 or heading in LEFT
        table.add_column(Text(str(heading)), justify="left" if left else "right", no_wrap=True)
    for row in frame.to_numpy().tolist():
        table.add_row(*(Text(str(cell)) for cell in row))
    return table


def parts_for_terminal(parts: Sequence[str | pd.DataFrame]) -> str:
    """Write sentences and tables of text cells under each other, as wide as the terminal."""
    width = min(shutil.get_terminal_size((100, 24)).columns, 100)
    return "\n\n".join(
        textwrap.fill(part, width, break_long_words=False, break_on_hyphens=False)
        if isinstance(part, str)
        else frame_for_terminal(part).strip("\n")
        for part in parts
    )
