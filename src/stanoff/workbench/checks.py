"""Whether a model expects documents such as those observed, and its draws can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.escaping import shown
from stanoff._lib.showing import Shown
from stanoff.store.documents import documents_said
from stanoff.workbench.replicated import scored_anew

if TYPE_CHECKING:
    from stanoff.judgement import Judgement

LEVEL = 0.95
MOST_NAMED = 3


@dataclass(frozen=True, eq=False, repr=False)
class Check(Shown):
    """What diagnostics and predictive checks say of a comparison.

    Attributes
    ----------
    trouble : tuple of str
        What the sampler complained of; empty if it did not, or if the draws are independent.
    sampled : bool
        Whether a sampler drew at all.
    table : DataFrame
        A row per observed count or value and per observed score: ``what``, ``observed``,
        ``expected`` (the mean of what the model would draw), ``low``, ``high`` (its 95 %
        interval), ``p`` (how much of that is below what was observed; half of what equals it
        counts), ``inside``.
    """

    trouble: tuple[str, ...]
    sampled: bool
    table: pd.DataFrame

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the model or its draws.

        One count of twenty may lie outside its interval by chance, a score must not.
        """
        return not self.trouble and not self._odd_scores and self._odd_counts_are_few

    @property
    def _odd_scores(self) -> list[str]:
        odd = self.table[~self.table["inside"] & (self.table["kind"] == "score")]
        return [str(name) for name in odd["what"]]

    @property
    def _counts(self) -> pd.DataFrame:
        return self.table[self.table["kind"] != "score"]

    @property
    def _odd_counts_are_few(self) -> bool:
        from scipy.stats import binom

        outside, n = int((~self._counts["inside"]).sum()), len(self._counts)
        return bool(binom.sf(outside - 1, n, 1 - LEVEL) > 0.01) if outside else True

    def sentence(self) -> str:
        """Describe what speaks for and against the model and its draws, in words."""
        told = [*self.trouble]
        if not self.trouble:
            told.append(
                "The sampler had no trouble." if self.sampled else "The draws are independent."
            )
        if self.table.empty:
            return " ".join([*told, "The model does not say what documents it would expect."])
        counts = self._counts
        outside = counts[~counts["inside"]]
        what = "counts" if (counts["kind"] == "count").all() else "values"
        told.append(
            f"Of {len(counts):,} {what}, {len(counts) - len(outside):,} lie within their 95 % "
            "predictive interval."
        )
        if not self._odd_counts_are_few:
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

    def _parts(self) -> list[str | pd.DataFrame]:
        scores = self.table[self.table["kind"] == "score"].drop(columns=["kind", "inside"])
        as_text = scores.map(lambda x: f"{x:.3f}" if isinstance(x, float) else str(x))
        return [self.sentence(), as_text] if len(scores) else [self.sentence()]


def check(result: Judgement) -> Check:
    """Compare what was observed with what the fitted model would draw.

    Parameters
    ----------
    result : Comparison
        What is checked.
    """
    rows: list[dict[str, Any]] = []
    said = documents_said(result).get("posterior_predictive")
    if said is not None:
        block = result.model.data(result.data, result.prior)
        for name, drawn in said.variables.items():
            observed = np.asarray(block[name])
            if result.model.predictive is None or observed.ndim > 1:
                rows += _rows_of_counts(name, observed, np.asarray(drawn))
        rows += _rows_of_scores(result, dict(said.variables))
    columns = ["what", "kind", "observed", "expected", "low", "high", "p", "inside"]
    table = pd.DataFrame(rows, columns=columns).astype({"inside": bool})
    return Check(result.sampler_warnings, result.engine == "stan", table)


def _rows_of_counts(name: str, observed: NDArray[Any], drawn: NDArray[Any]) -> list[dict[str, Any]]:
    flat = drawn.reshape(-1, *observed.shape)
    kind = "count" if observed.dtype.kind in "iu" else "value"
    rows = []
    for place in np.ndindex(observed.shape):
        ending = ",".join(str(i + 1) for i in place)
        values = flat[(slice(None), *place)]
        rows.append(_row(f"{name}[{ending}]", kind, float(observed[place]), values))
    return rows


def _rows_of_scores(result: Judgement, drawn: dict[str, Any]) -> list[dict[str, Any]]:
    """Score replicated data as the observed ones are scored."""
    if np.isnan(result.observed).any():
        return []
    new = scored_anew(result, drawn)
    if new is None:
        return []
    new = new[:, :, list(result.pair)]
    rows = []
    for i, category in enumerate(result.categories):
        where = "" if len(result.categories) == 1 else f", {shown(category)}"
        told = [f"{result.measure.label} of {shown(name)}{where}" for name in result.names]
        a, b = result.observed[:, i].tolist()
        drawn_a, drawn_b = new[:, :, 0, i].ravel(), new[:, :, 1, i].ravel()
        rows += [
            _row(told[0], "score", a, drawn_a),
            _row(told[1], "score", b, drawn_b),
            _row(f"difference in {result.measure.label}{where}", "score", a - b, drawn_a - drawn_b),
        ]
    return rows


def _row(what: str, kind: str, observed: float, drawn: NDArray[Any]) -> dict[str, Any]:
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    near = np.isclose(drawn, observed, rtol=0, atol=1e-12)
    p = float(np.mean((drawn < observed) & ~near) + np.mean(near) / 2)
    return {
        "what": what,
        "kind": kind,
        "observed": observed,
        "expected": float(np.mean(drawn)),
        "low": float(low),
        "high": float(high),
        "p": p,
        "inside": bool(low - 1e-12 <= observed <= high + 1e-12),
    }
