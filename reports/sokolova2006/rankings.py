"""How sure the rankings of Table 10 are: the posterior of every measure, from Tables 8 and 9."""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from arviz_stats.base import array_stats
from matplotlib.axes import Axes

import stanoff
from sokolova2006 import table10 as paper
from stanoff.measures import get
from stanoff.plots import theme
from stanoff.text.numbers import percent

SEED = 2006
SVM, NB = paper.CLASSIFIERS
MODELS = ("unpaired", "least_alike", "most_alike")


def fits() -> dict[str, stanoff.Comparison]:
    """Fit the unpaired model, and the paired one at both ends of what the tables leave open.

    Tables 8 and 9 are of the same documents, but do not say on which the classifiers agree.
    """
    matrices = paper.matrices()
    (tp_a, fp_a, fn_a, tn_a), (tp_b, fp_b, fn_b, tn_b) = matrices.values()
    positives, negatives = tp_a + fn_a, fp_a + tn_a
    assert (positives, negatives) == (tp_b + fn_b, fp_b + tn_b)

    def pairs(a: int, b: int, both: int, documents: int) -> list[int]:
        return [both, a - both, b - both, documents - a - b + both]

    most = (min(tp_a, tp_b), min(fp_a, fp_b))
    least = (max(0, tp_a + tp_b - positives), max(0, fp_a + fp_b - negatives))
    options = {"engine": "exact", "seed": SEED, "names": (SVM, NB), "measure": "accuracy"}
    results = {"unpaired": stanoff.compare_counts(a=matrices[SVM], b=matrices[NB], **options)}
    for name, both in {"least_alike": least, "most_alike": most}.items():
        pos, neg = pairs(tp_a, tp_b, both[0], positives), pairs(fp_a, fp_b, both[1], negatives)
        results[name] = stanoff.compare_counts(pos, neg, **options)
    return results


@cache
def posteriors() -> pd.DataFrame:
    """Gather the posterior of every measure, in the paper's units, and of its ranking."""
    results, ranks, rows = fits(), paper.recomputed()["svm_rank"], []
    for measure, name in paper.NAMES.items():
        unit = 1 if measure in paper.RATIOS else 100
        row = {"measure": measure, "first": SVM if ranks[measure] == 1 else NB}
        judged = {model: result.judge(measure=name) for model, result in results.items()}
        for key, variable in {"svm": "psi_A", "nb": "psi_B", "delta": "delta"}.items():
            values = unit * judged["unpaired"].draws.posterior[variable].ravel()
            low, high = array_stats.hdi(values, 0.95)
            row |= {key: float(np.mean(values)), f"{key}_low": low, f"{key}_high": high}
        above = (row["first"] == SVM) == get(name).higher_is_better
        side = "p_greater" if above else "p_less"
        row |= {f"p_{model}": getattr(x.evidence(), side) for model, x in judged.items()}
        rows.append(row)
    return pd.DataFrame(rows)


def as_text() -> pd.DataFrame:
    """Write the posteriors for people."""
    rows = []
    for row in posteriors().to_dict("records"):
        d, texts = paper.digits(row["measure"]), {"measure": paper.label(row["measure"])}
        for key, heading in {"svm": SVM, "nb": NB, "delta": f"{SVM} - {NB}"}.items():
            sign = "+" if key == "delta" else ""
            mean, low, high = (f"{row[f'{key}{end}']:{sign}.{d}f}" for end in ("", "_low", "_high"))
            texts[heading] = f"{mean} [{low}, {high}]"
        texts["first"] = row["first"]
        texts |= {f"P {x.replace('_', ' ')}": percent(row[f"p_{x}"]) for x in MODELS}
        rows.append(texts)
    return pd.DataFrame(rows)


def in_words() -> list[str]:
    """Describe which rankings may be believed."""
    table = posteriors().assign(label=lambda table: table["measure"].map(paper.label))
    certain = (table[[f"p_{model}" for model in MODELS]] > 0.99).all(axis=1)
    ahead = {x: ", ".join(table["label"][certain & (table["first"] == x)]) for x in (SVM, NB)}
    settled = (
        f"Settled, with more than 99% under all three models: {SVM} is ahead of {NB} in "
        f"{ahead[SVM]}; {NB} is ahead of {SVM} in {ahead[NB]}."
    )
    return [settled] + [
        f"In {row.label} {row.first} is first with a probability of {percent(row.p_unpaired)}; if "
        f"the classifiers agree as little or as much as they can, of {percent(row.p_least_alike)} "
        f"and {percent(row.p_most_alike)}."
        for row in table[~certain].itertuples()
    ]


def forest() -> Axes:
    """Draw the scores of both classifiers with their HDIs, and how sure their order is."""
    table = posteriors()
    ratios = table["measure"].isin(paper.RATIOS)
    panels = {"percent": table[~ratios], "ratio": table[ratios]}
    heights = [len(rows) for rows in panels.values()]
    with theme():
        _, axes = plt.subplots(
            2, 1, figsize=(7.6, 5.6), layout="constrained", height_ratios=heights
        )
        for ax, (unit, rows) in zip(axes, panels.items(), strict=True):
            _draw_rows(ax, rows)
            ax.set_xlabel(unit)
        axes[0].legend(ncols=2, loc="lower right", bbox_to_anchor=(1, 1))
        axes[0].text(1.02, -0.75, "P(order)", transform=axes[0].get_yaxis_transform(), color="0.4")
    return axes[0]


def _draw_rows(ax: Axes, rows: pd.DataFrame) -> None:
    at_side = {"transform": ax.get_yaxis_transform(), "va": "center"}
    for y, row in enumerate(rows.to_dict("records")):
        looks = (("svm", SVM, "C0", "o", y - 0.16), ("nb", NB, "C4", "s", y + 0.16))
        for key, name, color, marker, at in looks:
            ends = [row[f"{key}_low"], row[f"{key}_high"]]
            ax.plot(ends, [at, at], color=color, lw=2.2, solid_capstyle="butt")
            ax.plot(row[key], at, marker, color=color, ms=5.5, label=name if y == 0 else None)
        second = NB if row["first"] == SVM else SVM
        order = f"{row['first']} before {second}: {percent(row['p_unpaired'])}"
        ax.text(1.02, y, order, **at_side)
        ax.axhline(y + 0.5, color="0.4", lw=0.4, alpha=0.4)
    ax.set_yticks(range(len(rows)), rows["measure"].map(paper.label))
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.tick_params(left=False)
    sns.despine(ax=ax, left=True)
