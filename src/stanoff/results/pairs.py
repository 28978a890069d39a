"""Every two of several systems, judged on the items that both have answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stanoff import report
from stanoff._lib.arguments import Interval
from stanoff._lib.escaping import shown
from stanoff._lib.showing import ReprMixin
from stanoff.data.types import Data
from stanoff.errors import JointPosteriorError, invalid, unknown
from stanoff.inference.ranking import PairMatrix
from stanoff.question import Question, Sampling
from stanoff.results.base import Exported, PlotMethod, Target
from stanoff.results.comparison import Comparison, compare_data
from stanoff.results.contest import Contest
from stanoff.text.export import result_text
from stanoff.text.render import write
from stanoff.text.sentences import describe_pairs
from stanoff.text.tables import pairs_table

if TYPE_CHECKING:
    from stanoff.data.rows import Rows

Pair = tuple[str, str]
COLUMNS = [  # of the summary
    *("a", "b", "documents", "psi_A", "psi_B", "observed_A", "observed_B", "mean", "std"),
    *("hdi_low", "hdi_high", "p_less", "p_rope", "p_greater", "decision"),
]


@dataclass(frozen=True, eq=False, repr=False)
class Pairs(Exported, ReprMixin):
    """Comparisons of every two systems, each on the items that both have answered.

    Made by :func:`stanoff.contest` with ``unmatched="pairs"``. The pairs rest on different items:
    there is no joint posterior, and so there are neither ranks nor tiers.

    Attributes
    ----------
    systems : tuple of str
        What the systems are called.
    comparisons : mapping
        The comparison of every pair that can be judged, by the names of A and B.
    not_judged : mapping
        Why the others cannot be.
    """

    systems: tuple[str, ...]
    comparisons: Mapping[Pair, Comparison]
    not_judged: Mapping[Pair, str] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        """Say why there is nothing that takes all systems together."""
        if hasattr(Contest, name):
            raise JointPosteriorError(
                f"{name!r} needs a joint posterior, which pairs that rest on different items do "
                "not have: pass unmatched='drop' to judge all systems on the items that all have, "
                "or take a pair by between(a, b)."
            )
        raise AttributeError(f"Pairs has no {name!r}.")

    def between(self, a: str, b: str) -> Comparison:
        """Return the comparison of two of the systems, as :func:`stanoff.compare` makes it."""
        for parameter, name in (("a", a), ("b", b)):
            if name not in self.systems:
                raise unknown(parameter, name, self.systems)
        for pair in ((a, b), (b, a)):
            if pair in self.comparisons:
                result = self.comparisons[pair]
                return Comparison.from_fit(result.fit, a, b, result.question)
        raise invalid("b", f"a system that {a!r} can be compared with", b)

    def judge(self, **changes: Any) -> Pairs:
        """Ask another question of the same draws of every pair, as a comparison does."""
        judged = {pair: result.judge(**changes) for pair, result in self.comparisons.items()}
        return replace(self, comparisons=judged)

    def summary(self, category: str | None = None) -> pd.DataFrame:
        """Return the numbers of every pair, with how many items both have answered."""
        table = pd.DataFrame(
            {"a": a, "b": b, "documents": max(result.n_documents(category))}
            | result.evidence(category).as_row()
            for (a, b), result in self.comparisons.items()
        )[COLUMNS]
        table.attrs["warnings"] = list(self.warnings)
        return table

    pairs = summary

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the numbers, in words."""
        missing = [
            f"{shown(a)} and {shown(b)} are not judged: {reason}"
            for (a, b), reason in self.not_judged.items()
        ]
        messages: dict[str, list[str]] = {}
        for pair, result in self.comparisons.items():
            for message in result.warnings:
                messages.setdefault(message, []).append(" and ".join(map(shown, pair)))
        in_all = len(self.comparisons)
        for message, pairs in messages.items():
            where = "" if len(pairs) == in_all else f"{'; '.join(pairs[:3])}: "
            missing.append(f"{where}{message}")
        return tuple(missing)

    def matrix(self, category: str | None = None) -> PairMatrix:
        """Return the decision on each system against each other, in the order of the systems."""
        n = len(self.systems)
        decisions = np.full((n, n), "", dtype="<U2")
        better = np.full((n, n), np.nan)
        for (a, b), result in self.comparisons.items():
            i, j = self.systems.index(a), self.systems.index(b)
            e = result.evidence(category)
            p = e.p_greater if result.measure.higher_is_better else e.p_less
            decisions[i, j], better[i, j] = str(e.decision), p
            decisions[j, i], better[j, i] = str(e.decision.mirrored), 1 - p
        return PairMatrix(self.systems, decisions, better, ())

    @property
    def rope(self) -> Interval:
        """The region of practical equivalence, in the unit of the score."""
        return self.first.rope

    @property
    def first(self) -> Comparison:
        """Any of the comparisons: measure, model and ROPE are the same in all."""
        return next(iter(self.comparisons.values()))

    def sentence(self, category: str | None = None) -> str:
        """Describe the verdicts in words, and what they rest on."""
        return describe_pairs(self, category)

    def table(self, category: str | None = None) -> pd.DataFrame:
        """Return the summary in cells of text."""
        return pairs_table(self, category)

    def to_latex(
        self, path: Target = None, *, caption: str | None = None, label: str | None = None
    ) -> str:
        """Write the table in LaTeX, for booktabs."""
        return write(result_text(self, "latex", caption=caption, label=label), path)

    def _as_page(self) -> str:
        return report.page.pairs_page(self)

    def __str__(self) -> str:
        return "\n".join([self.sentence(), *(f"Note: {warning}" for warning in self.warnings)])

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        return [self.sentence(), *self.warnings, self.table()]

    plot_matrix = PlotMethod("plot_matrix")


def compare_pairs(
    pairs: Mapping[Pair, Data],
    not_judged: Mapping[Pair, str],
    question: Question,
    sampling: Sampling,
    rows: Rows | None,
) -> Pairs:
    """Judge every pair of systems on the data of its own."""
    judged = {pair: compare_data(data, question, sampling, rows) for pair, data in pairs.items()}
    systems = dict.fromkeys(name for pair in (*pairs, *not_judged) for name in pair)
    return Pairs(tuple(systems), judged, not_judged)
