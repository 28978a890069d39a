"""Trained copies crossed with documents, against an analysis of variance and simulations."""

import numpy as np
import pandas as pd
import pytest
from agreement import same_evidence
from scipy import stats
from sklearn.metrics import f1_score, recall_score

from stanoff import InputError, compare, contest, load
from stanoff.models.seeds import crossed_squares, variance_of_difference

LONG = {"item": "doc", "system": "system", "trained": "seed"}


def simulate(rng, n=200, copies=(5, 5), sd=0.1, shift=0.0):
    """Copies of two systems on documents: tables (copy, document), and the true difference."""
    shared = rng.normal(0, 1, n)
    tables = []
    for system, number in enumerate(copies):
        own = shared + rng.normal(0, 0.5, n) + shift * (system == 0)
        copy = rng.normal(0, sd, number)
        tables.append(own + copy[:, None] + rng.normal(0, 0.7, (number, n)))
    return tables


def as_long(tables, names="ab"):
    frames = []
    for name, table in zip(names, tables, strict=False):
        copy, doc = np.indices(table.shape)
        frames.append(
            pd.DataFrame(
                {"doc": doc.ravel(), "seed": copy.ravel(), "value": table.ravel(), "system": name}
            )
        )
    return pd.concat(frames, ignore_index=True)


def predictions(rng, n=400, copies=4):
    truth = (rng.random(n) < 0.4).astype(int)
    hard = rng.normal(0, 1, n)
    frames = []
    for name, level in (("a", 2.0), ("b", 1.6)):
        for seed in range(copies):
            right = rng.random(n) < 1 / (1 + np.exp(-(level + hard + rng.normal(0, 0.2))))
            said = np.where(right, truth, 1 - truth)
            frame = {"doc": np.arange(n), "seed": seed, "system": name, "truth": truth}
            frames.append(pd.DataFrame(frame | {"said": said, "right": right.astype(float)}))
    return pd.concat(frames, ignore_index=True)


def mean_squares(table):
    """Mean squares of documents, copies and residuals, spelled out."""
    copies, n = table.shape
    grand, doc, copy = table.mean(), table.mean(axis=0), table.mean(axis=1)
    left = sum(
        (table[r, i] - doc[i] - copy[r] + grand) ** 2 for r in range(copies) for i in range(n)
    )
    return (
        copies * sum((d - grand) ** 2 for d in doc) / (n - 1),
        n * sum((c - grand) ** 2 for c in copy) / (copies - 1),
        left / (n - 1) / (copies - 1),
    )


def test_the_variance_is_that_of_a_two_way_table():
    """Against systems that do not share documents, whose variances add up."""
    tables = simulate(np.random.default_rng(1), 60, (4, 4), 0.3)
    values = np.concatenate([tables[0], np.zeros((4, 60))])  # the other system does not vary
    squares = crossed_squares(values, np.repeat([0, 1], 4))
    documents, seeds, residuals = mean_squares(tables[0])
    variance, degrees = variance_of_difference(squares, 0, 1)
    expected = (documents + seeds - residuals) / (60 * 4)
    assert variance == pytest.approx(expected)
    parts = documents**2 / 59 + seeds**2 / 3 + residuals**2 / (59 * 3)
    assert degrees == pytest.approx((documents + seeds - residuals) ** 2 / parts)


def test_a_comparison_is_the_t_with_satterthwaites_degrees():
    tables = simulate(np.random.default_rng(2), 80, (5, 3), 0.2, shift=0.1)
    result = compare(as_long(tables), a="a", b="b", value="value", measure="mean", seed=1, **LONG)
    squares = crossed_squares(np.concatenate(tables), np.repeat([0, 1], [5, 3]))
    variance, degrees = variance_of_difference(squares, 0, 1)
    t = stats.t(degrees, tables[0].mean() - tables[1].mean(), np.sqrt(variance))
    evidence = result.evidence()
    assert evidence.hdi == pytest.approx(t.interval(0.95))
    assert evidence.p_less == pytest.approx(t.cdf(0))
    assert "a new training of each system" in str(result)
    assert "80 items, 3 to 5 trained copies of each system" in str(result)
    psi = result.scores.psi[..., 0].reshape(-1, 2)
    assert stats.kstest(psi[::10, 0] - psi[::10, 1], t.cdf).pvalue > 0.001


