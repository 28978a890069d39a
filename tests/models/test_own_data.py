"""Programs of the user's own that ask for values, scores and clusters."""

import numpy as np
import pandas as pd
import pytest
from agreement import same_law
from click.testing import CliRunner
from scipy import stats

from stanoff import Comparison, InputError, Prior, compare, compare_counts, count, load
from stanoff.cli import main
from stanoff.models import priors_of, stan_folder
from stanoff.models.custom import CustomModel, Program, inspect_program
from stanoff.workbench import calibrate, compare_models

RNG = np.random.default_rng(5)
VALUES, RUNS, SCORES = (stan_folder() / f"examples/{n}.stan" for n in ("values", "runs", "scores"))

# Differences vary by clusters and items with known standard deviations.
CLUSTERS = """
data {
  int N;
  int C;
  array[N] int<lower=1, upper=C> cluster;
  matrix[N, 2] y;
  int<lower=0, upper=1> prior_only;
  int<lower=0, upper=1> simulate;
}
parameters { real delta; vector[C] z; }
model {
  delta ~ normal(0, 2);
  z ~ std_normal();
  if (!prior_only) {
    y[ : , 1] - y[ : , 2] ~ normal(delta + 0.7 * z[cluster], 0.5);
  }
}
generated quantities {
  matrix[N, 2] y_rep = y;
  if (simulate) {
    for (i in 1 : N) {
      y_rep[i, 1] = y[i, 2] + normal_rng(delta + 0.7 * z[cluster[i]], 0.5);
    }
  }
}
"""


def thread_frame(n=60, clusters=12):
    cluster = np.arange(n) % clusters
    b = RNG.normal(3, 1, n)
    a = b + 0.4 + 0.7 * RNG.normal(size=clusters)[cluster] + RNG.normal(0, 0.5, n)
    return pd.DataFrame({"a": a, "b": b, "thread": [f"t{i}" for i in cluster]})


FRAME = thread_frame()
ASKED = {"a": "a", "b": "b", "measure": "mean", "cluster": "thread"}
SCORED = pd.DataFrame({"y": np.arange(70) % 3 == 0}).assign(
    a=lambda t: 1.2 * t["y"] + RNG.normal(size=70),
    b=lambda t: 0.4 * t["y"] + RNG.normal(size=70),
)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    file = tmp_path_factory.mktemp("own") / "threads.stan"
    file.write_text(CLUSTERS)
    return file


@pytest.fixture(scope="module")
def threads(program):
    return compare(FRAME, **ASKED, model=program, seed=1)


@pytest.mark.stan
def test_values_in_clusters_reach_a_program(threads, tmp_path):
    d, code = (FRAME["a"] - FRAME["b"]).to_numpy(), pd.factorize(FRAME["thread"])[0]
    covariance = 0.49 * (code[:, None] == code) + 0.25 * np.eye(len(d))
    precision = np.linalg.inv(covariance)
    scale = 1 / np.sqrt(precision.sum() + 1 / 4)
    law = stats.norm(scale**2 * precision.sum(axis=0) @ d, scale)
    exact = law.rvs((1, 50_000), random_state=2)
    same_law(threads.scores.delta[..., 0], exact, about="delta")
    assert "in the score of threads (60 items in 12 clusters)" in str(threads)
    assert np.isnan(threads.observed).all()  # nobody knows what the program computes
    again = load(threads.save(tmp_path / "kept.nc"))
    pd.testing.assert_frame_equal(again.summary(), threads.summary())
    assert str(again) == str(threads)
    assert list(priors_of(threads.model)) == ["the model's own"]  # it asks for no weights


@pytest.mark.stan
def test_the_tree_has_values_as_they_are(threads):
    tree = threads.tree
    assert tree["observed_data"]["y"].dims == ("item", "system")
    np.testing.assert_array_equal(tree["observed_data"]["y"], FRAME[["a", "b"]])
    assert tree["constant_data"]["cluster"].max() == tree["constant_data"]["C"] == 12
    new = tree["posterior_predictive"]["y"]
    assert new.dims == ("chain", "draw", "item", "system")
    assert new.dtype == float
    turned = Comparison.from_fit(threads.fit, "b", "a", threads.question)
    np.testing.assert_array_equal(
        turned.tree["posterior_predictive"]["y"], new.to_numpy()[..., ::-1]
    )
    check = threads.check()
    assert "Of 120 values" in check.sentence()
    assert "scores are" not in check.sentence()


