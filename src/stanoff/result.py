"""The result of a comparison: the one object that tables, plots and reports read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from stanoff import measures
from stanoff.decision import as_probability, as_rope
from stanoff.judgement import Judgement
from stanoff.priors import Prior
from stanoff.tables import PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stanoff.planning.answers import Plan
    from stanoff.planning.scenarios import Scenario
    from stanoff.sensitivity import Sensitivity

Target = str | os.PathLike[str] | None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Judgement):
    """The posterior of two classifiers' scores, what follows from it, and how it is shown.

    Made by :func:`compare` and :func:`compare_counts`. Nothing in it changes; what another ROPE,
    HDI or measure would say is had without fitting again. The attributes are those of
    :class:`stanoff.judgement.Judgement`.
    """

    def under(self, *, rope: Any = None, hdi: float | None = None) -> Comparison:
        """Take another ROPE or HDI for everything that is said, written and drawn from here on."""
        return replace(
            self,
            rope_used=self.rope_used if rope is None else as_rope(rope),
            hdi_used=self.hdi_used if hdi is None else as_probability("hdi", hdi),
        )

    def measure(
        self,
        name: str,
        *,
        beta: float = 1.0,
        zero_division: float | str | None = None,
        prevalence: float | None = None,
    ) -> Comparison:
        """Judge the same draws by another measure; nothing is fitted again.

        What 0/0 is stays as it was unless told; ``beta`` and ``prevalence`` do not.
        """
        from stanoff.scoring import judged

        zero = self.measure_used.zero_division if zero_division is None else zero_division
        chosen = measures.get(name, beta=beta, zero_division=zero, prevalence=prevalence)
        return judged(self, chosen)

    def sensitivity(
        self,
        category: str | None = None,
        *,
        priors: Mapping[str, Prior] | None = None,
        ropes: Sequence[float] | None = None,
    ) -> Sensitivity:
        """Tell what other priors and other ROPEs would have said, and where the decision flips."""
        from stanoff.sensitivity import sensitivity

        return sensitivity(self, category, priors=priors, ropes=ropes)

    def scenario(self, category: str | None = None) -> Scenario:
        """Return the posterior means of one category as a scenario, to plan another study with.

        Where the model does not tell how the answers of A and B go together, the counts do; with
        two test sets A and B are taken to be independent, at the prevalence of both together.
        """
        from stanoff.planning.observed import scenario_of

        return scenario_of(self, category)

    def plan(
        self,
        category: str | None = None,
        *,
        goal: Any = "settled",
        assurance: float | Sequence[float] = 0.8,
        most: int = 1_000_000,
        **options: Any,
    ) -> Plan:
        """Tell how many more documents until this is probably settled, and toward which verdict.

        Each simulated future draws what may be true from the posterior, adds documents to those
        observed and is judged as this comparison was.

        Parameters
        ----------
        category : one of the categories; averages cannot be planned
        goal : ``"settled"``, ``">>"``, ``"="``, ``"<<"`` or several of them
        assurance : how probable it shall be that the goal is reached, one or several numbers
        most : the largest number of further documents to consider
        **options : ``rope`` and ``hdi`` instead of the comparison's; ``datasets``, ``draws``,
            ``seed``, ``jobs``, ``executor``, ``progress`` as in :func:`stanoff.power`
        """
        from stanoff.planning.observed import more_documents

        return more_documents(self, category, goal=goal, assurance=assurance, most=most, **options)

    def sentence(self, category: str | None = None) -> str:
        """Tell the verdict, and what would change it, in words that can be pasted into a paper."""
        from stanoff.words import sentence, what_would_change

        evidence = self.evidence(category)
        return f"{sentence(self, evidence)} {what_would_change(self, evidence)}"

    def table(self, columns: Sequence[str] = PAPER) -> pd.DataFrame:
        """Tell the summary in cells of text, in the form of the paper's Tables 4 to 6.

        Parameters
        ----------
        columns : out of ``stanoff.tables.HEADINGS``; those of the paper unless told
        """
        from stanoff.tables import formatted

        return formatted(self, columns)

    def to_markdown(self, path: Target = None, *, columns: Sequence[str] = PAPER) -> str:
        """Write the table, the verdict and the notes in Markdown, and to a file if one is named."""
        from stanoff.texts import as_markdown, written

        return written(as_markdown(self, columns), path)

    def to_latex(
        self,
        path: Target = None,
        *,
        columns: Sequence[str] = PAPER,
        caption: str | None = None,
        label: str | None = None,
    ) -> str:
        """Write the table in LaTeX, for booktabs; the caption tells what it shows unless told."""
        from stanoff.latex import as_latex
        from stanoff.texts import written

        return written(as_latex(self, columns, caption=caption, label=label), path)

    def to_csv(self, path: Target = None) -> str:
        """Write the numbers of the summary as comma-separated values."""
        from stanoff.texts import as_csv, written

        return written(as_csv(self), path)

    def to_json(self, path: Target = None) -> str:
        """Write settings, numbers and words as JSON; NaN becomes null, infinity "inf"."""
        from stanoff.texts import as_json, dumped, written

        return written(dumped(as_json(self)), path)

    def plot_posterior(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the posterior of delta with its HDI and ROPE, as in the paper's Figure 6."""
        from stanoff.plots import posterior_plot

        return posterior_plot(self, category, ax=ax)

    def plot_factor(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw prior and posterior density of delta and their ratio at 0, as in Figure 6."""
        from stanoff.plots import factor_plot

        return factor_plot(self, category, ax=ax)

    def plot_trace(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw delta along the chains, as in Figure 4."""
        from stanoff.plots import trace_plot

        return trace_plot(self, category, ax=ax)

    def plot_forest(
        self,
        *,
        sort: bool = True,
        rope: Any = None,
        hdi: float | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw delta of every category and average, with HDIs and decisions."""
        from stanoff.plots import forest_plot

        return forest_plot(self, sort=sort, rope=rope, hdi=hdi, ax=ax)

    def plot_joint(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the score of A against that of B, with the diagonal and the ROPE."""
        from stanoff.plots import joint_plot

        return joint_plot(self, category, ax=ax)

    def plot_mosaic(self, category: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw on which documents the classifiers agree, and who is right where they do not."""
        from stanoff.plots import mosaic_plot

        return mosaic_plot(self, category, ax=ax)

    def plot_priors(
        self,
        category: str | None = None,
        *,
        priors: Mapping[str, Prior] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw what other priors would have said."""
        from stanoff.plots import prior_plot

        return prior_plot(self, category, priors=priors, ax=ax)

    def plot_ropes(
        self,
        category: str | None = None,
        *,
        ropes: Sequence[float] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw what other ROPEs would have said, and where the decision flips."""
        from stanoff.plots import rope_plot

        return rope_plot(self, category, ropes=ropes, ax=ax)

    def plot_frequency(
        self,
        frequency: Mapping[Any, float] | pd.Series,
        *,
        window: float = 2.0,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the scores against how many training documents the categories have."""
        from stanoff.plots import frequency_plot

        return frequency_plot(self, frequency, window=window, ax=ax)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all of it to a NetCDF file, which :func:`stanoff.load` and ArviZ read."""
        from stanoff.saving import save

        return save(self, path)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with the verdict, the table and the figures; it needs no network.

        Its readers can apply a ROPE and an HDI of their own: the draws are in it.
        """
        from stanoff.files import write_text
        from stanoff.report.page import page

        return write_text(path, page(self))

    def _repr_html_(self) -> str:
        """Show the verdict, the table and the posterior in a notebook."""
        from stanoff.report.notebook import notebook

        return notebook(self)

    def __str__(self) -> str:
        if len(self.categories) > 1 and self.average is None:
            return "\n".join(self.sentence(category) for category in self.categories)
        return self.sentence()

    def __repr__(self) -> str:
        return f"<Comparison of {self.names[0]} and {self.names[1]}: {self.measure_used.label}>"
