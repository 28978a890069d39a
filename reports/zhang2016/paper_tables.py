"""Tables 4, 5 and 6 of Zhang et al. (2016), ours next to the printed ones."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from arviz_stats.base import array_stats

from stanoff import Comparison
from stanoff.text.tables import PAPER, format_table, has_no_direction
from zhang2016.experiment import ROPE, fitted, printed

ENDS = ("hdi_low", "hdi_high")
ROUNDING = 0.0005  # of a number printed with three decimals


@dataclass(frozen=True, eq=False)
class RebuiltTable:
    """One table: ours and the printed one, with a row per category and the same columns."""

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
        columns = ["distance", "end", "ours_at", "theirs_at", "bound", "ours", "theirs", "error"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns)

    def _call(self, category: str) -> tuple[object, ...]:
        """Find the end of the HDI whose position beside a bound of the ROPE decides."""
        ours, theirs = self.ours.loc[category], self.theirs.loc[category]
        distance, end, bound = min(
            (max(abs(ours[end] - bound), abs(theirs[end] - bound)), end, bound)
            for end in ENDS
            for bound in (-ROPE, ROPE)
        )
        chains = self.result.row_draws("posterior", "delta", category)
        ends = [array_stats.hdi(x, self.result.hdi_prob)[ENDS.index(end)] for x in chains]
        error = 2 * np.std(ends, ddof=1) / np.sqrt(len(ends))
        decisions = ours["decision"], theirs["decision"]
        return distance, end, ours[end], theirs[end], bound, *decisions, error

    def agreement(self) -> dict[str, float]:
        """Measure how near the whole table comes."""
        off = self.differences.abs()
        tests = ("sign_test", "t_test")
        return {
            "mean at most": off["mean"].max(),
            "std at most": off["std"].max(),
            "HDI ends at most": off[list(ENDS)].max().max(),
            **{f"{name} equal": (off[name] <= ROUNDING + 1e-12).sum() for name in tests},
            "decisions equal": (self.ours["decision"] == self.theirs["decision"]).sum(),
        }

    def side_by_side(self) -> pd.DataFrame:
        """Write our row and the printed one of every category under each other."""
        tests = pd.DataFrame(self.result.p_values).to_dict("records")
        ours = [
            vars(evidence) | {"no_direction": has_no_direction(evidence, True)} | p_values
            for evidence, p_values in zip(self.result.all_evidence(), tests, strict=True)
        ]
        rows = self.theirs.reset_index()
        theirs = rows.assign(
            **{"p_less": rows["lt0_pct"] / 100, "p_greater": rows["gt0_pct"] / 100},
            **{"p_rope": rows["rope_pct"] / 100, "bf_sd_bound": None, "bf_sd_defined": True},
            hdi=list(zip(rows["hdi_low"], rows["hdi_high"], strict=True)),
        )
        both = [format_table(x, PAPER, digits=3) for x in (ours[:20], theirs.to_dict("records"))]
        for frame, whose in zip(both, ("ours", "paper"), strict=True):
            frame.insert(1, "", whose)
        return pd.concat(both).sort_index(kind="stable").reset_index(drop=True)


def rebuilt(number: int) -> RebuiltTable:
    """Fit the paired model in Stan and put its summary beside the printed table."""
    result = fitted(number)
    summary = result.summary().set_index("category").loc[list(result.data.categories)]
    theirs = printed(f"table{number}").set_index("category")
    masses = {"lt0_pct": "p_less", "gt0_pct": "p_greater", "rope_pct": "p_rope"}
    percentages = {name: 100 * summary[column] for name, column in masses.items()}
    return RebuiltTable(number, result, summary.assign(**percentages)[theirs.columns], theirs)
