"""The result of a comparison: the one object that tables, plots and reports read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from stanoff.errors import InputError
from stanoff.judgement import Judgement
from stanoff.models.priors import Prior

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from stanoff.inference.evidence import Evidence
    from stanoff.inference.sensitivity import Sensitivity
    from stanoff.planning.answers import Plan
    from stanoff.planning.items import Components
    from stanoff.planning.scenarios import Scenario
    from stanoff.workbench.checks import Check

Target = str | os.PathLike[str] | None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Judgement):
    """The posterior of two systems' scores, what follows from it, and how it is shown.

    Made by :func:`compare` and :func:`compare_counts`. Nothing in it changes; what another ROPE,
    HDI, measure or average would say is had by :meth:`judge`, without fitting again. The attributes
    are those of :class:`stanoff.judgement.Judgement`.
    """

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
        from stanoff.workbench.checks import check

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
        from stanoff.text.words import sentence, what_would_change

        new = category == NEW and NEW not in self.categories
        evidence = self.evidence_new() if new else self.evidence(category)
        return f"{sentence(self, evidence)} {what_would_change(self, evidence)}"

    def table(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the summary in cells of text, in the form of the paper's Tables 4 to 6.

        Parameters
        ----------
        columns : sequence of str, optional
            Out of ``stanoff.text.tables.HEADINGS``; those of the paper by default.
        """
        from stanoff.text.tables import PAPER, formatted

        return formatted(self, PAPER if columns is None else columns)

    def to_markdown(self, path: Target = None, *, columns: Sequence[str] | None = None) -> str:
        """Write the table, the verdict and the notes in Markdown, and to a file if one is named."""
        from stanoff.text.formats import as_text, written

        return written(as_text(self, "markdown", columns=columns), path)

    def to_latex(
        self,
        path: Target = None,
        *,
        columns: Sequence[str] | None = None,
        caption: str | None = None,
        label: str | None = None,
    ) -> str:
        """Write the table in LaTeX, for booktabs; by default the caption says what it shows."""
        from stanoff.text.formats import as_text, written

        text = as_text(self, "latex", columns=columns, caption=caption, label=label)
        return written(text, path)

    def to_csv(self, path: Target = None) -> str:
        """Write the numbers of the summary as comma-separated values."""
        from stanoff.text.formats import as_text, written

        return written(as_text(self, "csv"), path)

    def to_json(self, path: Target = None) -> str:
        """Write settings, numbers and words as JSON; NaN becomes null, infinity "inf"."""
        from stanoff.text.formats import as_text, written

        return written(as_text(self, "json"), path)

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

    def plot_frequency(
        self,
        frequency: Mapping[Any, float] | pd.Series,
        *,
        window: float = 2.0,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the scores against how many training documents the categories have."""
        from stanoff.plots import plot_frequency

        return plot_frequency(self, frequency, window=window, ax=ax)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all of it to a NetCDF file, which :func:`stanoff.load` and ArviZ read."""
        from stanoff.store.saving import save

        return save(self, path)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with the verdict, the table and the figures; it needs no network.

        Its readers can apply a ROPE and an HDI of their own: the draws are in it.
        """
        from stanoff._lib.files import write_text
        from stanoff.report.page import page

        return write_text(path, page(self))

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
