"""What is shown as sentences and tables, the same on a terminal and in a notebook."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


class ReprMixin:
    """An object that is shown as sentences and tables of text, under each other."""

    @abstractmethod
    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        """Gather what is shown, from the top."""

    def __repr__(self) -> str:
        from stanoff.text.render import to_terminal

        return to_terminal(self._repr_blocks())

    def _repr_html_(self) -> str:
        from stanoff.report.templates import blocks_as_html

        return blocks_as_html(self._repr_blocks())
