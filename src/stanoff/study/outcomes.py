"""What was made in a study: what is shown of it, and the same as plain JSON and back again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

FRAMES = ("summary", "cells", "scores")


@dataclass(frozen=True, eq=False)
class Outcome:
    """A comparison or contest of a study: what is shown of it, or why there is nothing to show.

    Attributes
    ----------
    systems : tuple of str
        What was compared, as it is called: two systems, or all of a contest.
    measure, model : str
        By what.
    slug : str
        How its files are called.
    data : str
        The name of the data set; empty where it has none.
    error : str
        What went wrong, if anything.
    reused : bool
        Whether the fit was read rather than made.
    summary : DataFrame or None
        The numbers, a row per category; of a contest per category and system.
    cells : DataFrame or None
        The same as text; of a comparison in the columns of the paper.
    scores : DataFrame or None
        Of a comparison, the same with the scores of both systems.
    sentence : str
        The verdict; one line per category where there is no average.
    shown : tuple of str
        Of the row decided upon: category, mean, HDI, share in the ROPE and symbol; of a contest,
        category and the systems tier by tier.
    caption : str
        What the table of a contest shows.
    warnings : tuple of str
        What to know before trusting it.
    figures : tuple of str
        The figures that were drawn, by name.
    origin : mapping
        Where the labels come from, as far as it is known.
    """

    systems: tuple[str, ...]
    measure: str
    model: str
    slug: str
    data: str = ""
    error: str = ""
    reused: bool = False
    summary: pd.DataFrame | None = None
    cells: pd.DataFrame | None = None
    scores: pd.DataFrame | None = None
    sentence: str = ""
    shown: tuple[str, ...] = ()
    caption: str = ""
    warnings: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    source: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_contest(self) -> bool:
        """Whether it is about more than two systems."""
        return len(self.systems) > 2

    @property
    def a(self) -> str:
        """What the first system is called."""
        return self.systems[0]

    @property
    def b(self) -> str:
        """What the second system is called."""
        return self.systems[1]

    @property
    def title(self) -> str:
        """What was compared, in words."""
        model = f" ({self.model})" if self.model else ""
        where = f" on {self.data}" if self.data else ""
        who = f"All {len(self.systems)} systems" if self.is_contest else f"{self.a} and {self.b}"
        return f"{who} in {self.measure}{where}{model}"

    def record(self) -> dict[str, Any]:
        """Return all of it as JSON takes it; numbers keep every digit."""
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        for name in FRAMES:
            frame = parts[name]
            if frame is not None:
                parts[name] = {
                    "columns": list(frame.columns),
                    "rows": frame.astype(object).to_numpy().tolist(),
                    "attrs": dict(frame.attrs),
                }
        return parts | {"source": dict(self.source)}


def outcome_of(record: Mapping[str, Any]) -> Outcome:
    """Put an outcome together again; its fit was there."""
    import pandas as pd

    parts: dict[str, Any] = {
        name: tuple(part) if isinstance(part, list) else part for name, part in record.items()
    }
    for name in FRAMES:
        if record[name] is not None:
            columns, rows = record[name]["columns"], record[name]["rows"]
            frame = pd.DataFrame(dict(enumerate(zip(*rows, strict=True)))).set_axis(columns, axis=1)
            frame.attrs.update(record[name]["attrs"])
            parts[name] = frame
    return Outcome(**(parts | {"reused": True}))
