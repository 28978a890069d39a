"""The result of a contest: any number of systems, one joint posterior."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff.inference import cautions
from stanoff.inference.closed import pairs_of
from stanoff.inference.ranks import Pairs, Ranking, standings
from stanoff.results.base import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from xarray import DataTree

    from stanoff.results.comparison import Comparison
    from stanoff.workbench.predictive_check import Check

Array = NDArray[np.float64]
Target = str | os.PathLike[str] | None


@dataclass(frozen=True, eq=False, repr=False)
class Contest(Result):
    """The joint posterior of the scores of many systems, and what follows from it.

    Made by :func:`stanoff.contest`. Nothing in it changes; what another ROPE, HDI, measure or
    average would say is had by :meth:`judge`, without fitting again. Where a ``category`` can be
    named, the average or the only category is meant by default.

    Attributes
    ----------
    fit, question : Fit, Question
        As in :class:`stanoff.results.base.Result`.
    psi : ndarray
        The draws of all scores (chain, draw, system, row).
    """

    psi: Array

    @property
    def systems(self) -> tuple[str, ...]:
        """What the systems are called."""
        return self.data.systems

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the numbers, in words."""
        return (*self.sampler_warnings, *cautions.of_contest(self))

    @cached_property
    def observed(self) -> Array:
        """The scores that were observed (system, row); NaN where documents have no labels."""
        return self.model.observed_scores(self.data, self.measure, self.average)

    def standings(self, category: str | None = None) -> Ranking:
        """Weigh the scores on one category or average: the numbers behind all that is told."""
        chosen = self.resolve_category(category)
        if chosen not in self._weighed:
            psi = self.psi[..., self.categories.index(chosen)]
            self._weighed[chosen] = standings(
                psi.reshape(-1, len(self.systems)),
                rope=self.rope,
                hdi_prob=self.hdi_prob,
                higher_is_better=self.measure.higher_is_better,
                pairs=self._pairs_in_closed_form(),
            )
        return self._weighed[chosen]

    @cached_property
    def _weighed(self) -> dict[str, Ranking]:
        return {}

    def _pairs_in_closed_form(self) -> Pairs | None:
        """Weigh all differences without draws, where the model knows them."""
        first, second = np.triu_indices(len(self.systems), 1)
        known = self.closed_form(first, second)
        if known is None:
            return None
        return pairs_of(
            first,
            second,
            known[0],
            rope=self.rope,
            hdi_prob=self.hdi_prob,
            higher_is_better=self.measure.higher_is_better,
        )

    def best(self, category: str | None = None) -> tuple[str, ...]:
        """Name the systems that can still be the best: none is significantly better than they."""
        return self.tiers(category)[0]

    def tiers(self, category: str | None = None) -> tuple[tuple[str, ...], ...]:
        """Name the systems tier by tier.

        The first tier can still be the best: no system is significantly better. The next one
        could be if the first were not there, and so on.
        """
        found = self.standings(category)
        return tuple(
            tuple(self.systems[i] for i in found.order if found.tier[i] == tier)
            for tier in range(1, int(found.tier.max()) + 1)
        )

    def summary(self, category: str | None = None) -> pd.DataFrame:
        """Return what is known of each system, the best first.

        ``psi`` is the posterior mean of the score and ``observed`` the score of the documents at
        hand. ``p_near`` is the probability of being within the ROPE of the best, ``p_best`` that of
        being the best, which near-twins share, and ``regret`` how much worse than the best a system
        is expected to be. ``rank_low`` to ``rank_high`` have the probability of the HDI.
        """
        found, row = (
            self.standings(category),
            self.categories.index(self.resolve_category(category)),
        )
        table = pd.DataFrame(
            {
                "system": self.systems,
                "tier": found.tier,
                "psi": found.mean,
                "observed": self.observed[:, row],
                "hdi_low": found.low,
                "hdi_high": found.high,
                "p_near": found.p_near,
                "p_best": found.p_best,
                "regret": found.regret,
                "rank": found.ranks @ np.arange(1, len(self.systems) + 1),
                "rank_low": found.rank_low,
                "rank_high": found.rank_high,
            }
        ).iloc[found.order]
        table.attrs["warnings"] = list(self.warnings)
        return table.reset_index(drop=True)

    def ranks(self, category: str | None = None) -> pd.DataFrame:
        """Return the probability of each rank: a row per system, the best first."""
        found = self.standings(category)
        names = [self.systems[i] for i in found.order]
        columns = range(1, len(names) + 1)
        return pd.DataFrame(found.ranks[found.order], index=names, columns=columns)

    def pairs(self, category: str | None = None) -> pd.DataFrame:
        """Return the difference and the decision of every pair, in the order of the systems."""
        pairs = self.standings(category).pairs
        names = np.array(self.systems, dtype=object)
        table = pd.DataFrame(vars(pairs))
        table = table.assign(first=names[pairs.first], second=names[pairs.second])
        renamed = {"first": "a", "second": "b", "low": "hdi_low", "high": "hdi_high"}
        return table.rename(columns=renamed)

    def between(self, a: str, b: str) -> Comparison:
        """Return the comparison of two of the systems, as :func:`stanoff.compare` makes it."""
        return self.fit.between(a, b, self.question)

    def judge(self, **changes: Any) -> Contest:
        """Ask another question of the same draws, as :meth:`stanoff.Comparison.judge` does."""
        asked = self.question.changed(**changes)
        if (asked.measure, asked.average) == (self.measure, self.average):
            return replace(self, question=asked)
        return self.fit.contest(asked)

    @cached_property
    def tree(self) -> DataTree:
        """The draws as an ArviZ DataTree, and what they say of documents, as of a comparison."""
        from stanoff.store.datatree import to_datatree

        return to_datatree(self)

    def check(self) -> Check:
        """Say whether the model expects documents such as those observed, and draws can be trusted.

        As :meth:`stanoff.Comparison.check` does.
        """
        from stanoff.workbench.predictive_check import check

        return check(self)

    def sentence(self, category: str | None = None) -> str:
        """Describe who can still be the best, in words to paste into a paper."""
        from stanoff.text.sentences import describe_contest

        return describe_contest(self, self.resolve_category(category))

    def table(self, category: str | None = None) -> pd.DataFrame:
        """Return the summary in cells of text."""
        from stanoff.text.tables import contest_table

        return contest_table(self, self.resolve_category(category))

    def to_markdown(self, path: Target = None) -> str:
        """Write the table, the sentence and the notes in Markdown."""
        return self._written("markdown", path)

    def to_latex(
        self, path: Target = None, *, caption: str | None = None, label: str | None = None
    ) -> str:
        """Write the table in LaTeX, for booktabs; by default the caption says what it shows."""
        return self._written("latex", path, caption=caption, label=label)

    def to_csv(self, path: Target = None) -> str:
        """Write the numbers of the summary as comma-separated values."""
        return self._written("csv", path)

    def to_json(self, path: Target = None) -> str:
        """Write settings, numbers and words, ranks and pairs too, as JSON."""
        return self._written("json", path)

    def _written(self, style: str, path: Target, **more: Any) -> str:
        from stanoff.text.export import contest_text
        from stanoff.text.render import write

        return write(contest_text(self, style, **more), path)

    def plot_scores(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the score of every system with its HDI, tier by tier."""
        from stanoff.plots import plot_scores

        return plot_scores(self, category, ax=ax)

    def plot_matrix(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the decision on every pair, and the probability that the row is better."""
        from stanoff.plots import plot_matrix

        return plot_matrix(self, category, ax=ax)

    def plot_ranks(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the probability of every rank."""
        from stanoff.plots import plot_ranks

        return plot_ranks(self, category, ax=ax)

    def drawable(self, category: str) -> bool:
        """Return whether the scores are finite."""
        return bool(np.isfinite(self.psi[..., self.categories.index(category)]).all())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all of it to a NetCDF file, as :meth:`stanoff.Comparison.save` does."""
        from stanoff.store.netcdf import save

        return save(self, path)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with the sentence, the table, the pairs and the figures.

        Its readers can apply a ROPE of their own: the draws are in it. It needs no network.
        """
        from stanoff._lib.files import write_text
        from stanoff.report.contest import contest_page

        return write_text(path, contest_page(self))

    def _repr_html_(self) -> str:
        """Show the sentence, the table and the scores in a notebook."""
        from stanoff.report.notebook import of_contest

        return of_contest(self)

    def __str__(self) -> str:
        if self.default_category is None:
            return "\n".join(self.sentence(category) for category in self.categories)
        return self.sentence()

    def __repr__(self) -> str:
        return f"<Contest of {len(self.systems)} systems: {self.measure.label}>"
