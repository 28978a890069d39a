"""Out-of-fold predictions, against scikit-learn, the bootstrap of documents and the folds model."""

import numpy as np
import pandas as pd
import pytest
from agreement import same_evidence
from scipy import special, stats
from sklearn.metrics import brier_score_loss, f1_score, roc_auc_score

from stanoff import InputError, compare, contest, load


def predictions(n=300, folds=5, repeats=1, seed=1):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    frames = []
    signal = truth + rng.normal(0, 0.7, n)
    for repeat in range(repeats):
        fold = rng.permutation(np.arange(n) % folds)
        shift = rng.normal(0, 1, folds)[fold]  # copies have scales of their own
        a, b = signal + rng.normal(0, 0.5, n), signal + rng.normal(0, 0.8, n)
        frame = {"doc": np.arange(n), "y": truth, "fold": fold, "repeat": repeat}
        said = {"a": (a > 0.5).astype(int), "b": (b > 0.5).astype(int)}
        scores = {"score_a": a + shift, "score_b": b + shift}
        frames.append(pd.DataFrame(frame | said | scores))
    return pd.concat(frames, ignore_index=True)


LABELS = {"truth": "y", "a": "a", "b": "b", "fold": "fold", "seed": 1}
SCORES = {**LABELS, "a": "score_a", "b": "score_b", "measure": "auc"}


SCORES_OF = ("score_a", "score_b")


def areas(truth, score):
    """Areas under the curve of many samples (sample, document), by ranks: ties share theirs."""
    ranks, positive = stats.rankdata(score, axis=1), truth.sum(axis=1)
    below = (ranks * truth).sum(axis=1) - positive * (positive + 1) / 2
    return below / positive / (truth.shape[1] - positive)


def test_labels_are_judged_document_by_document():
    table = predictions()
    result = compare(table, measure="f1", rope=0.01, **LABELS)
    expected = [f1_score(table["y"], table[name]) for name in "ab"]
    assert result.observed[:, 0] == pytest.approx(expected)
    assert "F1 over new documents, these trained systems (300 documents in 5 folds" in str(result)
    drawn = np.random.default_rng(2).integers(0, len(table), (1000, len(table)))
    truth, a, b = (table[name].to_numpy()[drawn] for name in ("y", "a", "b"))
    f1 = [2 * (truth * x).sum(axis=1) / (truth + x).sum(axis=1) for x in (a, b)]
    assert f1[0][0] == pytest.approx(f1_score(truth[0], a[0]))
    assert result.evidence().std == pytest.approx(np.std(f1[0] - f1[1]), rel=0.1)
    right = (table["y"] == table["a"]).mean()
    assert result.judge(measure="accuracy").observed[0, 0] == pytest.approx(right)


def test_the_auc_is_that_within_folds():
    table = predictions(400)
    result = compare(table, **SCORES)
    groups = [t for _, t in table.groupby("fold")]

    def within(tables, name):
        return np.mean([roc_auc_score(t["y"], t[name]) for t in tables])

    expected = [within(groups, name) for name in ("score_a", "score_b")]
    assert result.observed[:, 0] == pytest.approx(expected)
    pooled = roc_auc_score(table["y"], table["score_a"])
    assert result.observed[0, 0] > pooled + 0.02  # scales differ from fold to fold
    rng = np.random.default_rng(3)
    differences = np.zeros(400)
    for t in groups:
        drawn = rng.integers(0, len(t), (400, len(t)))
        a, b = (areas(t["y"].to_numpy()[drawn], t[n].to_numpy()[drawn]) for n in SCORES_OF)
        differences += (a - b) / len(groups)
        first = t.iloc[drawn[0]]
        assert a[0] == pytest.approx(roc_auc_score(first["y"], first["score_a"]))
    assert result.evidence().std == pytest.approx(np.std(differences), rel=0.15)


def test_losses_are_means_over_documents():
    table = predictions()
    for name in ("score_a", "score_b"):
        table[name] = 1 / (1 + np.exp(-table[name]))
    result = compare(table, **{**SCORES, "measure": "brier"})
    assert result.observed[1, 0] == pytest.approx(brier_score_loss(table["y"], table["score_b"]))
    with pytest.raises(InputError, match="'auc', 'brier' or 'log_loss'"):
        compare(table, **{**SCORES, "measure": "average_precision"})


def test_long_tables_have_a_row_per_prediction():
    table = predictions(repeats=2)
    keys = ["doc", "repeat", "fold", "y"]
    long = table.melt(keys, ["a", "b"], var_name="model", value_name="label")
    columns = {"truth": "y", "fold": "fold", "repeat": "repeat", "id": "doc", "seed": 1}
    layout = {"system": "model", "prediction": "label"}
    shuffled = long.sample(frac=1, random_state=1)
    result = compare(shuffled, a="a", b="b", **layout, **columns)
    found, wanted = result.evidence(), compare(table, a="a", b="b", **columns).evidence()
    assert (found.mean, found.std) == pytest.approx((wanted.mean, wanted.std), abs=0.01)
    assert result.observed == pytest.approx(compare(table, a="a", b="b", **columns).observed)
    assert contest(long, **layout, **columns).systems == ("a", "b")
    other = long.assign(fold=long["fold"] + (long["model"] == "b") * long["doc"] % 2)
    with pytest.raises(InputError, match="not tested on the same folds"):
        compare(other, a="a", b="b", **layout, **columns)
    with pytest.raises(InputError, match="pass id="):
        compare(long, a="a", b="b", truth="y", fold="fold", **layout)


