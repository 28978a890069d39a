"""The result of a comparison: the one object that tables, plots and reports read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff import measures, models, posterior
from stanoff.counts import AVERAGES
from stanoff.decision import Decision, Interval, as_probability, as_rope
from stanoff.errors import InputError, unknown
from stanoff.evidence import Evidence, weigh
from stanoff.measures import Measure
from stanoff.models import AnyCounts, Model
from stanoff.posterior import Draws
from stanoff.priors import Prior, Priors
from stanoff.provenance import Provenance
from stanoff.tables import COLUMNS, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from xarray import DataTree

    from stanoff.sensitivity import Sensitivity

Target = str | os.PathLike[str] | None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The posterior of two classifiers' scores, and what follows from it.

    Made by :func:`compare` and :func:`compare_counts`. Nothing in it changes; what another ROPE,
    HDI or measure would say is had without fitting again.

    Attributes
    ----------
    counts : what was observed
    names : what A and B are called
    model, engine, seed, prior : what was fitted, and how
    measure_used : the measure behind psi_A, psi_B and delta
    average : how the categories are averaged, or None
    rope_used, hdi_used : the ROPE and the HDI's probability unless told otherwise
    draws : the draws as plain arrays; ``tree`` has them as ArviZ wants them
    sampler_warnings : what the sampler complained of, in words
    provenance : the versions behind it, and the program that was run
    """

    counts: AnyCounts
    names: tuple[str, str]
    model: Model
    engine: str
    seed: int
    prior: Priors
    measure_used: Measure
    average: str | None
    rope_used: Interval
    hdi_used: float
    draws: Draws
    sampler_warnings: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the numbers, in words."""
        from stanoff import cautions

        return (
            *self.sampler_warnings,
            *cautions.undefined_scores(self),
            *cautions.undefined_factor(self),
            *cautions.independent_categories(self),
        )

    @property
    def categories(self) -> tuple[str, ...]:
        """The rows of the summary: every category, then the averages if one is asked for."""
        return self.counts.categories + (AVERAGES if self.average else ())

    @property
    def decision(self) -> Decision:
        """The verdict: on the average if there is one, else on the only category."""
        return self.evidence().decision

    def evidence(
        self, category: str | None = None, *, rope: Any = None, hdi: float | None = None
    ) -> Evidence:
        """Weigh the evidence on one category or average, by default the one decided upon.

        Parameters
        ----------
        category : a name out of ``categories``
        rope : a half-width or two ends, instead of the comparison's
        hdi : a probability, instead of the comparison's
        """
        if category is None:
            if len(self.categories) > 1 and self.average is None:
                raise InputError(f"Say which category: one of {', '.join(self.categories)}.")
            category = self.average or self.categories[0]
        if category not in self.categories:
            raise unknown("category", category, self.categories)
        return self._weigh(
            self.categories.index(category),
            self.rope_used if rope is None else as_rope(rope),
            self.hdi_used if hdi is None else as_probability("hdi", hdi),
        )

    def summary(self, *, rope: Any = None, hdi: float | None = None) -> pd.DataFrame:
        """Tell everything in one table, a row per category and average.

        ``psi_A``, ``psi_B`` and ``mean`` are posterior means. What to know before trusting the
        numbers is in ``summary().attrs["warnings"]``.
        """
        rows = [self.evidence(category, rope=rope, hdi=hdi) for category in self.categories]
        table = pd.DataFrame(
            [
                vars(row)
                | {"hdi_low": row.hdi[0], "hdi_high": row.hdi[1], "decision": str(row.decision)}
                for row in rows
            ]
        ).assign(**self.p_values)[COLUMNS]
        table.attrs["warnings"] = list(self.warnings)
        return table

    def under(self, *, rope: Any = None, hdi: float | None = None) -> Comparison:
        """Take another ROPE or HDI for everything that is said, written and drawn from here on."""
        return replace(
            self,
            rope_used=self.rope_used if rope is None else as_rope(rope),
            hdi_used=self.hdi_used if hdi is None else as_probability("hdi", hdi),
        )

    @cached_property
    def p_values(self) -> dict[str, list[float]]:
        """The p-values of the paper's sign test and t-test, a row per category and average."""
        from stanoff import significance

        no_tests = [nan] * (len(self.categories) - len(self.counts.categories))
        columns = significance.columns(self.counts)
        return {name: [*values, *no_tests] for name, values in columns.items()}

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

    def overall(self) -> pd.DataFrame:
        """Tell what the hierarchical model says of all categories together: eta.

        A row per true class, with the posterior mean probabilities that both classifiers, only
        A, only B and neither are right.
        """
        eta = self.draws.posterior
        if "eta_pos" not in eta or eta["eta_pos"].shape[-1] != 4:
            raise InputError("There is no eta: only the paired hierarchical model has one.")
        right = [eta["eta_pos"].mean(axis=(0, 1)), eta["eta_neg"].mean(axis=(0, 1))[::-1]]
        # On negatives it is right not to say yes: neither said yes, only B said yes, ...
        columns = ["both right", "only A right", "only B right", "neither right"]
        return pd.DataFrame(right, columns=columns, index=["positive", "negative"])

    @cached_property
    def tree(self) -> DataTree:
        """The draws as an ArviZ DataTree: posterior, prior, sample_stats, observed_data."""
        counts = self.model.data(self.counts, self.prior)
        return posterior.to_tree(
            self.draws,
            observed={name: counts[name] for name in self.model.observed},
            dims={**models.SHARED_DIMS, **self.model.dims},
            coords={**models.COORDS, "category": self.counts.categories},
            attrs={
                "model": self.model.name,
                "engine": self.engine,
                "seed": self.seed,
                "measure": self.measure_used.label,
                "name_A": self.names[0],
                "name_B": self.names[1],
            },
        )

    def row_draws(self, group: str, variable: str, category: str) -> NDArray[np.float64]:
        """Return the (chain, draw) values of psi_A, psi_B or delta for one row of the summary.

        Parameters
        ----------
        group : ``"posterior"`` or ``"prior"``
        variable : ``"psi_A"``, ``"psi_B"`` or ``"delta"``
        category : a name out of ``categories``
        """
        values = getattr(self.draws, group)
        row = self.categories.index(category)
        if variable not in values:  # a program of the user's own need not tell the scores
            return np.full(values["delta"].shape[:2], np.nan)
        if row >= len(self.counts.categories):
            return values[f"{variable}_{category}"]  # type: ignore[no-any-return]
        return values[variable][..., row]  # type: ignore[no-any-return]

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

    def _weigh(self, row: int, rope: Interval, hdi: float) -> Evidence:
        from stanoff.cautions import undefined_factor

        key = row, rope, hdi
        if key not in self._weighed:
            category = self.categories[row]
            # Independent categories smooth each other's singularities away in an average.
            smooth = row >= len(self.counts.categories) > 1 and self.model.exact is not None
            smooth = smooth and not self.model.classes
            self._weighed[key] = weigh(
                self.row_draws("posterior", "delta", category),
                self.row_draws("prior", "delta", category) if self.draws.prior else None,
                rope=rope,
                hdi_probability=hdi,
                category=category,
                psi_A=float(np.mean(self.row_draws("posterior", "psi_A", category))),
                psi_B=float(np.mean(self.row_draws("posterior", "psi_B", category))),
                bf_sd_defined=smooth or not undefined_factor(self),
                higher_is_better=self.measure_used.higher_is_better,
            )
        return self._weighed[key]

    @cached_property
    def _weighed(self) -> dict[tuple[int, Interval, float], Evidence]:
        return {}
