"""What two systems' draws say under a question, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff.answer import Answer
from stanoff.data.types import AVERAGES
from stanoff.engines.draws import Draws, unstacked
from stanoff.errors import InputError
from stanoff.inference import cautions
from stanoff.inference.closed import summarize_student
from stanoff.inference.decision import Decision
from stanoff.inference.evidence import Evidence, RowInfo, summarize_rows
from stanoff.inference.scores import Scores
from stanoff.models.students import Student

if TYPE_CHECKING:
    from xarray import DataTree

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
class Judgement(Answer):
    """The posterior of two systems' scores, and what follows from it in numbers.

    Attributes
    ----------
    fit, question : Fit, Question
        As in :class:`stanoff.answer.Answer`.
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
        from stanoff.store.tree import tree_of

        return tree_of(self)
