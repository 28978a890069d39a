"""What was observed, fitted and drawn, and the evidence in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff import models, posterior
from stanoff.counts import AVERAGES
from stanoff.decision import Decision, Interval, as_probability, as_rope
from stanoff.errors import InputError, unknown
from stanoff.evidence import Evidence, weigh
from stanoff.measures import Measure
from stanoff.models import AnyCounts, Model
from stanoff.posterior import Draws
from stanoff.priors import Priors
from stanoff.provenance import Provenance
from stanoff.tables import COLUMNS

if TYPE_CHECKING:
    from xarray import DataTree


@dataclass(frozen=True, eq=False, repr=False)
class Judgement:
    """The posterior of two classifiers' scores, and what follows from it in numbers.

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

    @cached_property
    def p_values(self) -> dict[str, list[float]]:
        """The p-values of the paper's sign test and t-test, a row per category and average."""
        from stanoff import significance

        no_tests = [nan] * (len(self.categories) - len(self.counts.categories))
        columns = significance.columns(self.counts)
        return {name: [*values, *no_tests] for name, values in columns.items()}

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
