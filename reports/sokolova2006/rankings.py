"""How sure the rankings of Table 10 are: the posterior of every measure, from Tables 8 and 9."""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

import stanoff
from sokolova2006 import table10 as paper
from stanoff.inference.intervals import hdi
from stanoff.measures import get
from stanoff.plots.style import BLUE, GREY, ORANGE, theme
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
    chosen = {"engine": "exact", "seed": SEED, "names": (SVM, NB), "measure": "accuracy"}
    return {
        "unpaired": stanoff.compare_counts(a=matrices[SVM], b=matrices[NB], **chosen),
        **{
            name: stanoff.compare_counts(
                pairs(tp_a, tp_b, both[0], positives),
                pairs(fp_a, fp_b, both[1], negatives),
                **chosen,
            )
            for name, both in {"least_alike": least, "most_alike": most}.items()
        },
    }


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
            low, high = hdi(values, 0.95)
            row |= {key: float(np.mean(values)), f"{key}_low": low, f"{key}_high": high}
        above = (row["first"] == SVM) == get(name).higher_is_better
        for model, result in judged.items():
            said = result.evidence()
            row[f"p_{model}"] = said.p_greater if above else said.p_less
        rows.append(row)
    return pd.DataFrame(rows)


def shown() -> pd.DataFrame:
    """Write the posteriors for people."""
    rows = []
    for row in posteriors().to_dict("records"):
        d = paper.digits(row["measure"])
        texts = {"measure": paper.label(row["measure"])}
        for key, heading in {"svm": SVM, "nb": NB, "delta": f"{SVM} - {NB}"}.items():
            sign = "+" if key == "delta" else ""
            mean, low, high = (f"{row[f'{key}{end}']:{sign}.{d}f}" for end in ("", "_low", "_high"))
            texts[heading] = f"{mean} [{low}, {high}]"
        texts["first"] = row["first"]
        for model in MODELS:
            texts[f"P {model.replace('_', ' ')}"] = percent(row[f"p_{model}"])
        rows.append(texts)
    return pd.DataFrame(rows)


def in_words() -> list[str]:
    """Describe which rankings may be believed."""
    settled, open_ = [], []
    for row in posteriors().to_dict("records"):
        probabilities = [row[f"p_{model}"] for model in MODELS]
        group = settled if min(probabilities) > 0.99 else open_
        group.append((paper.label(row["measure"]), row["first"], probabilities))
    ahead = {name: ", ".join(m for m, first, _ in settled if first == name) for name in (SVM, NB)}
    said = [
        f"Settled, with more than 99% under all three models: {SVM} is ahead of {NB} in "
        f"{ahead[SVM]}; {NB} is ahead of {SVM} in {ahead[NB]}."
    ]
    for measure, first, p in open_:
        said.append(
            f"In {measure} {first} is first with a probability of {percent(p[0])}; if the "
            f"classifiers agree as little or as much as they can, of {percent(p[1])} and "
            f"{percent(p[2])}."
        )
    return said


def forest() -> Axes:
    """Draw the scores of both classifiers with their HDIs, and how sure their order is."""
    table = posteriors()
    ratios = table["measure"].isin(paper.RATIOS)
    parts = {"percent": table[~ratios], "ratio": table[ratios]}
    heights = [len(part) for part in parts.values()]
    with theme():
        _, axes = plt.subplots(
            2, 1, figsize=(7.6, 5.6), layout="constrained", height_ratios=heights
        )
        for ax, (unit, part) in zip(axes, parts.items(), strict=True):
            _rows(ax, part)
            ax.set_xlabel(unit)
        axes[0].legend(ncols=2, loc="lower right", bbox_to_anchor=(1, 1))
        axes[0].text(1.02, -0.75, "P(order)", transform=axes[0].get_yaxis_transform(), color=GREY)
    return axes[0]


def _rows(ax: Axes, part: pd.DataFrame) -> None:
    looks = (("svm", SVM, BLUE, "o", -0.16), ("nb", NB, ORANGE, "s", 0.16))
    for y, row in enumerate(part.to_dict("records")):
        for key, name, color, marker, shift in looks:
            ends = [row[f"{key}_low"], row[f"{key}_high"]]
            ax.plot(ends, [y + shift] * 2, color=color, lw=2.2, solid_capstyle="butt")
            label = name if y == 0 else None
            ax.plot(row[key], y + shift, marker, color=color, ms=5.5, label=label)
        ax.text(1.02, y, _order(row), transform=ax.get_yaxis_transform(), va="center")
        ax.axhline(y + 0.5, color=GREY, lw=0.4, alpha=0.4)
    ax.set_yticks(range(len(part)), [paper.label(measure) for measure in part["measure"]])
    ax.set_ylim(len(part) - 0.5, -0.5)
    ax.tick_params(left=False)
    sns.despine(ax=ax, left=True)


def _order(row: dict) -> str:
    second = NB if row["first"] == SVM else SVM
    return f"{row['first']} before {second}: {percent(row['p_unpaired'])}"
