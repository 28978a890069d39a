"""The result of a contest: any number of systems, one joint posterior; or one of every pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff import report
from stanoff._lib.arguments import Interval
from stanoff._lib.escaping import shown
from stanoff._lib.showing import ReprMixin
from stanoff.data.load import Rows
from stanoff.data.types import Data
from stanoff.engines.draws import Draws
from stanoff.errors import JointPosteriorError, invalid, unknown
from stanoff.fit import Fit, fit
from stanoff.inference.decision import times_to_resolve
from stanoff.inference.intervals import hdi_end_mcse, mcse
from stanoff.inference.leaderboard import MIN_SYSTEMS, learn_from_each_other
from stanoff.inference.populations import judges_datasets, next_scores
from stanoff.inference.posterior import Posterior, SampledPosterior
from stanoff.inference.ranking import PairMatrix, Ranking, rank_systems
from stanoff.inference.scores import check_defined
from stanoff.inference.warnings import CONTEST_CHECKS
from stanoff.planning.plan import Plan, additional_samples
from stanoff.question import Question, Sampling
from stanoff.results.base import Exported, PlotMethod, Result, Target, with_groups
from stanoff.results.comparison import Comparison, compare_data
from stanoff.text.export import result_text
from stanoff.text.render import write
from stanoff.text.sentences import (
    describe_best_next,
    describe_claims,
    describe_contest,
    describe_pairs,
)
from stanoff.text.tables import contest_table, pairs_table

COLUMNS = [  # of the summary
    *("system", "tier", "psi", "observed", "hdi_low", "hdi_high", "p_near", "p_best", "regret"),
    *("rank", "rank_low", "rank_high"),
]
PAIR_COLUMNS = [  # of the summary of pairs
    *("a", "b", "documents", "psi_A", "psi_B", "observed_A", "observed_B", "mean", "std"),
    *("hdi_low", "hdi_high", "p_less", "p_rope", "p_greater", "decision"),
]
Pair = tuple[str, str]


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
        question = fit.adapt_question(question)
        fit = fit.with_measure(question.measure)
        psi = fit.model.scores(fit.draws.posterior, question.measure, question.average)
        if not np.isfinite(psi).all():
            undefined = np.isnan(psi).any(axis=2) | (np.isinf(psi).sum(axis=2) > 1)
            check_defined(int(undefined.sum()), question.measure)
        return cls(fit, question, psi)

    def _ask(self, fit: Fit, question: Question) -> Contest:
        return self.from_fit(fit, question)

    def decision_resolved(self, category: str | None = None) -> bool:
        """Return whether Monte-Carlo error decides no verdict on a pair with the leader."""
        return times_to_resolve(self._ends(category), self.rope) == 1

    def _ends(self, category: str | None = None) -> Iterator[tuple[float, float, float]]:
        """Yield the HDIs of the pairs with the leader."""
        ranking = self.ranking(category)
        leads = (ranking.pairs[["first", "second"]] == ranking.order[0]).any(axis=1)
        pairs = ranking.pairs[leads]
        yield from zip(
            pairs["hdi_low"], pairs["hdi_high"], self.end_errors(pairs, category), strict=True
        )

    def end_errors(self, pairs: pd.DataFrame, category: str | None = None) -> NDArray[np.float64]:
        """Return the Monte-Carlo standard errors of the ends of the HDIs of some pairs.

        Parameters
        ----------
        pairs : DataFrame
            Rows of ``ranking(category).pairs``.
        category : str, optional
            A category, or the average.
        """
        if self.exact_differences is not None:
            return np.zeros(len(pairs))
        psi = self.psi[..., self.categories.index(self.resolve_category(category))]
        sd = pairs["std"].to_numpy()
        if self.engine == "exact":  # draws are independent
            errors = sd / np.sqrt(psi[..., 0].size)
        else:
            two = zip(pairs["first"], pairs["second"], strict=True)
            errors = np.array([mcse(psi[..., a] - psi[..., b]) for a, b in two])
        low, high = pairs["hdi_low"].to_numpy(), pairs["hdi_high"].to_numpy()
        return hdi_end_mcse(low, high, sd, errors, self.hdi_prob)

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
            psi = self.psi[..., self.categories.index(row)].reshape(-1, len(self.systems))
            self._rankings[row] = rank_systems(
                psi,
                differences=self.exact_differences and self.exact_differences[0],
                learned=self.ranked_scores(row),
                **self.decision_rule,
            )
        return self._rankings[row]

    @property
    def claim(self) -> pd.DataFrame:
        """What ``not_worse_by`` or ``better_by`` claims of every system but the baseline."""
        return pd.DataFrame(map(vars, self.claims))

    def _claimed(self) -> Iterator[tuple[tuple[str, str, str], Posterior]]:
        row = self.resolve_category(None)
        order, psi = self.ranking(row).order, self.psi[..., self.categories.index(row)]
        name = self.question.compare_to or self.systems[order[0]]
        if name not in self.systems:
            raise unknown("compare_to", name, self.systems)
        baseline = self.systems.index(name)
        for i in order:
            if i != baseline:
                exact = self.closed_form(np.array([i]), np.array([baseline]))
                difference = SampledPosterior((psi[..., i] - psi[..., baseline])[None])
                yield (row, self.systems[i], name), exact[0] if exact else difference

    @property
    def shrinks(self) -> bool:
        """Whether systems learn from each other where they are ranked."""
        default = len(self.systems) >= MIN_SYSTEMS
        return default if self.question.shrink is None else self.question.shrink

    def ranked_scores(self, category: str | None = None) -> NDArray[np.float64]:
        """Return the draws (draw, system) that ranks come from: they may learn from each other."""
        row = self.categories.index(self.resolve_category(category))
        psi = self.psi[..., row].reshape(-1, len(self.systems))
        if not self.shrinks:
            return psi
        rng = np.random.default_rng([self.seed, len(self.systems)])
        # Data sets are weighed by what they tell.
        observed = psi.mean(axis=0) if judges_datasets(self) else self.observed[:, row]
        learned = learn_from_each_other(psi.T, observed, rng, range_of_scores=self.measure.range)
        return psi if learned is None else learned.T

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
        is expected to be. ``rank_low`` to ``rank_high`` have the probability of the HDI. With
        ``by=`` every group of the documents has these rows, and then ``all``.
        """
        if self.groups:
            tables = {
                name: contest.whole.summary(category or decided)
                for name, (contest, decided) in self.summary_rows.items()
            }
            table = pd.concat(tables, names=["group"]).reset_index("group")
        else:
            ranking, row = self.ranking(category), self.resolve_category(category)
            table = self._scores_table(
                ranking,
                tier=ranking.tier,
                observed=self.observed[:, self.categories.index(row)],
                rank=ranking.ranks @ np.arange(1, len(self.systems) + 1),
                rank_low=ranking.rank_low,
                rank_high=ranking.rank_high,
            )[COLUMNS].iloc[ranking.order]
        table.attrs["warnings"] = list(self.warnings)
        return table.reset_index(drop=True)

    def next_dataset(self) -> pd.DataFrame:
        """Return how good each system may be on the next data set, the best first.

        ``p_best`` and ``p_near`` are the probabilities of being the best there, and within the ROPE
        of the best; ``regret`` is how much worse than the best a system is expected to be.
        """
        table = self._scores_table(self._next_ranking)
        return table.sort_values("p_best", ascending=False, ignore_index=True)

    def _scores_table(self, ranking: Ranking, **columns: Any) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "system": self.systems,
                "psi": ranking.mean,
                "hdi_low": ranking.hdi_low,
                "hdi_high": ranking.hdi_high,
                "p_near": ranking.p_within_rope_of_best,
                "p_best": ranking.p_best,
                "regret": ranking.regret,
                **columns,
            }
        )

    @cached_property
    def _next_ranking(self) -> Ranking:
        psi = next_scores(self).reshape(-1, len(self.systems))
        return rank_systems(psi, **self.decision_rule)

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

    def matrix(self, category: str | None = None) -> PairMatrix:
        """Return the decision on each system against each other, the best first."""
        ranking = self.ranking(category)
        order = ranking.order
        return PairMatrix(
            [self.systems[i] for i in order],
            ranking.decisions[np.ix_(order, order)],
            ranking.better[np.ix_(order, order)],
            (1 + np.flatnonzero(np.diff(ranking.tier[order]))).tolist(),
        )

    def between(self, a: str, b: str) -> Comparison:
        """Return the comparison of two of the systems, as :func:`stanoff.compare` makes it."""
        pair = Comparison.from_fit(self.fit, a, b, self.question)
        return replace(
            pair, groups={g: contest.between(a, b) for g, contest in self.groups.items()}
        )

    def plan(self, category: str | None = None, **options: Any) -> Plan:
        """Compute how many more documents probably settle who leads.

        A future is judged by its leader, whoever that is, against the system that is hardest to
        tell from it: ``"settled"`` means that all pairs with the leader are settled, ``">>"`` that
        it is significantly better than all others, so that the set of the best has one member.
        What may be true is drawn as for the ranks; scores are taken to be normal.

        Parameters
        ----------
        category : str, optional
            A category or an average.
        **options
            As in :meth:`stanoff.Comparison.plan`.
        """
        return additional_samples(self, category, **options)

    def sentence(self, category: str | None = None) -> str:
        """Describe who can still be the best, in words to paste into a paper."""
        row = self.resolve_category(category)
        sentences = [describe_contest(self, row), *describe_claims(self.claims_of(row))]
        if "psi_new" in self.fit.draws.posterior:
            p_best = self._next_ranking.p_best.tolist()
            sentences.append(describe_best_next(self.systems, p_best))
        return " ".join(sentences)

    def table(self, category: str | None = None) -> pd.DataFrame:
        """Return the summary in cells of text."""
        return contest_table(self, self.resolve_category(category))

    def _as_page(self) -> str:
        return report.page.contest_page(self)

    def drawable(self, category: str) -> bool:
        """Return whether the scores are finite."""
        return bool(np.isfinite(self.psi[..., self.categories.index(category)]).all())

    def _repr_html_(self) -> str:
        """Show the sentence, the table and the scores in a notebook."""
        return report.page.result_as_html(self)

    def __repr__(self) -> str:
        return f"<Contest of {len(self.systems)} systems: {self.measure_label}>"

    plot_scores = PlotMethod("plot_scores")
    plot_matrix = PlotMethod("plot_matrix")
    plot_ranks = PlotMethod("plot_ranks")


def contest_data(
    data: Data, question: Question, sampling: Sampling, rows: Rows | None = None
) -> Contest:
    """Fit a model and judge it, with as many draws as the verdict takes; so for every group."""
    fitted = replace(fit(data, question, sampling), rows=rows)
    result = Contest.from_fit(fitted, question)
    if sampling.draws is None:
        result = result.with_enough_draws()
    if not data.groups:
        return result
    return with_groups(result, data.groups, lambda group: contest_data(group, question, sampling))


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
        )[PAIR_COLUMNS]
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