def test_arrays_of_cross_val_predict_have_their_folds_beside_them():
    table = predictions()
    arrays = [table[name].to_numpy() for name in ("y", "a", "b", "fold")]
    result = compare(*arrays[:3], fold=arrays[3], measure="f1", seed=1)
    same_evidence(result, compare(table, measure="f1", **LABELS))
    many = contest(arrays[0], {"a": arrays[1], "b": arrays[2]}, fold=arrays[3].tolist(), seed=1)
    assert many.systems == ("a", "b")
    with pytest.raises(InputError, match="'fold' parameter must be the test fold of each document"):
        compare(*arrays[:3], fold="fold")
    with pytest.raises(InputError, match="fold has 299"):
        compare(*arrays[:3], fold=arrays[3][1:])
    with pytest.raises(InputError, match="two folds or more"):
        compare(*arrays[:3], fold=np.zeros(300))
    with pytest.raises(InputError, match="The index of y_pred_b is not that of y_true"):
        compare(table["y"], table["a"], table["b"][::-1], fold=table["fold"])
    with pytest.raises(InputError, match="Two are compared, and there are 3"):
        compare(table[["y", "fold", "a", "b"]].assign(c=1), truth="y", fold="fold")
    with pytest.raises(InputError, match="pass a= and b="):
        compare(table, truth="y", a="a", fold="fold")


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_probabilities_of_classes_are_averaged(average):
    rng = np.random.default_rng(4)
    n, folds = 300, 3
    truth, fold = rng.choice(3, n, p=[0.5, 0.3, 0.2]), np.arange(n) % folds
    signal = np.eye(3)[truth]
    scores = [special.softmax(signal + rng.normal(0, s, (n, 3)), axis=1) for s in (0.5, 0.8)]
    result = compare(truth, *scores, fold=fold, measure="auc", average=average, seed=1)

    def within(rows):
        kind = {"average": average, "multi_class": "ovr"}
        return [np.mean([roc_auc_score(t, x, **kind) for t, x in rows(s)]) for s in scores]

    def of_folds(score):
        return [(truth[fold == k], score[fold == k]) for k in range(folds)]

    row = len(result.categories) - 3 + ["macro", "micro", "weighted"].index(average)
    assert result.observed[:, row] == pytest.approx(within(of_folds), abs=0.002)
    differences = []
    for _ in range(200):
        rows = np.concatenate([rng.choice(np.flatnonzero(fold == k), 100) for k in range(folds)])
        a, b = within(lambda s, rows=rows: [(truth[r], s[r]) for r in np.split(rows, folds)])
        differences.append(a - b)
    assert result.evidence().std == pytest.approx(np.std(differences), rel=0.2)
    assert len(result.populations()) == 1  # three folds are too few for training sets
    with pytest.raises(InputError, match="one class against the rest: pass average="):
        compare(truth, *scores, fold=fold, measure="log_loss")


def test_repeats_do_not_narrow_the_interval():
    table = predictions(repeats=20)
    alike = pd.concat([predictions().assign(repeat=r) for r in range(20)])
    columns = {"id": "doc", "repeat": "repeat", "measure": "accuracy"}
    once = compare(predictions(), measure="accuracy", **LABELS).evidence()
    same = compare(alike, **columns, **LABELS)
    assert "300 documents in 5 folds, repeated 20 times" in str(same)
    assert same.evidence().std == pytest.approx(once.std, rel=0.02)
    # What is left after 20 repeats is how documents differ.
    d = (table["a"] == table["y"]) * 1.0 - (table["b"] == table["y"])
    of_documents = d.groupby(table["doc"]).mean()
    result = compare(table, **columns, **LABELS)
    assert result.evidence().std == pytest.approx(of_documents.sem(), rel=0.02)


def test_both_populations_stand_side_by_side():
    table = predictions()
    result = compare(table, measure="accuracy", rope=0.01, **LABELS)
    found = result.populations()
    assert found["population"].tolist() == [
        "new documents, these trained systems",
        "new training sets of this size",
    ]
    right = {n: (table["y"] == table[n]).groupby(table["fold"]).mean().to_numpy() for n in "ab"}
    by_folds = compare(right["a"], right["b"], folds=5, rope=0.01, seed=1)
    assert found["std"][1] == pytest.approx(by_folds.evidence().std)
    assert found["wider"].sum() == 1
    word = "wider" if found["wider"][1] else "narrower"
    assert f"which is {word}." in str(result)


def test_contests_and_saved_results(tmp_path):
    table = predictions(repeats=2)
    columns = {"truth": "y", "fold": "fold", "repeat": "repeat", "id": "doc", "seed": 1}
    result = contest(table, systems=["a", "b"], **columns)
    assert str(load(result.save(tmp_path / "result.nc"))) == str(result)
    pair = result.between("b", "a")
    assert str(load(pair.save(tmp_path / "pair.nc"))) == str(pair)
    assert pair.to_html(tmp_path / "page.html").exists()
    scored = compare(predictions(), **SCORES)
    assert str(load(scored.save(tmp_path / "scored.nc"))) == str(scored)


def test_errors_name_what_is_wrong():
    table = predictions(repeats=2)
    with pytest.raises(InputError, match="several times: pass id="):
        compare(table, repeat="repeat", **LABELS)
    with pytest.raises(InputError, match="'cluster' parameter must be None beside out-of-fold"):
        compare(table, cluster="doc", **LABELS)
    one_class = predictions().sort_values("y")
    one_class["fold"] = np.arange(300) // 60
    with pytest.raises(InputError, match="use stratified folds"):
        compare(one_class, **SCORES)
