"""What the report on Yang and Liu (1999) claims, checked from its committed files."""

import gzip
import hashlib
import io
import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from reporting import REPORTS, module
from scipy import stats
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.preprocessing import MultiLabelBinarizer

REPORT = REPORTS / "yang1999"
as_csv = module("common").as_csv
published, reuters, corpus, train = (
    module(f"yang1999.{name}") for name in ("published", "reuters", "reuters_corpus", "train")
)


def committed(name):
    return pd.read_csv(REPORT / "tables" / name, keep_default_na=False)


def categories_of_reuters():
    return pd.read_csv(REPORT / "categories.csv", keep_default_na=False)


def indicators():
    """The truth and every classifier's decisions as 0/1 matrices, read without the package."""
    with gzip.open(REPORT / "decisions.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    binarizer = MultiLabelBinarizer(classes=categories_of_reuters()["category"])
    names = [name for name in rows[0] if name != "document"]
    return {name: binarizer.fit_transform([row[name] for row in rows]) for name in names}


def test_every_row_of_table_1_tells_the_same_number_of_assignments():
    found = published.assignments()
    assert found.round().min() == 3741
    assert found.round().max() == 3749
    assert round(found.mean()) == 3745


def test_the_rebuilt_cells_give_the_printed_scores():
    printed, cells = published.table1(), published.cells()
    assert (cells.sum(axis=1) == 3019 * 90).all()
    recall = cells["tp"] / (cells["tp"] + cells["fn"])
    precision = cells["tp"] / (cells["tp"] + cells["fp"])
    f1 = 2 * recall * precision / (recall + precision)
    error = (cells["fp"] + cells["fn"]) / (3019 * 90)
    assert np.allclose(recall, printed["micro_recall"], rtol=0, atol=2e-4)
    assert np.allclose(precision, printed["micro_precision"], rtol=0, atol=2e-4)
    assert np.allclose(f1, printed["micro_f1"], rtol=0, atol=2e-4)
    assert np.allclose(error, printed["error"], rtol=0, atol=6e-6)


def test_the_legible_signs_of_table_3_come_out():
    table = committed("table3.csv")
    assert len("".join(table["legible in 1999"])) == 16
    assert table["without ≫ and <"].tolist() == table["legible in 1999"].tolist()
    assert table["legible in 1999"].tolist() == list(published.LEGIBLE_TABLE3.values())
    signs = table.set_index(["A", "B"])
    assert len(signs) == 10
    # The order by error that the paper tells in words: {SVM, kNN} > LLSF > NNet >> NB.
    assert signs.loc[("SVM", "kNN"), "error"] == "∼"
    assert signs.loc[("kNN", "LLSF"), "error"] == "<"
    assert signs.loc[("LLSF", "NNet"), "error"] == "<"
    assert signs.loc[("NB", "NNet"), "error"] == "≫"


def test_the_p_test_of_table_3_is_that_of_a_textbook():
    cells = published.cells()
    judged = committed("published_judged.csv").set_index(["A", "B", "measure"])
    for measure, cell in (("recall", "fn"), ("precision", "fp")):
        table = cells.loc[["SVM", "kNN"], ["tp", cell]].to_numpy()
        two_sided = stats.chi2_contingency(table, correction=False).pvalue
        found = float(judged.loc[("SVM", "kNN", measure), "p_value"])
        assert found == pytest.approx(two_sided / 2, rel=1e-4)


def test_the_committed_judgements_are_those_of_the_code():
    found = published.judged()
    now = pd.read_csv(io.StringIO(as_csv(found)), keep_default_na=False)
    pd.testing.assert_frame_equal(now, committed("published_judged.csv"), rtol=1e-3, atol=1e-6)
    said = committed("published_side_by_side.csv")["together"].value_counts()
    assert said.to_dict() == {
        "both sure": 18,
        "no test": 10,
        "significant, perhaps too small": 9,
        "both open": 3,
    }


def test_the_unpaired_posterior_is_near_the_exact_one():
    # Recall of A minus recall of B has two Beta posteriors of its own, whatever the prevalence.
    cells = published.cells()
    rng = np.random.default_rng(1)
    svm, knn = (
        rng.beta(1 + cells["tp"][name], 1 + cells["fn"][name], 200_000) for name in ("SVM", "kNN")
    )
    row = committed("published_judged.csv").set_index(["A", "B", "measure"])
    row = row.loc[("SVM", "kNN", "recall")]
    assert float(row["mean"]) == pytest.approx((svm - knn).mean(), abs=3e-4)
    assert float(row["p_A_better"]) == pytest.approx((svm > knn).mean(), abs=2e-3)


def test_the_decisions_are_those_that_were_trained():
    raw = (REPORT / "decisions.jsonl.gz").read_bytes()
    assert len(raw) < 100_000
    unpacked = hashlib.sha256(gzip.decompress(raw)).hexdigest()
    assert unpacked == "cb6406ba76b17634224bb456b9acb89febd5c35dcb702e1741e6f06e75a87134"
    matrices = indicators()
    assert list(matrices) == ["truth", "SVM", "kNN", "LLSF", "NNet", "NB"]
    assert {matrix.shape for matrix in matrices.values()} == {(3461, 95)}
    categories = categories_of_reuters()
    assert (categories[["train", "test"]] > 0).all().all()
    assert categories["train"].max() == 2896
    assert matrices["truth"].sum(axis=0).tolist() == categories["test"].tolist()
    assert (matrices["truth"].sum(axis=1) > 0).all()


def test_the_split_keeps_categories_of_both_parts():
    first = corpus.FIRST_TEST_DOCUMENT

    def document(number, *topics):
        return {"id": str(number), "title": "t", "body": None, "topics": list(topics)}

    learned, tested = corpus.split(
        [
            document(1, "earn", "tea"),
            document(2, "tea"),
            document(3),
            document(first - 1, "grain", "earn"),
            document(first, "earn", "grain", "rye"),
            document(first + 1, "rye"),
            {"id": str(first + 2)},
        ]
    )
    assert learned.numbers == [1, first - 1]
    assert learned.topics == [["earn"], ["earn", "grain"]]
    assert (tested.numbers, tested.topics) == ([first], [["earn", "grain"]])
    assert tested.texts == ["t\n"]


def test_thresholds_have_the_best_f1():
    rng = np.random.default_rng(5)
    scores = np.round(rng.random(60), 2)
    truth = (scores + rng.normal(0, 0.2, 60) > 0.6).astype(int)
    limit = train.best_threshold(scores, truth)
    cuts = [*(np.unique(scores) - 1e-6), 2.0]
    best = max(f1_score(truth, scores > cut, zero_division=0) for cut in cuts)
    assert f1_score(truth, scores > limit) == pytest.approx(best)
    # One positive document at the lower end: a threshold there would accept everything.
    assert train.best_threshold(np.arange(50.0), np.eye(50, dtype=int)[2]) == 49.0


def test_the_scores_are_those_of_scikit_learn():
    matrices = indicators()
    truth = matrices.pop("truth")
    table = reuters.table1()
    shown = committed("table1.csv").set_index("method")
    for name, said in matrices.items():
        expected = {
            "micro_recall": recall_score(truth, said, average="micro"),
            "micro_precision": precision_score(truth, said, average="micro"),
            "micro_f1": f1_score(truth, said, average="micro"),
            "macro_f1": f1_score(truth, said, average="macro", zero_division=0),
            "error": np.mean(truth != said),
        }
        assert table.loc[name].to_dict() == pytest.approx(expected)
        for short, column in (("miF1", "micro_f1"), ("maF1", "macro_f1")):
            assert float(shown.loc[name, short]) == pytest.approx(expected[column], abs=5e-5)
        by_category = committed("f1_by_category.csv")[name].astype(float)
        assert np.allclose(by_category, f1_score(truth, said, average=None, zero_division=0))


def test_the_signs_of_table_2_follow_from_the_decisions():
    matrices = indicators()
    truth = matrices["truth"]
    tests = committed("tests.csv").set_index(["A", "B", "test", "measure"]).sort_index()
    right_a, right_b = (matrices[name] == truth for name in ("SVM", "kNN"))
    n, k = int((right_a != right_b).sum()), int((right_a & ~right_b).sum())
    row = tests.loc[("SVM", "kNN", "s-test", "accuracy")]
    assert (int(row["n"]), int(row["k"])) == (n, k)
    z = (k - n / 2) / (0.5 * np.sqrt(n))
    assert float(row["p_value"]) == pytest.approx(stats.norm.sf(z), rel=1e-4)
    f1 = {
        name: f1_score(truth, matrices[name], average=None, zero_division=0)
        for name in ("LLSF", "NNet")
    }
    d = f1["LLSF"] - f1["NNet"]
    d = d[np.abs(d) > 1e-12]
    row = tests.loc[("LLSF", "NNet", "T-test", "F1")]
    assert int(row["n"]) == len(d) > 40
    t = stats.ttest_1samp(d, 0).statistic
    assert float(row["p_value"]) == pytest.approx(stats.norm.sf(t), rel=1e-4)
    table2 = committed("table2.csv")
    pd.testing.assert_frame_equal(table2[["A", "B", *reuters.TESTS]], reuters.table2())


def test_the_page_tells_how_near_it_comes_to_1999():
    page = (REPORT / "index.html").read_text("utf8")
    table = committed("table1.csv")
    micro = (table["miF1"].astype(float) - table["miF1 1999"].astype(float)).abs().max()
    macro = (table["maF1"].astype(float) - table["maF1 1999"].astype(float)).abs().max()
    assert micro < 0.025
    assert f"within {micro:.3f}" in page
    assert f"within {macro:.3f} only" in page
    assert "7,905 training and 3,461 test documents with 95 categories" in page


def test_rare_categories_are_where_nb_and_nnet_are_worst():
    scores = committed("f1_by_category.csv").set_index("category").astype(float)
    trained = categories_of_reuters().set_index("category")["train"]
    rare = scores[trained <= 8].mean().sort_values()
    assert set(rare.index[:2]) == {"NB", "NNet"}
    common = scores[trained >= 300].mean()
    assert common.max() - common.min() < (rare.max() - rare.min()) / 2


def test_the_hierarchical_verdicts_follow_from_their_numbers():
    rows = committed("compared.csv")
    assert len(rows) == 20
    numbers = rows[["psi_A", "psi_B", "mean", "hdi_low", "hdi_high"]].astype(float)
    assert np.allclose(numbers["psi_A"] - numbers["psi_B"], numbers["mean"], atol=1e-5)
    for row, decision in zip(numbers.itertuples(), rows["decision"], strict=True):
        if row.hdi_low >= 0.01:
            assert decision == ">>"
        elif row.hdi_high <= -0.01:
            assert decision == "<<"
        else:
            assert decision in ("<", ">", "=")
    # Pooled counts are many, so that the micro average is near the observed one.
    observed = reuters.table1()["micro_f1"]
    micro = rows[rows["average"] == "micro"]
    for a, b, mean in zip(micro["A"], micro["B"], micro["mean"].astype(float), strict=True):
        assert mean == pytest.approx(observed[a] - observed[b], abs=0.01)


def test_the_page_warns_where_the_model_and_the_observed_scores_part():
    rows = committed("compared.csv")
    numbers = rows[["observed", "mean"]].astype(float)
    truth = indicators()
    for i, (a, b, average) in rows[["A", "B", "average"]].iterrows():
        f1 = [
            f1_score(truth["truth"], truth[name], average=average, zero_division=0)
            for name in (a, b)
        ]
        assert numbers["observed"][i] == pytest.approx(f1[0] - f1[1], abs=1e-6)
    against = rows[numbers["observed"] * numbers["mean"] < 0]
    page = (REPORT / "index.html").read_text("utf8")
    warned = [f"{a} / {b}" for a, b in zip(against["A"], against["B"], strict=True)]
    assert "SVM / kNN" in warned
    assert f"Beware of {', '.join(warned)}: the model leans one way" in page
    scores = committed("f1_by_category.csv").set_index("category").astype(float)
    rare = categories_of_reuters().set_index("category")["train"] <= 8
    assert scores[rare].mean().idxmax() == "kNN"
    assert (scores[~rare].mean()[["SVM", "LLSF", "NNet"]] > scores[~rare].mean()["kNN"]).all()


def test_frequencies_are_binned_and_scores_averaged():
    scores = pd.DataFrame({"x": [0.1, 0.3, 0.9, 0.5], "y": [1, 0.0, 0.5, 0.5]})
    ax = module("yang1999.reuters_sections").plot_frequency(scores, pd.Series([4, 7, 8, 0]))
    x, y = ax.lines[1], ax.lines[3]
    np.testing.assert_allclose(x.get_ydata(), [0.5, 0.2, 0.9])
    np.testing.assert_allclose(x.get_xdata(), [0, np.sqrt(28), 8])
    np.testing.assert_allclose(y.get_ydata(), [0.5, 0.5, 0.5])
    assert ax.get_xscale() == "symlog"
    plt.close(ax.figure)
