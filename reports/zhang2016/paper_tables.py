"""Tables 4, 5 and 6 of Zhang et al. (2016), ours next to the printed ones."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from arviz_stats.base import array_stats

from stanoff import Comparison
from zhang2016.experiment import ROPE, TABLES, fitted, printed

JUDGED = ("mean", "std", "sign_test", "t_test")
ENDS = ("hdi_low", "hdi_high")
ROUNDING = 0.0005  # of a number printed with three decimals


@dataclass(frozen=True, eq=False)
class Rebuilt:
    """One table: ours and the printed one, category by category.

    Attributes
    ----------
    number : int
        Which table of the paper.
    result : Comparison
        What is behind ours.
    ours, theirs : DataFrame
        A row per category, with the same columns.
    """

    number: int
    result: Comparison
    ours: pd.DataFrame
    theirs: pd.DataFrame

    @property
    def differences(self) -> pd.DataFrame:
        """Ours minus theirs, for every number."""
        numbers = self.theirs.columns.drop("decision")
        return self.ours[numbers] - self.theirs[numbers]

    @property
    def other_decisions(self) -> pd.DataFrame:
        """The categories with another decision than the printed one, and how near the call was.

        ``distance`` is how far the nearest of the printed and our HDI ends lies from the ROPE bound
        that decides, ``error`` twice the Monte-Carlo error of that end in our draws.
        """
        other = self.ours.index[self.ours["decision"] != self.theirs["decision"]]
        rows = {category: self._call(category) for category in other}
        columns = ["ours", "theirs", "end", "ours_at", "theirs_at", "bound", "distance", "error"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns)

    def _call(self, category: str) -> tuple[object, ...]:
        """Find the end of the HDI whose place beside a bound of the ROPE makes the difference."""
        found = []
        for end in ENDS:
            ours, theirs = self.ours.at[category, end], self.theirs.at[category, end]
            for bound in (-ROPE, ROPE):
                distance = max(abs(ours - bound), abs(theirs - bound))
                found.append((distance, end, ours, theirs, bound))
        distance, end, ours, theirs, bound = min(found)
        error = 2 * end_error(self.result, category, ENDS.index(end))
        said = self.ours.at[category, "decision"], self.theirs.at[category, "decision"]
        return *said, end, ours, theirs, bound, distance, error

    def agreement(self) -> dict[str, float]:
        """Measure how near the whole table comes."""
        off = self.differences.abs()
        equal = {
            f"{name} equal": float((off[name] <= ROUNDING + 1e-12).sum())
            for name in ("sign_test", "t_test")
        }
        return {
            "mean at most": float(off["mean"].max()),
            "std at most": float(off["std"].max()),
            "HDI ends at most": float(off[list(ENDS)].max().max()),
            **equal,
            "decisions equal": float((self.ours["decision"] == self.theirs["decision"]).sum()),
        }


def rebuilt(number: int) -> Rebuilt:
    """Fit the paired model in Stan and put its summary beside the printed table."""
    result = fitted(*TABLES[number])
    summary = result.summary().set_index("category").loc[list(result.data.categories)]
    theirs = printed(number).set_index("category")
    ours = summary.assign(
        lt0_pct=100 * summary["p_less"],
        gt0_pct=100 * summary["p_greater"],
        rope_pct=100 * summary["p_rope"],
    )[theirs.columns]
    return Rebuilt(number, result, ours, theirs)


def end_error(result: Comparison, category: str, end: int) -> float:
    """Estimate the Monte-Carlo error of an end of the HDI, from how the chains differ in it."""
    chains = result.row_draws("posterior", "delta", category)
    ends = [array_stats.hdi(chain, result.hdi_prob)[end] for chain in chains]
    return float(np.std(ends, ddof=1) / np.sqrt(len(ends)))