@pytest.mark.parametrize("sd", [0.0, 0.1, 0.3])
def test_coverage(sd):
    """Of 600 simulated comparisons; runs taken as independent cover 54 % at the largest sd."""
    rng = np.random.default_rng(3)
    covered = independent = 0
    for _ in range(600):
        tables = simulate(rng, 100, (5, 5), sd)
        squares = crossed_squares(np.concatenate(tables), np.repeat([0, 1], 5))
        variance, degrees = variance_of_difference(squares, 0, 1)
        d = tables[0].mean(axis=0) - tables[1].mean(axis=0)
        covered += abs(d.mean()) < stats.t.ppf(0.975, degrees) * np.sqrt(variance)
        independent += abs(d.mean()) < stats.t.ppf(0.975, 99) * d.std(ddof=1) / 10
    assert 0.93 <= covered / 600 <= 0.985
    if sd == 0.3:
        assert independent / 600 < 0.7


def test_labels_are_linearised():
    """A measure is the mean over documents of what each does to it; accuracy is so exactly."""
    table = predictions(np.random.default_rng(4))
    options = {"a": "a", "b": "b", "seed": 1, **LONG}
    values = compare(table, value="right", measure="mean", **options)
    labels = compare(table, prediction="said", truth="truth", measure="accuracy", **options)
    one, other = values.evidence(), labels.evidence()
    assert other.std == pytest.approx(one.std, rel=0.02)
    assert labels.observed == pytest.approx(values.observed)
    f1 = labels.judge(measure="f1")
    copies = table[table["system"] == "a"].groupby("seed")
    expected = np.mean([f1_score(t["truth"], t["said"]) for _, t in copies])
    assert f1.observed[0, 0] == pytest.approx(expected)


def test_linearised_f1_varies_as_resampled_documents_do():
    table = predictions(np.random.default_rng(5))
    alike = table[table["seed"] == 0]
    twice = pd.concat([alike, alike.assign(seed=1)])  # copies that do not differ
    result = compare(
        twice, a="a", b="b", prediction="said", truth="truth", measure="f1", seed=1, **LONG
    )
    truth, *said = (
        alike[alike["system"] == name][column].to_numpy()
        for name, column in (("a", "truth"), ("a", "said"), ("b", "said"))
    )
    rng = np.random.default_rng(6)
    differences = []
    for _ in range(1000):
        rows = rng.integers(0, len(truth), len(truth))
        differences.append(np.subtract(*(f1_score(truth[rows], x[rows]) for x in said)))
    assert result.evidence().std == pytest.approx(np.std(differences), rel=0.1)


def test_classes_are_averaged():
    table = predictions(np.random.default_rng(7)).replace({"said": {0: "no", 1: "yes"}})
    table["truth"] = table["truth"].map({0: "no", 1: "yes"})
    result = contest(
        table, prediction="said", truth="truth", measure="recall", average="macro", seed=1, **LONG
    )
    assert result.categories == ("no", "yes", "macro", "micro", "weighted")
    assert "recall over new documents and a new training of each system" in str(result)
    copies = table[table["system"] == "b"].groupby("seed")
    expected = np.mean([recall_score(t["truth"], t["said"], average="macro") for _, t in copies])
    assert result.observed[1, 2] == pytest.approx(expected)
    assert result.psi[..., 1, 2].mean() == pytest.approx(expected, abs=0.001)


