"""The result of a contest: any number of systems, one joint posterior."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff import report
from stanoff.engines.draws import Draws
from stanoff.fit import Fit
from stanoff.inference.ranking import Ranking, rank_systems
from stanoff.inference.scores import check_defined
from stanoff.inference.warnings import CONTEST_CHECKS
from stanoff.question import Question
from stanoff.results.base import PlotMethod, Result
from stanoff.results.comparison import Comparison
from stanoff.text.export import contest_text
from stanoff.text.sentences import describe_contest
from stanoff.text.tables import contest_table


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

    psi: NDArray[np.float64]

    _checks = CONTEST_CHECKS

    @classmethod
    def from_fit(cls, fit: Fit, question: Question) -> Contest:
        """Compare all systems of a fit.

        Parameters
        ----------
        fit : Fit
            A model fitted to data.
        question : Question
            What is asked.
        """
        question = fit.asked(question)
        fit = fit.having(question.measure)
        psi = fit.model.scores(fit.draws.posterior, question.measure, question.average)
        if not np.isfinite(psi).all():
            undefined = np.isnan(psi).any(axis=2) | (np.isinf(psi).sum(axis=2) > 1)
            check_defined(int(undefined.sum()), question.measure)
        return cls(fit, question, psi)

    def _score_again(self, question: Question) -> Contest:
        return self.from_fit(self.fit, question)

    @property
    def systems(self) -> tuple[str, ...]:
        """What the systems are called."""
        return self.data.systems

    @property
    def indices(self) -> tuple[int, ...]:
        """The indices of all systems of the fit."""
        return tuple(range(len(self.systems)))

    @cached_property
    def draws(self) -> Draws:
        """All draws by the names of the Stan programs, with psi of this question."""
        draws, prior = self.fit.draws, dict(self.fit.draws.prior)
        if prior:
            prior["psi"] = self.model.scores(prior, self.measure, self.average)
        return replace(draws, posterior={**draws.posterior, "psi": self.psi}, prior=prior)

    def ranking(self, category: str | None = None) -> Ranking:
        """Rank the systems on one category or average: the numbers behind the summary."""
        row = self.resolve_category(category)
        if row not in self._rankings:
            psi = self.psi[..., self.categories.index(row)]
            closed_form = self.closed_form(*np.triu_indices(len(self.systems), 1))
            self._rankings[row] = rank_systems(
                psi.reshape(-1, len(self.systems)),
                rope=self.rope,
                hdi_prob=self.hdi_prob,
                higher_is_better=self.measure.higher_is_better,
                differences=closed_form and closed_form[0],
            )
        return self._rankings[row]

    @cached_property
    def _rankings(self) -> dict[str, Ranking]:
        return {}

    def best(self, category: str | None = None) -> tuple[str, ...]:
        """Name the systems that can still be the best: none is significantly better than they."""
        return self.tiers(category)[0]

    def tiers(self, category: str | None = None) -> tuple[tuple[str, ...], ...]:
        """Name the systems tier by tier.

        The first tier can still be the best: no system is significantly better. The next one
        could be if the first were not there, and so on.
        """
        ranking = self.ranking(category)
        return tuple(
            tuple(self.systems[i] for i in ranking.order if ranking.tier[i] == tier)
            for tier in range(1, int(ranking.tier.max()) + 1)
        )

    def summary(self, category: str | None = None) -> pd.DataFrame:
        """Return what is known of each system, the best first.

        ``psi`` is the posterior mean of the score and ``observed`` the score of the documents at
        hand. ``p_near`` is the probability of being within the ROPE of the best, ``p_best`` that of
        being the best, which near-twins share, and ``regret`` how much worse than the best a system
        is expected to be. ``rank_low`` to ``rank_high`` have the probability of the HDI.
        """
        ranking = self.ranking(category)
        row = self.categories.index(self.resolve_category(category))
        table = pd.DataFrame(
            {
                "system": self.systems,
                "tier": ranking.tier,
                "psi": ranking.mean,
                "observed": self.observed[:, row],
                "hdi_low": ranking.hdi_low,
                "hdi_high": ranking.hdi_high,
                "p_near": ranking.p_within_rope_of_best,
                "p_best": ranking.p_best,
                "regret": ranking.regret,
                "rank": ranking.ranks @ np.arange(1, len(self.systems) + 1),
                "rank_low": ranking.rank_low,
                "rank_high": ranking.rank_high,
            }
        ).iloc[ranking.order]
        table.attrs["warnings"] = list(self.warnings)
        return table.reset_index(drop=True)

    def ranks(self, category: str | None = None) -> pd.DataFrame:
        """Return the probability of each rank: a row per system, the best first."""
        ranking = self.ranking(category)
        names = [self.systems[i] for i in ranking.order]
        columns = range(1, len(names) + 1)
        return pd.DataFrame(ranking.ranks[ranking.order], index=names, columns=columns)

    def pairs(self, category: str | None = None) -> pd.DataFrame:
        """Return the difference and the decision of every pair, in the order of the systems."""
        pairs = self.ranking(category).pairs
        names = np.array(self.systems, dtype=object)
        named = pairs.assign(first=names[pairs["first"]], second=names[pairs["second"]])
        return named.rename(columns={"first": "a", "second": "b"})

    def between(self, a: str, b: str) -> Comparison:
        """Return the comparison of two of the systems, as :func:`stanoff.compare` makes it."""
        return Comparison.from_fit(self.fit, a, b, self.question)

    def sentence(self, category: str | None = None) -> str:
        """Describe who can still be the best, in words to paste into a paper."""
        return describe_contest(self, self.resolve_category(category))

    def table(self, category: str | None = None) -> pd.DataFrame:
        """Return the summary in cells of text."""
        return contest_table(self, self.resolve_category(category))

    def _as_text(self, style: str, **options: Any) -> str:
        return contest_text(self, style, **options)

    def _as_page(self) -> str:
        return report.contest.contest_page(self)

    def drawable(self, category: str) -> bool:
        """Return whether the scores are finite."""
        return bool(np.isfinite(self.psi[..., self.categories.index(category)]).all())

    def _repr_html_(self) -> str:
        """Show the sentence, the table and the scores in a notebook."""
        return report.notebook.contest_as_html(self)

    def __repr__(self) -> str:
        return f"<Contest of {len(self.systems)} systems: {self.measure.label}>"

    plot_scores = PlotMethod("plot_scores")
    plot_matrix = PlotMethod("plot_matrix")
    plot_ranks = PlotMethod("plot_ranks")
