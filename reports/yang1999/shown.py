"""The tables of the page as people read them: numbers to text, ours beside those of 1999."""

import pandas as pd
from common import signed

from stanoff.text.numbers import format_interval, p_value
from yang1999 import published, reuters

SCORES = {
    "micro_recall": "miR",
    "micro_precision": "miP",
    "micro_f1": "miF1",
    "macro_f1": "maF1",
    "error": "error",
}


def side_by_side(judged: pd.DataFrame) -> pd.DataFrame:
    """Put the p-test and the Bayesian decision next to each other, a row per pair and measure."""
    rows = []
    for row in judged.to_dict("records"):
        digits = 4 if row["measure"] == "error" else 3
        tested = row["sign"] != ""
        together = published.verdict(row["sign"], row["decision"]) if tested else "no test"
        rows.append(
            {
                "pair": pair_text(row["A"], row["B"]),
                "measure": row["measure"],
                "p-test": row["sign"] or "none",
                "p": p_value(row["p_value"]),
                **_posterior(row, digits, row["p_A_better"]),
                "together": together,
            }
        )
    return pd.DataFrame(rows)


def scores_beside(found: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Put our scores next to those of 1999."""
    rows = []
    for name in found.index:
        row = {"method": name}
        for column, short in SCORES.items():
            digits = 5 if column == "error" else 4
            row[short] = f"{found.loc[name, column]:.{digits}f}"
            row[f"{short} 1999"] = f"{printed.loc[name, column]:.{digits}f}"
        rows.append(row)
    return pd.DataFrame(rows)


def signs_beside(table2: pd.DataFrame) -> pd.DataFrame:
    """Put our signs of Table 2 next to those of 1999."""
    shown = table2.copy()
    for i, test in enumerate(reuters.TESTS):
        place = shown.columns.get_loc(test) + 1
        printed = [published.TABLE2[pair][i] for pair in published.PAIRS]
        shown.insert(place, f"{test} 1999", printed)
    return shown


def verdicts(compared: pd.DataFrame, table2: pd.DataFrame, average: str) -> pd.DataFrame:
    """Put the hierarchical model's verdicts on micro or macro F1 next to the tests'."""
    tests = ["s-test"] if average == "micro" else ["S-test", "T-test", "T'-test"]
    chosen = compared[compared["average"] == average].to_dict("records")
    return pd.DataFrame(
        [
            {
                "pair": pair_text(e["A"], e["B"]),
                **{test: signs[test] for test in tests},
                "observed": f"{e['observed']:+.3f}",
                **_posterior(e, 3, e["p_greater"]),
            }
            for e, signs in zip(chosen, table2.to_dict("records"), strict=True)
        ]
    )


def _posterior(row: dict, digits: int, better: float) -> dict[str, str]:
    return {
        "decision": row["decision"],
        "mean": signed([row["mean"]], digits)[0],
        "95% HDI": format_interval((row["hdi_low"], row["hdi_high"]), digits),
        "P(A better)": chance(better),
        "P(ROPE)": chance(row["p_rope"]),
    }


def chance(p: float) -> str:
    """Write a probability; draws that are all on one side do not make it certain."""
    return ">99.9%" if p > 0.999 else "<0.1%" if p < 0.001 else f"{p:.1%}"


def pair_text(a: str, b: str) -> str:
    """Name a pair."""
    return f"{a} / {b}"


def parting(verdicts: pd.DataFrame) -> dict[tuple[int, str], str]:
    """Mark the decisions that do not follow from the tests beside them."""
    tests = [name for name in verdicts.columns if name in reuters.TESTS]
    marked = {}
    for i, row in enumerate(verdicts.to_dict("records")):
        significant = any(row[test] != "∼" for test in tests)
        if significant != (row["decision"] in "≪≫"):
            marked[i, "decision"] = "mark"
    return marked | {(i, "observed"): "mark" for i in turned(verdicts)}


def turned(verdicts: pd.DataFrame) -> list[int]:
    """Find the pairs where the model's mean and the observed difference have opposite signs."""
    opposite = verdicts["observed"].astype(float) * verdicts["mean"].astype(float) < 0
    return [i for i, yes in enumerate(opposite) if yes]


def p_equals(p: float) -> str:
    """Write "= 0.031" or "< 0.001"."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
