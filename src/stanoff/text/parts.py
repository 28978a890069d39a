"""Evidence and sensitivity as people read them: sentences, and tables of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stanoff._lib.escaping import one_line, shown
from stanoff.data.types import AVERAGES
from stanoff.inference.decision import Decision
from stanoff.inference.evidence import Evidence
from stanoff.inference.populations import NEW
from stanoff.text.numbers import digits_for, ends, half_width, level, percent
from stanoff.text.tables import SYMBOLS, cells_of

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.inference.sensitivity import Sensitivity


def of_evidence(e: Evidence) -> list[str | pd.DataFrame]:
    """Show all that is said of one category, a line for each number."""
    import pandas as pd

    cells = cells_of(e)
    rows = {
        "score of A, posterior mean": cells["psi_A"],
        "score of B, posterior mean": cells["psi_B"],
        "score of A, observed": cells["observed_A"],
        "score of B, observed": cells["observed_B"],
        "difference A − B, mean": cells["mean"],
        "its standard deviation": cells["std"],
        "Monte-Carlo error of the mean": cells["mcse"],
        f"{level(e.hdi_prob)} HDI": cells["hdi"],
        f"P(below the ROPE {ends(e.rope)})": percent(e.p_below),
        "P(inside the ROPE)": cells["p_rope"],
        "P(above the ROPE)": percent(e.p_above),
        "P(difference < 0)": cells["p_less"],
        "P(difference > 0)": cells["p_greater"],
        "BF_SD, for no difference": cells["bf_sd"],
        "BF_ROPE, for a difference in the ROPE": cells["bf_rope"],
    }
    return [
        f"A {e.decision.symbol} B {_where(e.category)}.",
        pd.DataFrame(list(rows.items()), columns=["evidence", "value"]),
        f"{SYMBOLS}.",
    ]


def of_sensitivity(s: Sensitivity) -> list[str | pd.DataFrame]:
    """Show what other priors and other ROPEs would have said, and where the decision turns."""
    import pandas as pd

    d = max(map(digits_for, s.priors["std"]))
    priors = [
        {
            "prior": one_line(str(row["prior"])),
            "mean": f"{row['mean']:+.{d}f}",
            "std": f"{row['std']:.{d}f}",
            "HDI": ends((row["hdi_low"], row["hdi_high"]), d),
            "P(in the ROPE)": percent(row["p_rope"]),
            "decision": Decision(row["decision"]).symbol,
        }
        for row in s.priors.to_dict("records")
    ]
    ropes = [
        {
            "ROPE": half_width(row["half_width"], d) if row["half_width"] else "±0",
            "P(below)": percent(row["p_below"]),
            "P(inside)": percent(row["p_rope"]),
            "P(above)": percent(row["p_above"]),
            "decision": Decision(row["decision"]).symbol,
        }
        for row in s.ropes.to_dict("records")
    ]
    turns = [
        f"The decision turns from {before.symbol} to {after.symbol} at a ROPE of "
        f"{half_width(width, d + 1)}."
        for width, before, after in s.flips
    ]
    return [
        f"What other priors would have said {_where(s.category)}:",
        pd.DataFrame(priors),
        "What other ROPEs would have said:",
        pd.DataFrame(ropes),
        *turns,
        f"{SYMBOLS}.",
    ]


def _where(category: str) -> str:
    if category == NEW:
        return f"on {NEW}"
    return (
        f"on the {category} average" if category in AVERAGES else f"on category {shown(category)}"
    )
