"""Whether a model expects documents such as those observed, and its draws can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.escaping import shown
from stanoff._lib.showing import ReprMixin
from stanoff.store.predictive import predictive_groups, stan_data_of
from stanoff.workbench.replicated import scored_anew

if TYPE_CHECKING:
    from stanoff.engines.draws import Variables
    from stanoff.results.base import Result

LEVEL = 0.95
TOO_RARE = 0.01  # a share of new data sets
MOST_NAMED = 3
AT_ONCE = 500  # numbers that are described together
SAME = 1e-12  # rounding
SCORE = "score"  # the kind of a row; others are counts and values
UNTOLD = {
    False: "The model does not say what documents it would expect.",
    True: "These draws do not hold what it takes to draw new documents.",
}


@dataclass(frozen=True, eq=False, repr=False)
class Check(ReprMixin):
    """What diagnostics and predictive checks say of a comparison.

    Attributes
    ----------
    trouble : tuple of str
        What the sampler complained of; empty if it did not, or if the draws are independent.
    sampled : bool
        Whether a sampler drew at all.
    table : DataFrame
        A row per observed count or value and per observed score: ``what``, ``kind``, ``observed``,
        ``expected`` (the mean of what the model would draw), ``low``, ``high`` (its 95 %
        interval), ``p`` (how much of that is below what was observed; half of what equals it
        counts), ``inside``.
    p_outside : float
        The share of new data sets of which as many counts or values lie outside these intervals.
    told : bool
        Whether the model says at all how documents come about.
    """

    trouble: tuple[str, ...]
    sampled: bool
    table: pd.DataFrame
    p_outside: float
    told: bool

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the model or its draws.

        One count of twenty may lie outside its interval by chance, a score must not.
        """
        return not self.trouble and not self._odd_scores and self._enough_inside

    @property
    def _odd_scores(self) -> list[str]:
        odd = self.table[~self.table["inside"] & (self.table["kind"] == SCORE)]
        return [str(name) for name in odd["what"]]

    @property
    def _counts(self) -> pd.DataFrame:
        return self.table[self.table["kind"] != SCORE]

    @property
    def _enough_inside(self) -> bool:
        return self.p_outside > TOO_RARE

    def sentence(self) -> str:
        """Describe what speaks for and against the model and its draws, in words."""
        told = [*self.trouble]
        if not self.trouble:
            told.append(
                "The sampler had no trouble." if self.sampled else "The draws are independent."
            )
        if self.table.empty:
            return " ".join([*told, UNTOLD[self.told]])
        counts = self._counts
        outside = counts[~counts["inside"]]
        if len(counts):
            kind = "counts" if (counts["kind"] == "count").all() else "values"
            told.append(
                f"Of {len(counts):,} {kind}, {len(counts) - len(outside):,} lie within their 95 % "
                "predictive interval."
            )
        if not self._enough_inside:
            far = (outside["p"] - 0.5).abs().sort_values(ascending=False).index[:MOST_NAMED]
            named = "; ".join(
                f"{row['what']}: {row['observed']:g} observed, {row['expected']:.3g} expected"
                for _, row in outside.loc[far].iterrows()
            )
            told.append(f"That is too few: the model does not fit ({named}).")
        if odd := self._odd_scores:
            listed = ", ".join(odd[:MOST_NAMED])
            more = f" and {len(odd) - MOST_NAMED} more" if len(odd) > MOST_NAMED else ""
            told.append(f"The model does not expect the observed {listed}{more}.")
        elif len(counts) < len(self.table):
            told.append("The observed scores are such as the model expects.")
        return " ".join(told)

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        scores = self.table[self.table["kind"] == SCORE].drop(columns=["kind", "inside"])
        as_text = scores.map(lambda x: f"{x:.3f}" if isinstance(x, float) else str(x))
        return [self.sentence(), as_text] if len(scores) else [self.sentence()]


