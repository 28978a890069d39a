"""Draw the pictures that the tests compare with: ``python tests/plots/images/make.py``.

Look at every one of them before committing it.
"""

import io
import json
import sys
from functools import cache
from itertools import product
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from PIL import Image
from scipy.ndimage import gaussian_filter

from stanoff import compare, compare_counts, contest, plots
from stanoff.inference.decision import Decision
from stanoff.planning.plan import Answer, Observed, Plan
from stanoff.planning.scenario import Scenario
from stanoff.planning.simulate import Analysis
from stanoff.question import Question, Sampling
from stanoff.workbench.calibration import Calibration

FOLDER = Path(__file__).parent
DPI = 80
# Other versions of matplotlib and FreeType draw letters differently and place all else a little
# differently. So texts are compared as texts; what remains is blurred and compared tile by tile,
# each where it fits best, for in a large white picture one wrong bar would drown.
BLUR, SHIFT, TILE, MARGIN = 2.0, 3, 20, 5  # pixels
TOLERANCE = 16.0  # of 255: matplotlib 3.9 and 3.11 differ by 6 to 13, a wrong bar by 20 or more


@cache
def categories(k: int = 20, **options):
    """A comparison by conjugacy: k categories, some of them rare, A better on the first ones."""
    rng = np.random.default_rng(7)
    size = np.linspace(30, 700, k).astype(int)
    lead = np.linspace(0.12, -0.12, k)
    pos = [
        rng.multinomial(n, [0.6, 0.14 + d, 0.14 - d, 0.12]) for n, d in zip(size, lead, strict=True)
    ]
    neg = rng.multinomial(5000, [0.004, 0.004, 0.004, 0.988], k)
    settings = {"engine": "exact", "draws": 1000, "seed": 1, "names": ("svm", "nb")}
    return compare_counts(pos, neg, **(settings | options))


@cache
def probabilities(names=("svm", "nb")):
    """A comparison by scores: probabilities of two systems, of which the second is too sure."""
    rng = np.random.default_rng(6)
    truth = (rng.random(300) < 0.3).astype(int)
    shared = rng.normal(size=300)
    logits = [m * truth + shared + rng.normal(size=300) - 1.5 for m in (2.5, 1.8)]
    found = [1 / (1 + np.exp(-s * x)) for s, x in zip((1, 2.5), logits, strict=True)]
    return compare(truth, *found, measure="auc", names=names, draws=500, seed=1)


def powers():
    """Table 3 of Zhang et al. (2016), with the errors of 500 simulations."""
    table = {
        ("(a)", ">>", "unpaired"): [0.26, 0.41, 0.70, 0.79, 0.87, 0.92, 0.96],
        ("(a)", ">>", "paired"): [0.30, 0.52, 0.76, 0.84, 0.90, 0.94, 0.97],
        ("(b)", "=", "unpaired"): [0.00, 0.01, 0.26, 0.63, 0.72, 0.88, 0.92],
        ("(b)", "=", "paired"): [0.00, 0.22, 0.58, 0.81, 0.87, 0.96, 0.99],
    }
    rows = [
        {"scenario": s, "goal": g, "model": m, "n": n, "power": p, "se": (p * (1 - p) / 500) ** 0.5}
        for (s, g, m), powers in table.items()
        for n, p in zip(range(500, 4000, 500), powers, strict=True)
    ]
    return pd.DataFrame(rows)


def planned(question="documents", names=("svm", "nb")):
    """A plan for a power of 80% and 90%, with the errors of 400 simulations."""
    if question == "difference":  # A is to be worse
        x, ends = [-0.06, -0.07, -0.08, -0.09, -0.1, -0.12], [(-0.092, -0.095, -0.088)]
    else:
        x, ends = [64, 256, 1024, 1500, 2000, 4096], [(1560, 1450, 1700), (2580, 2350, 2820)]
    power = np.array([0.02, 0.11, 0.58, 0.79, 0.85, 0.99])
    table = {"power": power, "se": np.sqrt(power * (1 - power) / 400), "n_simulations": 400}
    fields = {
        "documents": {"scenario": Scenario.named("a")},
        "difference": {"n": 2000},
        "more documents": {
            "observed": Observed(names, Decision.BETTER, "7,532 documents", "F1", 0.5)
        },
    }
    return Plan(
        question=question,
        goal="<<" if question == "difference" else ">>",
        answers=tuple(Answer(p, *v, {}) for p, v in zip((0.8, 0.9), ends, strict=False)),
        curve=pd.DataFrame({"x": x} | table),
        analysis=Analysis(Question.read(), Sampling.read(model="paired", draws=1000, seed=1)),
        limit=1_000_000,
        seed=1,
        **fields[question],
    )


def odd_names():
    """Names that would be formulas, markup, or too long."""
    names = ("$\\frac{1}{2}$ of_100% <b>", "a classifier with a name of forty letters")
    known = ["$x_1$ & 100%", "漢字 😀", "éèê", "comp.os.ms-windows.misc.and.much.more.of.it"]
    return categories(4, names=names, categories=tuple(known), measure="error", rope=0.002)


