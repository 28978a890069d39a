"""The result of a comparison of two systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, nan
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff import report, significance
from stanoff.data.load import Rows
from stanoff.data.trained import OutOfFold
from stanoff.data.types import Data, PairedCounts
from stanoff.engines.draws import Draws, unstacked
from stanoff.errors import InputError, invalid, unknown
from stanoff.fit import Fit, fit
from stanoff.inference.decision import Claim, Decision
from stanoff.inference.evidence import Evidence, RowInfo, summarize
from stanoff.inference.populations import (
    NEW,
    dataset_table,
    delta_new,
    evidence_new,
    judge_training_sets,
    judges_datasets,
    populations,
)
from stanoff.inference.posterior import Posterior, SampledPosterior
from stanoff.inference.scores import Scores, check_defined
from stanoff.inference.sensitivity import sensitivity
from stanoff.inference.warnings import COMPARISON_CHECKS, infinite_prior_density
from stanoff.models.counts import ConjugateCounts
from stanoff.planning.components import Components, components
from stanoff.planning.plan import Plan, additional_samples, scenario_of
from stanoff.planning.scenario import Scenario
from stanoff.question import Question, Sampling
from stanoff.results.base import PlotMethod, Result, with_groups
from stanoff.text.sentences import (
    describe_claims,
    describe_comparison,
    describe_next_dataset,
    describe_rope_flips,
    describe_training_sets,
)
from stanoff.text.tables import PAPER, comparison_table

COLUMNS = [  # of the summary
    *("category", "psi_A", "psi_B", "observed_A", "observed_B", "sign_test", "t_test", "mean"),
    *("std", "mcse", "bf_sd", "bf_sd_bound", "bf_rope", "bf_rope_bound", "p_less", "p_greater"),
    *("p_rope", "hdi_low", "hdi_high", "decision"),
]
BOUNDS = ("bf_sd_bound", "bf_rope_bound")
MAX_DRAWS_AT_ONCE = 1_000_000  # that are summarized together
LEARNING = ("hierarchical", "hierarchical_unpaired")  # models in which categories learn
N_QUANTILES = 50_000  # that stand for a posterior in closed form


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """The posterior of two systems' scores, what follows from it, and how it is shown.

    Made by :func:`compare` and :func:`compare_counts`. Nothing in it changes; what another ROPE,
    HDI, measure or average would say is had by :meth:`judge`, without fitting again.

    Attributes
    ----------
    fit, question : Fit, Question
        As in :class:`stanoff.results.base.Result`.
    pair : tuple of int
        The indices of A and B among the systems of the fit.
    scores, prior_scores : Scores
        The posterior and prior draws of psi and delta; None where a program cannot draw its prior.
    """

    pair: tuple[int, int]
    scores: Scores
    prior_scores: Scores | None

    _checks = COMPARISON_CHECKS

    @classmethod
    def from_fit(cls, fit: Fit, a: str, b: str, question: Question) -> Comparison:
        """Compare two of the systems of a fit.

        Parameters
        ----------
        fit : Fit
            A model fitted to data.
        a, b : str
            The names of the systems.
        question : Question
            What is asked.
        """
        fit, question = fit.of_pair(a, b, question)
        pair = fit.data.systems.index(a), fit.data.systems.index(b)
        scores = Scores.of(fit.model, fit.draws.posterior, question, pair)
        check_defined(int(np.isnan(scores.delta).sum()), question.measure)
        draws = fit.draws.prior
        prior_scores = Scores.of(fit.model, draws, question, pair) if draws else None
        return cls(fit, question, pair, scores, prior_scores)

    def refit(self, sampling: Sampling) -> Comparison:
        """Fit the same data in another way, and ask the same question."""
        return self._ask(fit(self.data, self.question, sampling), self.question)

    is_pair = True

    @property
    def indices(self) -> tuple[int, int]:
        """The indices of A and B among the systems of the fit."""
        return self.pair

    @property
    def names(self) -> tuple[str, str]:
        """What A and B are called."""
        a, b = super().names
        return a, b

    def n_documents(self, category: str | None = None) -> tuple[int, int]:
        """Count the documents of A and of B, of a category or of the one that has the most."""
        n = self.data.n_documents(category)
        a, b = (0, 0) if len(n) == 1 else self.pair
        return n[a], n[b]

    def _ask(self, fit: Fit, question: Question) -> Comparison:
        return self.from_fit(fit, *self.names, question=question)

    def _ends(self) -> Iterator[tuple[float, float, float]]:
        evidence = self.evidence()
        yield *evidence.hdi, evidence.end_error

    @property
    def decision(self) -> Decision:
        """The verdict: on the average if there is one, else on the only category."""
        return self.evidence().decision

    def evidence(self, category: str | None = None) -> Evidence:
        """Summarize the posterior of one category or average, by default the one decided upon.

        Parameters
        ----------
        category : str, optional
            A name out of ``categories``.
        """
        row = self.resolve_category(category)
        if row not in self._evidence:
            self._summarize([self.categories.index(row)])
        return self._evidence[row]

    def all_evidence(self) -> list[Evidence]:
        """Summarize the posterior of every category and average, many of them at once."""
        missing = [i for i, name in enumerate(self.categories) if name not in self._evidence]
        step = max(1, MAX_DRAWS_AT_ONCE // self.scores.delta[..., 0].size)
        for start in range(0, len(missing), step):
            self._summarize(missing[start : start + step])
        return [self._evidence[category] for category in self.categories]

    @cached_property
    def _evidence(self) -> dict[str, Evidence]:
        return {}

    def _summarize(self, rows: list[int]) -> None:
        psi_A, psi_B = self.scores.psi[..., rows].mean(axis=(0, 1)).tolist()
        observed_A, observed_B = self.observed[:, rows].tolist()
        names = [self.categories[row] for row in rows]
        defined = [not infinite_prior_density(self, name) for name in names]
        numbers = names, psi_A, psi_B, observed_A, observed_B, defined
        at_zero, prior_at_zero = self._densities_at_zero[:, rows]
        before = self.prior_scores
        posterior, prior = self.exact_differences or (
            self.scores.difference(rows, at_zero),
            None if before is None else before.difference(rows, prior_at_zero),
        )
        about = [RowInfo(*row) for row in zip(*numbers, strict=True)]
        evidence = summarize(posterior, prior, about, **self.decision_rule)
        self._evidence.update({e.category: e for e in evidence})

    @property
    def claim(self) -> Claim | None:
        """What ``not_worse_by`` or ``better_by`` claims of A, and whether it is shown."""
        return self.claims[0] if self.claims else None

    def _claimed(self) -> Iterator[tuple[tuple[str, str, str], Posterior]]:
        rows = (self.default_category,) if self.default_category else self.categories
        for row in rows:
            yield (row, *self.names), self._posterior(row)

    def probability(
        self, lower: float = -inf, upper: float = inf, *, category: str | None = None
    ) -> float:
        """Return the probability that the difference lies between two numbers.

        Examples
        --------
        >>> from stanoff import compare_counts
        >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
        >>> result.probability(-0.05, 0.05) == result.evidence().p_rope
        True
        """
        posterior = self._posterior(self.resolve_category(category))
        return float(posterior.within((lower, upper))[0])

    def _posterior(self, category: str) -> Posterior:
        """Return the posterior of delta of one row."""
        if self.exact_differences is not None:
            return self.exact_differences[0]
        return SampledPosterior(self.scores.delta[None, ..., self.categories.index(category)])

    @cached_property
    def _densities_at_zero(self) -> NDArray[np.float64]:
        """Posterior and prior density of delta at 0 (2, row), NaN where no formula knows them."""
        densities = np.full((2, len(self.categories)), nan)
        if isinstance(self.model, ConjugateCounts):
            at_zero = self.model.densities_at_zero(self.measure, self.data, self.prior)
            if at_zero is not None:
                densities[:, : len(self.data.categories)] = at_zero
        return densities

    @cached_property
    def prior_density_infinite_at_zero(self) -> bool | None:
        """Whether a theorem says that the prior density of delta at 0 is infinite, or not."""
        return self.model.prior_density_infinite_at_zero(self.measure, self.prior, self.data)

    def prior_delta(self, category: str) -> NDArray[np.float64] | None:
        """Return the prior draws of delta; None where there are none, or not in all draws."""
        if self.prior_scores is None:
            return None
        delta = self.row_draws("prior", "delta", category)
        return None if np.isnan(delta).any() else delta

    def row_draws(
        self, group: Literal["posterior", "prior"], variable: str, category: str
    ) -> NDArray[np.float64]:
        """Return the (chain, draw) values of one row of the summary.

        Parameters
        ----------
        group : str
            ``"posterior"`` or ``"prior"``.
        variable : str
            ``"psi_A"``, ``"psi_B"`` or ``"delta"``.
        category : str
            A name out of ``categories``.
        """
        scores = self.scores if group == "posterior" else self.prior_scores
        if scores is None:
            raise InputError(f"{self.model.name} draws no prior.")
        values = {"delta": scores.delta, "psi_A": scores.psi[:, :, 0], "psi_B": scores.psi[:, :, 1]}
        return values[variable][..., self.categories.index(category)]

    def posterior_sample(self, category: str) -> NDArray[np.float64]:
        """Return values that are distributed as the posterior of delta on one row is.

        These are its draws or, where it is known in closed form, its quantiles: what is shown of
        them then agrees with the sentence.
        """
        if self.exact_differences is None:
            return self.row_draws("posterior", "delta", category).ravel()
        return self.exact_differences[0].quantiles(N_QUANTILES).ravel()

    def summary(self) -> pd.DataFrame:
        """Return everything in one table, a row per category and average.

        ``psi_A``, ``psi_B`` and ``mean`` are posterior means; ``observed_A`` and ``observed_B`` are
        the scores of the data themselves. A Bayes factor that only the number of draws bounds is
        NaN, and its bound is beside it. With ``by=`` there is a row per group of the documents, and
        one of ``all``. What to know before trusting the numbers is in
        ``summary().attrs["warnings"]``.
        """
        self.all_evidence()
        rows = []
        for name, (result, category) in self.summary_rows.items():
            e, index = result.evidence(category), result.categories.index(category)
            row = e.as_row() | {bound: str(getattr(e, bound) or "") for bound in BOUNDS}
            row |= {test: values[index] for test, values in result.p_values.items()}
            rows.append(row | {"category": name, "documents": max(result.n_documents(category))})
        columns = ["category", "documents", *COLUMNS[1:]] if self.groups else COLUMNS
        table = pd.DataFrame(rows)[columns]
        table.attrs["warnings"] = list(self.warnings)
        return table.rename(columns={"category": "group"}) if self.groups else table

    @cached_property
    def p_values(self) -> dict[str, list[float]]:
        """The p-values of the paper's sign test and t-test, a row per category and average."""
        no_tests = [nan] * (len(self.categories) - len(self.data.categories))
        columns = significance.columns(self.data)
        return {name: [*values, *no_tests] for name, values in columns.items()}

    def overall(self) -> pd.DataFrame:
        """Describe what the hierarchical model says of all categories together: eta.

        A row per true class, with the posterior mean probabilities that both systems, only A, only
        B and neither are right.
        """
        eta = self.fit.draws.posterior
        if "eta_pos" not in eta or eta["eta_pos"].shape[-1] != 4:
            raise InputError("There is no eta: only the paired hierarchical model has one.")
        right = [eta["eta_pos"].mean(axis=(0, 1)), eta["eta_neg"].mean(axis=(0, 1))[::-1]]
        # On negatives it is right not to say yes: neither said yes, only B said yes, ...
        columns = ["both right", "only A right", "only B right", "neither right"]
        return pd.DataFrame(right, columns=columns, index=["positive", "negative"])

    @cached_property
    def draws(self) -> Draws:
        """All draws by the names of the Stan programs, with psi and delta of this question."""
        posterior, prior = (
            {**unstacked(variables, self.pair), **(scores.named() if scores else {})}
            for variables, scores in (
                (self.fit.draws.posterior, self.scores),
                (self.fit.draws.prior, self.prior_scores),
            )
        )
        return Draws(posterior, prior, self.fit.draws.sample_stats)

    sensitivity = sensitivity

    def disagreements(self, category: str | None = None) -> pd.DataFrame:
        """Return the documents on which the systems differ, and who is right.

        They have the columns of the table that was compared, and its index. ``change`` says what
        becomes of a document from A to B: ``"right to wrong"``, ``"wrong to right"`` or, with
        several classes, ``"wrong to wrong"``. A document with several labels is right where all of
        them are.

        Parameters
        ----------
        category : str, optional
            Only documents on which the systems differ as to this category.

        Examples
        --------
        >>> from stanoff import compare
        >>> truth, a, b = [1, 1, 0, 0], [1, 1, 0, 1], [1, 0, 0, 0]
        >>> result = compare(truth, a, b, engine="exact", seed=1)
        >>> result.disagreements()["change"].tolist()
        ['right to wrong', 'wrong to right']
        """
        if self.fit.rows is None or self.data.kind != "labels":
            raise InputError(
                "Disagreements are listed where labels were compared document by document: counts, "
                "scores, values and saved results do not have them."
            )
        categories = self.data.categories
        if category is not None and category not in categories:
            raise unknown("category", category, categories)
        names = categories if category is None else [category]
        return self.fit.rows.disagreements(*self.names, names)

    def scenario(self, category: str | None = None) -> Scenario:
        """Return the posterior means of one category as a scenario, to plan another study with.

        Where the model does not say how the answers of A and B go together, the counts do; with
        two test sets A and B are taken to be independent, at the prevalence of both together.
        """
        return scenario_of(self, category)

    def plan(self, category: str | None = None, **options: Any) -> Plan:
        """Compute how many more documents probably settle this, and toward which verdict.

        Each simulated future draws what may be true from the posterior, adds documents to those
        observed and is judged as this comparison was.

        Parameters
        ----------
        category : str, optional
            One of the categories; averages of labels cannot be planned.
        goal : str or list of str
            ``"settled"`` (default), ``">>"``, ``"="``, ``"<<"`` or several of them.
        assurance : float or list of float
            How probable it shall be that the goal is reached; 0.8 by default.
        max_n : int
            The largest number of further documents to consider.
        **options
            ``n_simulations``, ``draws``, ``seed``, ``jobs``, ``executor``, ``progress`` as in
            :func:`stanoff.power`. For another ROPE or HDI: ``result.judge(rope=...).plan()``.
        """
        return additional_samples(self, category, **options)

    def components(self, *, item_cost: float = 0.0) -> Components:
        """Take the variance of a difference apart: that between items, and that between runs.

        Parameters
        ----------
        item_cost : float
            What a new item costs, in runs; it tells how many runs of each item are best.
        """
        return components(self, item_cost=item_cost)

    populations = populations
    delta_new = delta_new
    evidence_new = evidence_new
    datasets = dataset_table

    def sentence(self, category: str | None = None) -> str:
        """Describe the verdict, and what would change it, in words to paste into a paper."""
        is_new = category == NEW and category not in self.categories
        evidence = self.evidence_new() if is_new else self.evidence(category)
        sentences = [describe_comparison(self, evidence), describe_rope_flips(self, evidence)]
        sentences += describe_claims(self.claims_of(category))
        if isinstance(self.data, OutOfFold) and (other := judge_training_sets(self)):
            sentences.append(describe_training_sets(evidence, other))
        elif judges_datasets(self):
            sentences.append(describe_next_dataset(self.evidence_new()))
        return " ".join(sentences)

    def table(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the summary in cells of text, in the form of the paper's Tables 4 to 6.

        Parameters
        ----------
        columns : sequence of str, optional
            Out of ``stanoff.text.tables.COLUMNS``; those of the paper by default.
        """
        return comparison_table(self, PAPER if columns is None else columns)

    def _as_page(self) -> str:
        return report.page.comparison_page(self)

    def _repr_html_(self) -> str:
        """Show the verdict, the table and the posterior in a notebook."""
        return report.page.result_as_html(self)

    def __repr__(self) -> str:
        return f"<Comparison of {self.names[0]} and {self.names[1]}: {self.measure_label}>"

    plot_posterior = PlotMethod("plot_posterior")
    plot_factor = PlotMethod("plot_factor")
    plot_trace = PlotMethod("plot_trace")
    plot_forest = PlotMethod("plot_forest")
    plot_joint = PlotMethod("plot_joint")
    plot_mosaic = PlotMethod("plot_mosaic")
    plot_roc = PlotMethod("plot_roc")
    plot_roc_difference = PlotMethod("plot_roc_difference")
    plot_precision_recall = PlotMethod("plot_precision_recall")
    plot_reliability = PlotMethod("plot_reliability")
    plot_priors = PlotMethod("plot_prior")
    plot_ropes = PlotMethod("plot_rope")


def compare_data(
    data: Data, question: Question, sampling: Sampling, rows: Rows | None = None
) -> Comparison:
    """Fit a model and judge it, with as many draws as the verdict takes; so for every group."""
    if not data.groups:
        return _compare(data, question, sampling, rows)
    if sampling.model is not None and sampling.model.name in LEARNING:
        groups = _compare_together(data, question, sampling)
        whole = _compare(data, question, replace(sampling, model=None), rows)
        return replace(whole, groups=groups)
    whole = _compare(data, question, sampling, rows)
    return with_groups(whole, data.groups, lambda group: _compare(group, question, sampling))


def _compare(
    data: Data, question: Question, sampling: Sampling, rows: Rows | None = None
) -> Comparison:
    fitted = replace(fit(data, question, sampling), rows=rows)
    a, b = data.systems
    result = Comparison.from_fit(fitted, a, b, question)
    return result if sampling.draws is not None else result.with_enough_draws()


def _compare_together(data: Data, question: Question, sampling: Sampling) -> dict[str, Comparison]:
    """Let groups learn from each other: they are the categories of one hierarchical model."""
    names, groups = tuple(data.groups), list(data.groups.values())
    if not isinstance(data, PairedCounts) or len(data.categories) > 1 or len(names) < 2:
        rule = "another one for groups, unless two or more of them are judged on one category"
        raise invalid("model", rule, sampling.model and sampling.model.name)
    arrays: dict[str, Any] = {
        name: np.concatenate([group.arrays()[name] for group in groups]) for name in ("pos", "neg")
    }
    together = PairedCounts(names, **arrays, systems=data.systems, source=data.source)
    fitted = fit(together, question, sampling)
    a, b = data.systems
    return {
        name: Comparison.from_fit(fitted.of_category(index), a, b, question)
        for index, name in enumerate(names)
    }