def check(result: Result) -> Check:
    """Compare what was observed with what the fitted model would draw.

    Parameters
    ----------
    result : Comparison or Contest
        What is checked.
    """
    rows: list[dict[str, Any]] = []
    outside: NDArray[Any] = np.zeros(1)
    said = predictive_groups(result, new_only=True).get("posterior_predictive")
    if said is not None:
        block, model = stan_data_of(result), result.model.predictive
        for name, drawn in said.variables.items():
            if name in block and (model is None or model.one_by_one):
                more, out = _one_by_one(name, np.asarray(block[name]), np.asarray(drawn))
                rows += more
                outside = outside + out
        rows += _rows_of_scores(result, said.variables, block)
    columns = ["what", "kind", "observed", "expected", "low", "high", "p", "inside"]
    table = pd.DataFrame(rows, columns=columns).astype({"inside": bool})
    odd = int((~table["inside"] & (table["kind"] != SCORE)).sum())
    return Check(
        result.sampler_warnings,
        result.engine == "stan",
        table,
        float(np.mean(outside >= odd)),
        result.model.predictive is not None,
    )


def _one_by_one(
    name: str, observed: NDArray[Any], drawn: NDArray[Any]
) -> tuple[list[dict[str, Any]], NDArray[Any]]:
    """Describe every number, and count how many of each new data set lie outside."""
    flat, seen = drawn.reshape(-1, observed.size), observed.ravel()
    kind = "count" if drawn.dtype.kind in "iu" else "value"
    names = [
        f"{name}[{','.join(str(i + 1) for i in place)}]" for place in np.ndindex(observed.shape)
    ]
    rows: list[dict[str, Any]] = []
    outside = np.zeros(len(flat), dtype=np.int64)
    for start in range(0, len(names), AT_ONCE):
        here = slice(start, start + AT_ONCE)
        rows += (some := _rows(names[here], kind, seen[here], flat[:, here]))
        ends = np.array([[row["low"], row["high"]] for row in some])
        outside += ((flat[:, here] < ends[:, 0]) | (flat[:, here] > ends[:, 1])).sum(axis=1)
    return rows, outside


def _rows_of_scores(
    result: Result, new: Variables, block: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Score new documents as the observed ones are scored."""
    if np.isnan(result.observed).any():
        return []
    psi = scored_anew(result, new, block)
    if psi is None:
        return []
    names, label = result.names, result.measure.label
    psi = psi[:, :, list(result.indices)]
    rows = []
    for i, category in enumerate(result.categories):
        where = "" if len(result.categories) == 1 else f", {shown(category)}"
        seen = result.observed[:, i].tolist()
        drawn = [psi[:, :, system, i].ravel() for system in range(len(names))]
        for name, one, values in zip(names, seen, drawn, strict=True):
            rows.append(_row(f"{label} of {shown(name)}{where}", SCORE, one, values))
        if len(names) == 2:
            difference = seen[0] - seen[1], drawn[0] - drawn[1]
            rows.append(_row(f"difference in {label}{where}", SCORE, *difference))
    return rows


def _row(what: str, kind: str, observed: float, drawn: NDArray[Any]) -> dict[str, Any]:
    return _rows([what], kind, np.array([observed]), drawn[:, None])[0]


def _rows(
    names: list[str], kind: str, observed: NDArray[Any], drawn: NDArray[Any]
) -> list[dict[str, Any]]:
    """Describe numbers, given as many columns of draws."""
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    with np.errstate(invalid="ignore"):  # both infinite
        near = (drawn == observed) | (np.abs(drawn - observed) <= SAME)
    columns = {
        "observed": observed.astype(np.float64),
        "expected": drawn.mean(axis=0),
        "low": low,
        "high": high,
        "p": ((drawn < observed) & ~near).mean(axis=0) + near.mean(axis=0) / 2,
        "inside": (low - SAME <= observed) & (observed <= high + SAME),
    }
    every = zip(names, *(values.tolist() for values in columns.values()), strict=True)
    return [
        {"what": what, "kind": kind, **dict(zip(columns, row, strict=True))} for what, *row in every
    ]
