"""What the report on Sokolova & Lapalme (2006) claims, from its committed files."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from reporting import REPORTS, files, module
from scipy import stats

from stanoff.measures.invariance import OF_THE_PAPER, examine

FOLDER = REPORTS / "sokolova2006"
build, rankings, table10 = (
    module(f"sokolova2006.{name}") for name in ("build", "rankings", "table10")
)
SVM, NB = (1242, 390, 189, 740), (1108, 272, 323, 858)  # tp, fp, fn, tn: Tables 8 and 9


def read(name):
    return pd.read_csv(FOLDER / "tables" / name, dtype={"printed": str, "by formula": str})


def read_printed():
    return pd.read_csv(FOLDER / "printed/table10.csv", index_col="measure")


def by_hand(tp, fp, fn, tn):
    """Equations 1 to 7 and 12 to 15, in the units of Table 10."""
    recall, specificity = Fraction(tp, tp + fn), Fraction(tn, tn + fp)
    accuracy = Fraction(tp + tn, tp + fp + fn + tn)
    return {
        "accuracy": 100 * accuracy,
        "sensitivity": 100 * recall,
        "specificity": 100 * specificity,
        "precision": 100 * Fraction(tp, tp + fp),
        "f_score": 100 * Fraction(2 * tp, 2 * tp + fn + fp),
        "auc": 50 * (recall + specificity),
        "rho_plus": recall / (1 - specificity),
        "rho_minus": (1 - recall) / specificity,
        "auc_acc": 100 * (recall + specificity) / (2 * accuracy),
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The report built twice, in folders of their own."""
    folders = [tmp_path_factory.mktemp("report") for _ in range(2)]
    for folder in folders:
        rankings.posteriors.cache_clear()
        build.build(folder)
    return [files(folder) for folder in folders]


def test_table_10_is_what_its_formulas_give():
    table = read("table10.csv").set_index("measure")
    for key, cells in {"svm": SVM, "nb": NB}.items():
        for measure, value in by_hand(*cells).items():
            assert table.loc[measure, key] == pytest.approx(float(value), abs=6e-7)
    printed = read_printed()
    assert (table["svm_rank"] == printed["svm_rank"]).all()
    assert (table["nb_rank"] == printed["nb_rank"]).all()
    assert table.loc["auc", list(OF_THE_PAPER)].tolist() == list("+---")


def test_every_disagreement_with_the_printed_table_is_listed():
    listed = read("disagreements.csv")
    assert [tuple(row) for row in listed.iloc[:, :4].to_numpy()] == [
        ("sensitivity", "NB", "77.5", "77.4"),
        ("specificity", "SVM", "65.4", "65.5"),
        ("precision", "SVM", "76.0", "76.1"),
        ("precision", "NB", "80.1", "80.3"),
        ("F1", "SVM", "81.2", "81.1"),
        ("F1", "NB", "78.9", "78.8"),
        ("break even point", "SVM", "74.0", "none"),
        ("break even point", "NB", "72.4", "none"),
        ("AUC", "SVM", "52.3", "76.1"),
        ("AUC", "NB", "53.4", "76.7"),
        ("AUC", "t1", "-", "+"),
        ("AUC:acc", "SVM", "98.3", "98.4"),
        ("AUC:acc", "NB", "99.8", "99.9"),
        ("AUC:acc", "t1", "-", "+"),
    ]
    printed = read_printed()
    differing = {
        (measure, key)
        for key, cells in {"svm": SVM, "nb": NB}.items()
        for measure, value in by_hand(*cells).items()
        if round(float(value), 2 if "rho" in measure else 1) != float(printed.loc[measure, key])
    }
    assert len(differing) == 10  # the rest of the list: two break-even points, two signs


def test_the_printed_auc_is_youdens_index():
    printed = read_printed().loc["auc"]
    for key, (tp, fp, fn, tn) in {"svm": SVM, "nb": NB}.items():
        youden = 100 * (tp / (tp + fn) + tn / (tn + fp) - 1)
        assert round(youden, 1) == float(printed[key])
    notes = read("disagreements.csv").query("measure == 'AUC'")["note"].tolist()
    assert "Youden's index, sensitivity + specificity - 1 = 52.28" in notes[0]
    assert "Youden's index, sensitivity + specificity - 1 = 53.36" in notes[1]


def test_the_break_even_point_of_naive_bayes_cannot_be_the_printed_one():
    # 1,380 documents are called positive and 1,431 are: 51 more have to be, of which none to all
    # are right.
    bounds = table10.break_even_bounds
    assert bounds(list(NB)) == pytest.approx((100 * 1108 / 1431, 100 * 1159 / 1431))
    assert bounds(list(SVM)) == pytest.approx((100 * (1242 - 201) / 1431, 100 * 1242 / 1431))
    notes = read("disagreements.csv").query("measure == 'break even point'")["note"].tolist()
    assert notes[0].endswith("so 74.0 is possible")
    assert notes[1].endswith("from 77.4 to 81.0, so 72.4 is impossible")