@pytest.mark.stan
def test_a_program_of_values_is_calibrated_by_itself_or_by_a_function(program):
    found = calibrate(program, simulations=40, documents=30, seed=1)
    assert found.calibrated, found

    def simulate(rng, data):
        delta, z = rng.normal(0, 2), rng.normal(size=data["C"])
        d = rng.normal(delta + 0.7 * z[np.asarray(data["cluster"]) - 1], 0.5)
        return {"delta": [delta]}, {"y": np.stack([d, np.zeros(len(d))], axis=1)}

    found = calibrate(program, simulate=simulate, simulations=40, documents=30, seed=1)
    assert found.calibrated, found


@pytest.mark.stan
def test_values_agree_with_the_items_model():
    # With 200 items the proper prior moves delta by a hundredth of its standard deviation.
    y = RNG.multivariate_normal([5, 4.8], [[1, 0.6], [0.6, 1]], 200)
    mine = compare(y[:, 0], y[:, 1], measure="mean", model=VALUES, seed=1)
    exact = compare(y[:, 0], y[:, 1], measure="mean", seed=1)
    for name in ("psi_A", "psi_B", "delta"):
        one, other = (r.row_draws("posterior", name, "1") for r in (mine, exact))
        same_law(one, other, about=name)
    np.testing.assert_array_equal(mine.observed, exact.observed)
    check = mine.check()
    assert check.passed, check
    assert "difference in mean" in check.table["what"].tolist()
    assert np.isfinite(mine.evidence().bf_rope) or mine.evidence().bf_rope_bound


@pytest.mark.stan
def test_runs_agree_with_the_repeated_model():
    p = stats.norm.cdf(RNG.multivariate_normal([0.7, 0.3], [[1, 0.5], [0.5, 1]], 15))
    rows = [
        {"item": i, "system": s, "value": int(RNG.random() < p[i, j])}
        for i in range(15)
        for j, s in enumerate("ab")
        for _ in range(4)
    ]
    long = {"item": "item", "system": "system", "value": "value", "a": "a", "b": "b"}
    asked = {**long, "measure": "mean", "seed": 1, "draws": 600}
    mine, other = (
        compare(pd.DataFrame(rows), **asked, model=model) for model in (RUNS, "repeated")
    )
    for group in ("posterior", "prior"):
        one, same = (r.row_draws(group, "delta", "1") for r in (mine, other))
        same_law(one, same, about=group)
    assert mine.tree["posterior_predictive"]["right"].dtype == np.int64
    assert mine.check().passed


@pytest.mark.stan
def test_scores_agree_with_the_binormal_model(tmp_path):
    asked = {"truth": "y", "a": "a", "b": "b", "measure": "auc", "seed": 1, "draws": 600}
    mine, other = (
        compare(SCORED, **asked, pos_label=True, model=model) for model in (SCORES, "binormal")
    )
    for group in ("posterior", "prior"):
        for name in ("psi_A", "psi_B", "delta"):
            one, same = (r.row_draws(group, name, "True") for r in (mine, other))
            same_law(one, same, about=(group, name))
    np.testing.assert_array_equal(mine.observed, other.observed)
    assert mine.measure.label == "AUC"
    assert mine.check().passed
    again = load(mine.save(tmp_path / "kept.nc"))
    assert str(again) == str(mine)
    with pytest.raises(InputError, match="no other measures"):
        mine.judge(measure="average_precision")


@pytest.mark.stan
def test_a_measure_that_a_program_does_not_know_is_refused_by_its_bounds():
    probability = SCORED.assign(a=stats.norm.cdf(SCORED["a"]), b=stats.norm.cdf(SCORED["b"]))
    with pytest.raises(Exception, match="measure is 3, but must be less than or equal to 1"):
        compare(probability, truth="y", a="a", b="b", pos_label=True, measure="brier", model=SCORES)


@pytest.mark.stan
def test_rivals_of_values(program):
    data = count(FRAME, kind="values", a="a", b="b", cluster="thread")
    rivals = compare_models(data, ["clusters", program], measure="mean", seed=1)
    assert rivals.summary()["model"].tolist() == ["clusters", "threads"]