@cache
def contested(systems: int, names=None):
    """A contest by conjugacy, whose systems are a little worse one after the other."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 1500)
    errors = np.linspace(0.08, 0.08 + 0.03 * min(systems, 6), systems)
    names = names or [f"system {i + 1}" for i in range(systems)]
    said = {
        n: np.where(rng.random(1500) < e, 1 - truth, truth)
        for n, e in zip(names, errors, strict=True)
    }
    return contest(truth, said, seed=1, draws=1000, rope=0.02)


def calibration():
    """Ranks of a program that is calibrated in one variable, and too sure of another."""
    rng = np.random.default_rng(5)
    ranks = {"delta": rng.integers(0, 100, 400), "mu": (rng.beta(0.6, 0.6, 400) * 100).astype(int)}
    return Calibration("mine", pd.DataFrame(ranks), 99, 0, 1)


PICTURES = {
    "ranks_of_truths": lambda _: plots.plot_rank(calibration()),
    "ecdf_of_truths": lambda _: plots.plot_ecdf(calibration()),
    "posterior": lambda stored: plots.plot_posterior(stored),
    "factor": lambda stored: plots.plot_factor(stored),
    "trace": lambda stored: plots.plot_trace(stored),
    "forest": lambda _: plots.plot_forest(categories(average="macro")),
    "forest_one": lambda stored: plots.plot_forest(stored),
    "forest_1000": lambda _: plots.plot_forest(categories(1000, draws=50, average="macro")),
    "forest_names": lambda _: plots.plot_forest(odd_names(), sort=False),
    "joint": lambda stored: plots.plot_joint(stored),
    "mosaic": lambda stored: plots.plot_mosaic(stored),
    "priors": lambda _: plots.plot_prior(categories(), "3"),
    "ropes": lambda stored: plots.plot_rope(stored),
    "ropes_three": lambda _: plots.plot_rope(categories(rope=(0.01, 0.03)), "17"),
    "power": lambda _: plots.plot_power(powers()),
    "plan": lambda _: plots.plot_plan(planned()),
    "plan_difference": lambda _: plots.plot_plan(planned("difference")),
    "plan_more": lambda _: plots.plot_plan(planned("more documents")),
    "roc": lambda _: plots.plot_roc(probabilities()),
    "roc_difference": lambda _: plots.plot_roc_difference(probabilities()),
    "precision_recall": lambda _: plots.plot_precision_recall(probabilities()),
    "reliability": lambda _: plots.plot_reliability(probabilities()),
    "scores": lambda _: plots.plot_scores(contested(3)),
    "scores_50": lambda _: plots.plot_scores(contested(50)),
    "matrix": lambda _: plots.plot_matrix(contested(6)),
    "matrix_50": lambda _: plots.plot_matrix(contested(50)),
    "ranks": lambda _: plots.plot_ranks(contested(6)),
    "ranks_50": lambda _: plots.plot_ranks(contested(50)),
}


def texts(ax):
    """Everything that is written in a picture, as artists."""
    shown = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
    if ax.axison:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks = zip(axis.get_majorticklocs(), axis.get_ticklabels(), strict=True)
            shown += [label for place, label in ticks if low <= place <= high]
    if legend := ax.get_legend():
        shown += [legend.get_title(), *legend.get_texts()]
    return [text for text in shown if text.get_text() and text.get_visible()]


def picture(ax):
    """Save a picture, its texts inside the file, and close it; return where the texts stand."""
    figure = ax.figure
    figure.set_dpi(DPI)
    buffer = io.BytesIO()
    with plots.theme(), mpl.rc_context({"text.hinting": "none"}):
        figure.draw_without_rendering()
        written = json.dumps([text.get_text() for text in texts(ax)])
        boxes = [text.get_window_extent() for text in texts(ax)]
        figure.savefig(buffer, format="png", metadata={"Software": None, "Description": written})
    plt.close(figure)
    return buffer.getvalue(), boxes


def read(file):
    """Read a picture as (height, width, 3) numbers from 0 to 255, and its texts."""
    with Image.open(file) as image:
        return np.asarray(image.convert("RGB"), dtype=np.float32), json.loads(
            image.text["Description"]
        )


def difference(one, other, boxes=()):
    """Root mean square of what differs in the worst tile, each blurred and laid on its best."""
    if one.shape != other.shape:
        return np.inf
    one, other = (gaussian_filter(pixels, (BLUR, BLUR, 0)) for pixels in (one, other))
    compared = _unwritten(boxes, one.shape[:2])
    height, width = (-(-size // TILE) * TILE for size in one.shape[:2])
    rim = ((0, height - one.shape[0]), (0, width - one.shape[1]), (0, 0))
    least = np.full((height // TILE, width // TILE), np.inf)
    steps = range(-SHIFT, SHIFT + 1)
    for shift in sorted(product(steps, steps), key=lambda s: abs(s[0]) + abs(s[1])):
        moved = np.roll(one, shift, axis=(0, 1))  # margins are white
        squared = np.pad((moved - other) ** 2 * compared, rim)
        tiles = squared.reshape(height // TILE, TILE, width // TILE, TILE, 3)
        least = np.minimum(least, tiles.mean(axis=(1, 3, 4)))
        if least.max() < 1:  # as like as can be
            break
    return float(np.sqrt(least.max()))


def _unwritten(boxes, shape):
    """Mark the pixels where nothing is written: letters look different, and are told as texts."""
    compared = np.ones((*shape, 1), dtype=np.float32)
    for box in boxes:
        x0, x1 = max(0, int(box.x0) - MARGIN), int(box.x1) + MARGIN
        y0, y1 = max(0, int(shape[0] - box.y1) - MARGIN), int(shape[0] - box.y0) + MARGIN
        compared[y0:y1, x0:x1] = 0
    return compared


def main():
    """Draw all pictures, or those that are named."""
    sys.path.insert(0, str(FOLDER.parents[1]))
    from conftest import stored_comparison

    mpl.use("Agg")
    for name in sys.argv[1:] or PICTURES:
        (FOLDER / f"{name}.png").write_bytes(picture(PICTURES[name](stored_comparison()))[0])


if __name__ == "__main__":
    main()
