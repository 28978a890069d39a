"""The result of a comparison: the one object that tables, plots and reports read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff.data.types import AVERAGES
from stanoff.engines.draws import Draws, unstacked
from stanoff.errors import InputError
from stanoff.inference import cautions
from stanoff.inference.closed import summarize_student
from stanoff.inference.decision import Decision
from stanoff.inference.evidence import Evidence, RowInfo, summarize_rows
from stanoff.inference.scores import Scores
from stanoff.models.priors import Prior
from stanoff.models.students import Student
from stanoff.results.base import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from xarray import DataTree

    from stanoff.inference.sensitivity import Sensitivity
    from stanoff.planning.answers import Plan
    from stanoff.planning.items import Components
    from stanoff.planning.scenarios import Scenario
    from stanoff.workbench.predictive_check import Check

Target = str | os.PathLike[str] | None
Group = Literal["posterior", "prior"]

COLUMNS = [  # of the summary
    *("category", "psi_A", "psi_B", "observed_A", "observed_B", "sign_test", "t_test", "mean"),
    *("std", "mcse", "bf_sd", "bf_sd_bound", "bf_rope", "bf_rope_bound", "p_less", "p_greater"),
    *("p_rope", "hdi_low", "hdi_high", "decision"),
]
BOUNDS = ("bf_sd_bound", "bf_rope_bound")
AT_ONCE = 1_000_000  # draws that are weighed together
SHOWN = 50_000  # quantiles that stand for a posterior in closed form


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
        The places of A and B among the systems of the fit.
    scores, prior_scores : Scores
        The posterior and prior draws of psi and delta; None where a program cannot draw its prior.
    """

    pair: tuple[int, int]
    scores: Scores
    prior_scores: Scores | None

    @property
    def names(self) -> tuple[str, str]:
        """What A and B are called."""
        a, b = (self.data.systems[place] for place in self.pair)
        return a, b

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the numbers, in words."""
        return (*self.sampler_warnings, *cautions.all_of(self))

    def n_documents(self, category: str | None = None) -> tuple[int, int]:
        """Count the documents of A and of B, of a category or of the one that has the most."""
        n = self.data.n_documents(category)
        a, b = (0, 0) if len(n) == 1 else self.pair
        return n[a], n[b]

    @property
    def decision(self) -> Decision:
        """The verdict: on the average if there is one, else on the only category."""
        return self.evidence().decision

    def evidence(self, category: str | None = None) -> Evidence:
        """Weigh the evidence on one category or average, by default the one decided upon.

        Parameters
        ----------
        category : str, optional
            A name out of ``categories``.
        """
        chosen = self.resolve_category(category)
        if chosen not in self._weighed:
            self._weigh([self.categories.index(chosen)])
        return self._weighed[chosen]

    def all_evidence(self) -> list[Evidence]:
        """Weigh the evidence on every category and average, many of them at once."""
        draws = self.scores.delta[..., 0].size
        left = [i for i, name in enumerate(self.categories) if name not in self._weighed]
        step = max(1, AT_ONCE // draws)
        for start in range(0, len(left), step):
            self._weigh(left[start : start + step])
        return [self._weighed[category] for category in self.categories]

    def _weigh(self, rows: list[int]) -> None:
        delta = np.ascontiguousarray(np.moveaxis(self.scores.delta[..., rows], -1, 0))
        prior = None
        if self.prior_scores is not None:
            prior = np.ascontiguousarray(np.moveaxis(self.prior_scores.delta[..., rows], -1, 0))
        psi = self.scores.psi[..., rows].mean(axis=(0, 1))
        about = [
            RowInfo(
                self.categories[row],
                (psi[0, i].item(), psi[1, i].item()),
                (self.observed[0, row].item(), self.observed[1, row].item()),
                not cautions.infinite_prior_density(self, self.categories[row]),
            )
            for i, row in enumerate(rows)
        ]
        how: dict[str, Any] = {
            "rope": self.rope,
            "hdi_prob": self.hdi_prob,
            "higher_is_better": self.measure.higher_is_better,
        }
        known = self._known
        if known is None:
            weighed = summarize_rows(delta, prior, about, **how)
        else:
            weighed = [summarize_student(*known, one, **how) for one in about]
        self._weighed.update({said.category: said for said in weighed})

    @cached_property
    def _known(self) -> tuple[Student, Student | None] | None:
        """The posterior and the prior of delta where they are known in closed form."""
        return self.closed_form(*(np.array([place]) for place in self.pair))

    @cached_property
    def _weighed(self) -> dict[str, Evidence]:
        return {}

    @cached_property
    def observed(self) -> NDArray[np.float64]:
        """The scores of the data themselves (system, row); NaN where there are none."""
        every = self.model.observed_scores(self.data, self.measure, self.average)
        return every[list(self.pair)]

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

    def row_draws(self, group: Group, variable: str, category: str) -> NDArray[np.float64]:
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
        row = self.categories.index(category)
        if variable == "delta":
            return scores.delta[..., row]
        return scores.psi[..., ("psi_A", "psi_B").index(variable), row]

    def posterior_sample(self, category: str) -> NDArray[np.float64]:
        """Return values that are spread as the posterior of delta on one row is.

        These are its draws or, where it is known in closed form, its quantiles: what is shown of
        them then agrees with the sentence.
        """
        if self._known is None:
            return self.row_draws("posterior", "delta", category).ravel()
        return self._known[0].only.quantiles(SHOWN)

    def summary(self) -> pd.DataFrame:
        """Return everything in one table, a row per category and average.

        ``psi_A``, ``psi_B`` and ``mean`` are posterior means; ``observed_A`` and ``observed_B`` are
        the scores of the data themselves. A Bayes factor that only the number of draws bounds is
        NaN, and its bound is beside it. What to know before trusting the numbers is in
        ``summary().attrs["warnings"]``.
        """
        rows = self.all_evidence()
        table = pd.DataFrame(
            [
                vars(row)
                | {"hdi_low": row.hdi[0], "hdi_high": row.hdi[1], "decision": str(row.decision)}
                | {name: str(getattr(row, name) or "") for name in BOUNDS}
                for row in rows
            ]
        ).assign(**self.p_values)[COLUMNS]
        table.attrs["warnings"] = list(self.warnings)
        return table

    @cached_property
    def p_values(self) -> dict[str, list[float]]:
        """The p-values of the paper's sign test and t-test, a row per category and average."""
        from stanoff import significance

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
        averages = AVERAGES if self.average else ()
        groups = []
        for variables, scores in (
            (self.fit.draws.posterior, self.scores),
            (self.fit.draws.prior, self.prior_scores),
        ):
            named = scores.named(len(self.data.categories), averages) if scores else {}
            groups.append({**unstacked(variables, self.pair), **named})
        return Draws(groups[0], groups[1], self.fit.draws.sample_stats)

    @cached_property
    def tree(self) -> DataTree:
        """The draws as an ArviZ DataTree: posterior, prior, sample_stats, observed_data."""
        from stanoff.store.datatree import to_datatree

        return to_datatree(self)

    def judge(self, **changes: Any) -> Comparison:
        """Ask another question of the same draws; nothing is fitted again.

        Parameters
        ----------
        measure : str, optional
            Another measure. What 0/0 is stays as it was; ``beta`` and ``prevalence`` do not.
        beta, zero_division, prevalence : float, optional
            Other settings of the measure.
        average : str, optional
            Another average.
        rope : float or tuple of float, optional
            Another region of practical equivalence.
        hdi_prob : float, optional
            Another probability of the interval.

        Examples
        --------
        >>> from stanoff import compare_counts
        >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
        >>> str(result.decision), str(result.judge(rope=0.01).decision)
        ('=', '>')
        """
        asked = self.question.changed(**changes)
        if (asked.measure, asked.average) == (self.measure, self.average):
            return replace(self, question=asked)
        other = asked.measure != self.measure
        if other and not self.model.has_other_measures(self.fit.draws.posterior):
            raise InputError(
                f"{self.model.name} does not generate cells_A and cells_B, so that there are no "
                "averages and no other measures."
            )
        return self.fit.between(*self.names, asked)

    def sensitivity(
        self,
        category: str | None = None,
        *,
        priors: Mapping[str, Prior] | None = None,
        ropes: Sequence[float] | None = None,
    ) -> Sensitivity:
        """Describe what other priors and ROPEs would have said, and where the decision flips."""
        from stanoff.inference.sensitivity import sensitivity

        return sensitivity(self, category, priors=priors, ropes=ropes)

    def check(self) -> Check:
        """Describe in words what diagnostics and predictive checks say of the model and its draws.

        Examples
        --------
        >>> from stanoff import compare_counts
        >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
        >>> result.check().passed
        True
        """
        from stanoff.workbench.predictive_check import check

        return check(self)

    def scenario(self, category: str | None = None) -> Scenario:
        """Return the posterior means of one category as a scenario, to plan another study with.

        Where the model does not say how the answers of A and B go together, the counts do; with
        two test sets A and B are taken to be independent, at the prevalence of both together.
        """
        from stanoff.planning.observed import scenario_of

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
        most : int
            The largest number of further documents to consider.
        **options
            ``datasets``, ``draws``, ``seed``, ``jobs``, ``executor``, ``progress`` as in
            :func:`stanoff.power`. For another ROPE or HDI: ``result.judge(rope=...).plan()``.
        """
        from stanoff.planning.observed import more_documents

        return more_documents(self, category, **options)

    def components(self, *, item_cost: float = 0.0) -> Components:
        """Take the variance of a difference apart: that between items, and that between runs.

        Parameters
        ----------
        item_cost : float
            What a new item costs, in runs; it tells how many runs of each item are best.
        """
        from stanoff.planning.items import components

        return components(self, item_cost=item_cost)

    def populations(self) -> pd.DataFrame:
        """Judge values for all that they can tell about: new items, these again, new data sets."""
        from stanoff.inference.populations import populations

        return populations(self)

    def delta_new(self) -> NDArray[np.float64]:
        """Return draws (chain, draw) of the difference on a new category, or on a new data set.

        The hierarchical models know of new categories, the datasets model of new data sets.
        """
        from stanoff.inference.populations import delta_new

        return delta_new(self)

    def evidence_new(self) -> Evidence:
        """Weigh the difference on a new category, by what the hierarchical models say they share.

        The new category is as common as one of those observed, taken at random. Its sentence is
        ``sentence("a new category")``.
        """
        from stanoff.inference.populations import new_category

        return new_category(self)

    def sentence(self, category: str | None = None) -> str:
        """Describe the verdict, and what would change it, in words to paste into a paper."""
        from stanoff.inference.populations import NEW
        from stanoff.text.sentences import describe_comparison, describe_rope_flips

        new = category == NEW and NEW not in self.categories
        evidence = self.evidence_new() if new else self.evidence(category)
        return f"{describe_comparison(self, evidence)} {describe_rope_flips(self, evidence)}"

    def table(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the summary in cells of text, in the form of the paper's Tables 4 to 6.

        Parameters
        ----------
        columns : sequence of str, optional
            Out of ``stanoff.text.tables.COLUMNS``; those of the paper by default.
        """
        from stanoff.text.tables import PAPER, comparison_table

        return comparison_table(self, PAPER if columns is None else columns)

    def to_markdown(self, path: Target = None, *, columns: Sequence[str] | None = None) -> str:
        """Write the table, the verdict and the notes in Markdown, and to a file if one is named."""
        from stanoff.text.export import comparison_text
        from stanoff.text.render import write

        return write(comparison_text(self, "markdown", columns=columns), path)

    def to_latex(
        self,
        path: Target = None,
        *,
        columns: Sequence[str] | None = None,
        caption: str | None = None,
        label: str | None = None,
    ) -> str:
        """Write the table in LaTeX, for booktabs; by default the caption says what it shows."""
        from stanoff.text.export import comparison_text
        from stanoff.text.render import write

        text = comparison_text(self, "latex", columns=columns, caption=caption, label=label)
        return write(text, path)

    def to_csv(self, path: Target = None) -> str:
        """Write the numbers of the summary as comma-separated values."""
        from stanoff.text.export import comparison_text
        from stanoff.text.render import write

        return write(comparison_text(self, "csv"), path)

    def to_json(self, path: Target = None) -> str:
        """Write settings, numbers and words as JSON; NaN becomes null, infinity "inf"."""
        from stanoff.text.export import comparison_text
        from stanoff.text.render import write

        return write(comparison_text(self, "json"), path)

    def plot_posterior(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the posterior of delta with its HDI and ROPE, as in the paper's Figure 6."""
        from stanoff.plots import plot_posterior

        return plot_posterior(self, category, ax=ax)

    def plot_factor(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw prior and posterior density of delta and their ratio at 0, as in Figure 6."""
        from stanoff.plots import plot_factor

        return plot_factor(self, category, ax=ax)

    def plot_trace(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw delta along the chains, as in Figure 4."""
        from stanoff.plots import plot_trace

        return plot_trace(self, category, ax=ax)

    def plot_forest(self, *, sort: bool = True, ax: Axes | None = None) -> Axes:
        """Draw delta of every category and average, with HDIs and decisions."""
        from stanoff.plots import plot_forest

        return plot_forest(self, sort=sort, ax=ax)

    def plot_joint(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the score of A against that of B, with the diagonal and the ROPE."""
        from stanoff.plots import plot_joint

        return plot_joint(self, category, ax=ax)

    def plot_mosaic(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw on which documents the systems agree, and who is right where they do not."""
        from stanoff.plots import plot_mosaic

        return plot_mosaic(self, category, ax=ax)

    def plot_roc(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the ROC curves of both systems, where they have scores."""
        from stanoff.plots import plot_roc

        return plot_roc(self, category, ax=ax)

    def plot_roc_difference(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the difference of the ROC curves, with the ROPE."""
        from stanoff.plots import plot_roc_difference

        return plot_roc_difference(self, category, ax=ax)

    def plot_precision_recall(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw precision against recall of both systems."""
        from stanoff.plots import plot_precision_recall

        return plot_precision_recall(self, category, ax=ax)

    def plot_reliability(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw how often what was given a probability happens."""
        from stanoff.plots import plot_reliability

        return plot_reliability(self, category, ax=ax)

    def plot_priors(
        self,
        category: str | None = None,
        *,
        priors: Mapping[str, Prior] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw what other priors would have said."""
        from stanoff.plots import plot_prior

        return plot_prior(self, category, priors=priors, ax=ax)

    def plot_ropes(
        self,
        category: str | None = None,
        *,
        ropes: Sequence[float] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw what other ROPEs would have said, and where the decision flips."""
        from stanoff.plots import plot_rope

        return plot_rope(self, category, ropes=ropes, ax=ax)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all of it to a NetCDF file, which :func:`stanoff.load` and ArviZ read."""
        from stanoff.store.netcdf import save

        return save(self, path)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with the verdict, the table and the figures; it needs no network.

        Its readers can apply a ROPE and an HDI of their own: the draws are in it.
        """
        from stanoff._lib.files import write_text
        from stanoff.report.page import comparison_page

        return write_text(path, comparison_page(self))

    def _repr_html_(self) -> str:
        """Show the verdict, the table and the posterior in a notebook."""
        from stanoff.report.notebook import notebook

        return notebook(self)

    def __str__(self) -> str:
        if self.default_category is None:
            return "\n".join(self.sentence(category) for category in self.categories)
        return self.sentence()

    def __repr__(self) -> str:
        return f"<Comparison of {self.names[0]} and {self.names[1]}: {self.measure.label}>"