@pytest.mark.stan
def test_the_command_line_takes_values_and_scores(program, tmp_path):
    FRAME.to_csv(tmp_path / "values.csv", index=False)
    SCORED.astype({"y": int}).to_csv(tmp_path / "scores.csv", index=False)
    values = [tmp_path / "values.csv", "--a", "a", "--b", "b", "--measure", "mean"]
    threaded = [*values, "--cluster", "thread", "--seed", 1, "--model", program]
    scores = [tmp_path / "scores.csv", "--truth", "y", "--a", "a", "--b", "b", "--measure", "auc"]
    for words, told in (
        (["compare", *threaded], "in the score of threads"),
        (["models", "compare", *threaded, "--model", "clusters"], "clusters"),
        (["compare", *scores, "--model", SCORES, "--draws", 500, "--seed", 1], "in AUC"),
        (["models", "check", program], "can be used"),
    ):
        ran = CliRunner().invoke(main, [*map(str, words)])
        assert ran.exit_code == 0, ran.output
        assert told in " ".join(ran.stdout.split())
    ran = CliRunner().invoke(main, [*map(str, ["compare", *values, "--model", program])])
    assert ran.exit_code == 1
    assert "asks for 'C' and 'cluster', which these values do not have" in ran.stderr


def asking(tmp_path, **names):
    inputs = {name: {"type": kind, "dimensions": d} for name, (kind, d) in names.items()}
    outputs = {"delta": {"type": "real", "dimensions": 0}}
    return CustomModel(Program(tmp_path / "mine.stan", inputs, outputs, (), ()))


def test_what_data_do_not_have_is_named(tmp_path):
    labels = count([1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0])
    scores = count(SCORED["y"], SCORED["a"], SCORED["b"], kind="scores", pos_label=True)
    values = count(FRAME, kind="values", a="a", b="b")
    y, truth = {"y": ("real", 2)}, {"truth": ("int", 1), "said": ("int", 2)}
    cluster, right = {"cluster": ("int", 1)}, {"right": ("int", 2)}
    for asked, data, words in (
        (y, labels, r"asks for 'y', which these labels do not have: it needs values per item"),
        (y, scores, "asks for 'y', which these scores do not have"),
        (truth, values, "asks for 'truth' and 'said', which these values do not have"),
        (truth, scores, "asks for 'said', which these scores do not have"),
        (cluster, labels, "labels are counted, and their clusters are not kept"),
        (cluster | y, values, "asks for 'cluster', which these values do not have"),
        (right, values, r"'right' takes runs that are right \(1\) or wrong \(0\) only"),
    ):
        model = asking(tmp_path, **asked)
        with pytest.raises(InputError, match=words):
            model.stan_data(data, Prior())
    clustered = count(FRAME, kind="values", a="a", b="b", cluster="thread")
    with pytest.raises(InputError, match="does not ask for 'cluster', but these values hang"):
        asking(tmp_path, **y).stan_data(clustered, Prior())


def test_several_categories_of_scores_come_one_after_the_other(tmp_path):
    truth = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    a, b = RNG.random((2, 4, 2))
    data = count(truth, a, b, kind="scores", average="macro")
    asked = dict.fromkeys(("truth", "category"), ("int", 1)) | {"score": ("real", 2)}
    block = asking(tmp_path, **asked).stan_data(data, Prior())
    assert block["category"].tolist() == [1] * 4 + [2] * 4
    assert block["truth"].tolist() == truth.T.ravel().tolist()
    np.testing.assert_array_equal(block["score"], np.stack([a.T.ravel(), b.T.ravel()], axis=1))


@pytest.mark.stan
def test_types_are_checked(tmp_path):
    file = tmp_path / "mine.stan"
    file.write_text(CLUSTERS.replace("matrix[N, 2] y;", "vector[N] y;").split("parameters")[0])
    problems = inspect_program(file).problems
    assert "Its data 'y' must be real with 2 dimensions, not real with 1." in problems


@pytest.mark.stan
def test_labels_of_a_program_of_values_are_refused_before_it_runs(program):
    with pytest.raises(InputError, match="which these labels do not have"):
        compare_counts([9, 3, 1, 4], [2, 3, 1, 30], model=program)