def test_break_even_bounds_are_those_of_every_threshold():
    # All orders of a few documents in which the first ones are called positive.
    from itertools import permutations

    bounds = table10.break_even_bounds
    reached: dict[tuple[int, int, int, int], set[float]] = {}
    for ranked in set(permutations([1, 1, 1, 0, 0, 0, 0])):
        for called in range(8):
            tp, fn = sum(ranked[:called]), 3 - sum(ranked[:called])
            cells = (tp, called - tp, fn, 4 - (called - tp))
            reached.setdefault(cells, set()).add(100 * sum(ranked[:3]) / 3)
    for cells, points in reached.items():
        low, high = bounds(list(cells))
        assert low <= min(points) + 1e-9
        assert max(points) <= high + 1e-9


def simulated(cells, draws, rng):
    """Cells of the unpaired model with uniform priors, independently of the package."""
    tp, fp, fn, tn = cells
    mu = rng.beta(1 + tp + fn, 1 + fp + tn, draws)
    found, alarm = rng.beta(1 + tp, 1 + fn, draws), rng.beta(1 + fp, 1 + tn, draws)
    return mu * found, (1 - mu) * alarm, mu * (1 - found), (1 - mu) * (1 - alarm)


def test_the_posteriors_are_right():
    table = read("posterior.csv").set_index("measure")
    rng = np.random.default_rng(5)
    a, b = (simulated(cells, 400_000, rng) for cells in (SVM, NB))

    def f1(tp, fp, fn, tn):
        return 200 * tp / (2 * tp + fp + fn)

    def accuracy(tp, fp, fn, tn):
        return 100 * (tp + tn)

    def auc(tp, fp, fn, tn):
        return 50 * (tp / (tp + fn) + tn / (tn + fp))

    def rho_minus(tp, fp, fn, tn):
        return fn / (tp + fn) / (tn / (tn + fp))

    for measure, function in {"f_score": f1, "accuracy": accuracy, "auc": auc}.items():
        delta = function(*a) - function(*b)
        row = table.loc[measure]
        assert row["svm"] == pytest.approx(function(*a).mean(), abs=0.02)
        assert row["delta"] == pytest.approx(delta.mean(), abs=0.03)
        first = np.mean(delta > 0) if row["first"] == "SVM" else np.mean(delta < 0)
        assert row["p_unpaired"] == pytest.approx(first, abs=0.008)
        ends = np.quantile(delta, [0.025, 0.975])  # nearly symmetric, so nearly the HDI
        assert [row["delta_low"], row["delta_high"]] == pytest.approx(ends, abs=0.2)
    assert table.loc["rho_minus", "p_unpaired"] == pytest.approx(
        np.mean(rho_minus(*a) < rho_minus(*b)), abs=0.002
    )
    exact = stats.beta(1243, 190)
    assert table.loc["sensitivity", "svm"] == pytest.approx(100 * exact.mean(), abs=0.02)


def test_the_rankings_that_are_not_settled_are_told():
    table = read("posterior.csv").set_index("measure")
    models = ["p_unpaired", "p_least_alike", "p_most_alike"]
    unsettled = set(table.index[table[models].min(axis=1) < 0.99])
    assert unsettled == {"accuracy", "f_score", "break_even_point", "auc"}
    assert table.loc["accuracy", models].tolist() == pytest.approx([0.70, 0.68, 0.84], abs=0.005)
    assert table.loc["auc", models].tolist() == pytest.approx([0.676, 0.652, 0.813], abs=0.005)
    page = (FOLDER / "index.html").read_text(encoding="utf-8")
    assert "In accuracy SVM is first with a probability of 70.0%" in page
    assert "In AUC NB is first with a probability of 67.6%" in page
    assert "AUC:acc rises or falls as fp grows" in page
    assert "ρ₊ only falls as fp grows" in page


def test_the_paired_models_hold_the_matrices():
    results = rankings.fits()
    for name, both in {"least_alike": (919, 0), "most_alike": (1108, 272)}.items():
        counts = results[name].data
        positive, negative = counts.pos[0].tolist(), counts.neg[0].tolist()
        assert (positive[0], negative[0]) == both
        assert (positive[0] + positive[1], positive[0] + positive[2]) == (1242, 1108)
        assert (negative[0] + negative[1], negative[0] + negative[2]) == (390, 272)
        assert (sum(positive), sum(negative)) == (1431, 1130)
        assert min(*positive, *negative) >= 0


def test_the_signs_are_those_of_the_package():
    for row in read("signs.csv").to_dict("records"):
        assert "".join(row[name] for name in OF_THE_PAPER) == examine(row["measure"]).signature


def test_building_again_gives_the_same_bytes(built):
    first, second = built
    assert first == second
    kept = files(FOLDER)
    made = ("index.html", "tables/", "figures/")
    assert {name for name in kept if name.startswith(made)} == set(first)
    for name in first:
        if name.endswith((".csv", ".md")):
            assert first[name] == kept[name], name