def test_the_copies_at_hand_stand_beside_new_ones():
    """Of these copies alone: the t of the mean answers to each document."""
    table = predictions(np.random.default_rng(12))
    options = {"a": "a", "b": "b", "seed": 1, **LONG}
    values = compare(table, value="right", measure="mean", **options).populations()
    means = table.groupby(["doc", "system"])["right"].mean().unstack()
    t = stats.ttest_rel(means["a"], means["b"]).confidence_interval()
    assert values["population"].tolist() == [
        "new items and a new training of each system",
        "new documents, these trained copies",
    ]
    assert (values["hdi_low"][1], values["hdi_high"][1]) == pytest.approx(tuple(t))
    assert values["wider"].tolist() == [True, False]
    labels = compare(table, prediction="said", truth="truth", measure="accuracy", **options)
    assert labels.populations()["std"][1] == pytest.approx(values["std"][1])
    with pytest.raises(InputError, match="no plan for trained copies"):
        labels.plan()


def test_results_are_saved_and_shown(tmp_path):
    table = predictions(np.random.default_rng(8), 60)
    for options in (
        {"value": "right", "measure": "mean"},
        {"prediction": "said", "truth": "truth"},
    ):
        result = contest(table, seed=1, **LONG, **options)
        again = load(result.save(tmp_path / "result.nc"))
        assert str(again) == str(result)
        assert str(again.between("b", "a")) == str(result.between("b", "a"))
        assert result.between("a", "b").to_html(tmp_path / "page.html").exists()


def test_a_wide_table_has_a_column_per_system():
    table = predictions(np.random.default_rng(9), 50)
    keys = ["doc", "seed", "truth"]
    wide = table.pivot(index=keys, columns="system", values="said").reset_index()
    long = compare(table, a="a", b="b", prediction="said", truth="truth", seed=1, **LONG)
    options = {"item": "doc", "trained": "seed", "truth": "truth", "seed": 1}
    same_evidence(compare(wide, a="a", b="b", **options), long)
    assert contest(wide, **options).systems == ("a", "b")


def test_errors_name_what_is_wrong():
    table = predictions(np.random.default_rng(10), 30)
    options = {"a": "a", "b": "b", "prediction": "said", "truth": "truth", **LONG}
    for broken, words in (
        (table.iloc[1:], "copy 0 of a has none to 0"),
        (pd.concat([table, table.iloc[:1]]), "a has several values of trained 0, item 0"),
        (table[table["seed"] == 0], "a was trained once"),
        (table[table["doc"] < 3], "4 documents or more"),
    ):
        with pytest.raises(InputError, match=words):
            compare(broken, **options)
    with pytest.raises(InputError, match="pass item="):
        compare(table, **{**options, "item": None})
    with pytest.raises(InputError, match="'cluster' parameter must be None where trained="):
        compare(table, cluster="doc", **options)
    with pytest.raises(InputError, match="'trainings' only where trained="):
        compare([1, 0, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], population="trainings")
    few = compare(table, **options, seed=1)
    named = compare(table, population="trainings", **options, seed=1)
    same_evidence(named, few)
    assert any("only 4 trained copies" in note for note in few.warnings)


@pytest.mark.stan
def test_the_program_agrees_with_the_t():
    tables = simulate(np.random.default_rng(11), 150, (12, 12), 0.2, shift=0.1)
    options = {"a": "a", "b": "b", "value": "value", "measure": "mean", "seed": 1, **LONG}
    exact = compare(as_long(tables), **options).evidence()
    drawn = compare(as_long(tables), engine="stan", **options)
    assert drawn.sampler_warnings == ()
    evidence = drawn.evidence()
    assert evidence.mean == pytest.approx(exact.mean, abs=0.1 * exact.std)
    assert evidence.std == pytest.approx(exact.std, rel=0.1)
    # The components of a table of 150 x 12 are known well.
    assert drawn.fit.draws.posterior["sigma"].mean() == pytest.approx(0.7, rel=0.05)
    assert drawn.fit.draws.posterior["sigma_seed"].mean() == pytest.approx(0.2, rel=0.4)
