import dataclasses
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

from stanoff import Comparison, InputError, Prior, compare, compare_counts, count, load
from stanoff.data.types import ConfusionCounts
from stanoff.results.comparison import COLUMNS

POS, NEG = [310, 25, 20, 43], [40, 30, 25, 7039]
PREDICTIONS = Path(__file__).parents[1] / "reports/zhang2016/predictions.csv"
QUICK = {"engine": "exact", "draws": 2000, "seed": 1}


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 600)
    a = np.where(rng.uniform(size=600) < 0.9, truth, rng.integers(0, 3, 600))
    b = np.where(rng.uniform(size=600) < 0.6, truth, rng.integers(0, 3, 600))
    return truth, a, b


def test_stored_draws_tell_everything(stored):
    table = stored.summary()
    assert list(table.columns) == COLUMNS
    row = table.iloc[0]
    assert row["mean"] == pytest.approx(0.0021, abs=0.001)
    assert row["psi_A"] - row["psi_B"] == pytest.approx(row["mean"])
    assert (row["decision"], row["category"]) == ("=", "8")
    assert row["p_less"] + row["p_greater"] == 1
    assert table.attrs["warnings"] == []
    assert not stored.evidence().bf_sd_defined


def test_another_rope_or_hdi_needs_no_refit(stored):
    strict = stored.judge(rope=0.001).evidence()
    assert strict.decision in ("<", ">")
    assert strict.rope == (-0.001, 0.001)
    assert stored.evidence().rope == (-0.05, 0.05)
    narrow, wide = (
        stored.judge(hdi_prob=0.5).evidence().hdi,
        stored.judge(hdi_prob=0.99).evidence().hdi,
    )
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    assert stored.judge(rope=0.001).summary()["decision"][0] == strict.decision


def test_another_measure_needs_no_refit(stored):
    for name in ("recall", "error"):
        other = stored.judge(measure=name)
        cells = stored.draws.posterior["cells_A"][..., 0, :]
        tp, fp, fn, _ = np.moveaxis(cells, -1, 0)
        expected = tp / (tp + fn) if name == "recall" else fp + fn
        assert other.evidence().psi_A == pytest.approx(np.mean(expected))
        assert other.measure.label == name
    assert not any("infinite" in warning for warning in stored.judge(measure="recall").warnings)


def test_where_lower_is_better_the_verdict_turns():
    worse = {"c_pos": [300, 0, 90, 10], "c_neg": [10, 30, 0, 500]}  # A errs far more often
    options = QUICK | {"rope": 0.01}
    assert compare_counts(**worse, measure="accuracy", **options).decision == "<<"
    result = compare_counts(**worse, measure="error", **options)
    assert result.evidence().mean > 0
    assert result.decision == "<<"
    assert "Lower is better" in str(result)


def test_nothing_in_it_changes(stored):
    with pytest.raises(dataclasses.FrozenInstanceError):
        stored.seed = 2


GROUPS = {
    *("posterior", "posterior_predictive", "log_likelihood", "prior", "prior_predictive"),
    *("log_prior", "sample_stats", "observed_data", "constant_data"),
}


def test_the_tree(stored):
    tree = stored.tree
    assert set(tree.children) == GROUPS - {"log_likelihood"}  # too many documents times draws
    assert tree["posterior"]["delta"].dims == ("chain", "draw", "category")
    assert tree["posterior"]["theta_pos"].dims == ("chain", "draw", "category", "outcome")
    assert tree["posterior"].coords["outcome"].values.tolist() == [
        "both",
        "only A",
        "only B",
        "neither",
    ]
    assert tree["posterior"].coords["cell"].values.tolist() == ["tp", "fp", "fn", "tn"]
    assert tree["posterior"].coords["category"].values.tolist() == ["8"]
    assert tree["observed_data"]["c_pos"].values.tolist() == [POS]
    assert not tree["sample_stats"]["diverging"].any()
    assert tree.attrs["name_A"] == "svm"


def test_exact_and_unpaired_trees_have_the_same_groups():
    tree = compare_counts(POS, NEG, model="unpaired", **QUICK).tree
    assert set(tree.children) == GROUPS - {"log_likelihood"}
    assert tree["posterior"]["rho_pos"].dims == ("chain", "draw", "classifier", "category")
    assert tree["posterior"].coords["classifier"].values.tolist() == ["A", "B"]


def test_averages(labels):
    truth, a, b = labels
    for average in ("macro", "micro", "weighted"):
        result = compare(truth, a, b, average=average, model="paired", **QUICK)
        assert result.categories == ("0", "1", "2", "macro", "micro", "weighted")
        row = result.summary().set_index("category").loc[average]
        assert row["psi_A"] == pytest.approx(f1_score(truth, a, average=average), abs=0.01)
        assert row["psi_B"] == pytest.approx(f1_score(truth, b, average=average), abs=0.01)
        assert result.decision == ">>"
        assert f"{average}-averaged F1" in str(result)
        assert result.evidence().bf_sd_defined
        assert not result.evidence("0").bf_sd_defined


def test_one_category_against_the_rest(labels):
    truth, a, b = labels
    one = compare(truth, a, b, pos_label=2, **QUICK)
    assert one.categories == ("2",)
    expected = f1_score(truth == 2, a == 2)
    assert one.evidence().psi_A == pytest.approx(expected, abs=0.01)


def test_two_test_sets(labels):
    truth, a, b = labels
    two = {"a": (truth == 1, a == 1), "b": (truth[:300] == 1, b[:300] == 1)}
    result = compare(**two, **QUICK)
    assert result.model.name == "unpaired"
    assert result.data.n_documents() == (600, 300)
    assert "600 documents of A and 300 of B" in str(result)
    assert str(compare(**two, model="unpaired", **QUICK)) == str(result)
    with pytest.raises(InputError, match="pass model='unpaired' for two test sets"):
        compare(**two, model="paired", **QUICK)


def test_names_come_from_the_columns(labels):
    truth, a, b = labels
    frame = pd.DataFrame({"y": truth == 0, "svm": a == 0, "nb": b == 0})
    assert compare(frame, truth="y", a="svm", b="nb", **QUICK).names == ("svm", "nb")
    named = compare(frame, truth="y", a="svm", b="nb", names=("new", "old"), **QUICK)
    assert str(named).startswith("new is significantly better than old in F1 (600 documents): ")


def test_a_seed_makes_every_number_reproducible():
    tables = [compare_counts(POS, NEG, **(QUICK | {"seed": s})).summary() for s in (3, 3, 4)]
    pd.testing.assert_frame_equal(tables[0], tables[1])
    assert tables[0]["mean"][0] != tables[2]["mean"][0]
    unseeded = compare_counts(POS, NEG, engine="exact", draws=100)
    again = compare_counts(POS, NEG, engine="exact", draws=100, seed=unseeded.seed)
    pd.testing.assert_frame_equal(unseeded.summary(), again.summary())


def test_undefined_scores_are_told():
    result = compare_counts([0, 0, 0, 0], [0, 0, 3, 5], **QUICK)
    said = "The observed F1 of A is 0/0 in category 1 (zero_division=0);"
    assert any(warning.startswith(said) for warning in result.warnings)
    assert not any("of B is 0/0" in warning for warning in result.warnings)
    assert result.summary().attrs["warnings"] == list(result.warnings)


def test_a_score_that_is_undefined_in_the_draws_is_refused():
    options = {"measure": "recall", "zero_division": math.nan, "prior": Prior(beta=(1e-3, 1))}
    with pytest.raises(
        InputError,
        match=r"delta is NaN\) in \d+ posterior draws.* 0/0, and zero_division is NaN",
    ):
        compare_counts([0] * 4, [0, 0, 0, 2], **options, **QUICK)


def test_an_hdi_that_the_draws_cannot_show():
    result = compare_counts(POS, NEG, **QUICK)
    with pytest.raises(
        InputError, match="'hdi_prob' parameter must be one that 2000 draws can show"
    ):
        result.judge(hdi_prob=1e-5).evidence()


def test_a_category_called_like_the_average():
    y = ["macro", "x", "z"] * 20
    with pytest.raises(InputError, match="A category is called 'macro', like an average"):
        compare(y, y, y[::-1], average="macro", **QUICK)


def test_averages_tell_what_they_assume(labels):
    result = compare(*labels, average="macro", model="paired", **QUICK)
    assert any("modelled as independent" in warning for warning in result.warnings)
    joint = compare(*labels, average="macro", **QUICK)
    assert not any("independent" in warning for warning in joint.warnings)


def test_the_data_choose_the_model(labels):
    truth, a, b = labels
    one = compare(truth, a, b, pos_label=1, **QUICK)
    assert (one.model.name, one.engine) == ("paired", "exact")
    few = {"draws": 200, "seed": 1}
    classes = compare(truth, a, b, average="macro", **few)
    assert (classes.model.name, classes.engine) == ("joint", "exact")
    assert "under the joint model the difference is" in str(classes)
    sets = [[{label} for label in column.tolist()] for column in labels]
    assert compare(*sets, average="macro", **QUICK).model.name == "paired"
    assert compare_counts(POS, NEG, **QUICK).model.name == "paired"


def test_arrays_and_columns_do_not_mix(labels):
    with pytest.raises(InputError, match="as arrays or as names of columns, not both"):
        compare(*labels, truth="y", a="a", b="b")


def test_many_categories_take_fewer_draws():
    result = compare_counts([POS] * 100, [NEG] * 100, engine="exact", seed=1)
    assert result.draws.posterior["delta"].shape == (1, 10_000, 100)


def test_priors_by_name():
    assert Prior.jeffreys().weights("beta", 2).tolist() == [0.5, 0.5]
    assert Prior.perks().weights("beta", 2).tolist() == [0.5, 0.5]
    assert Prior.perks().weights("alpha_neg", 4).tolist() == [0.25] * 4
    for bad in (
        {"mass": 0},
        {"mass": "x"},
        {"kappa": (1, 0)},
        {"kappa": 3},
        {"kappa": (1, 2, 3)},
        {"kappa_neg": (1, 0)},
    ):
        with pytest.raises(InputError, match=r"'prior\.(mass|kappa|kappa_neg)' parameter must be"):
            Prior(**bad)


def test_each_classifier_may_have_its_own_prior():
    options = QUICK | {"model": "unpaired", "draws": 20_000, "measure": "recall"}
    heavy = Prior(alpha_pos=(90, 10))
    said = compare_counts([5, 0, 0, 5], [1, 1, 1, 9], prior=(heavy, Prior()), **options).evidence()
    assert said.psi_A == pytest.approx(95 / 110, abs=0.005)
    assert said.psi_B == pytest.approx(6 / 12, abs=0.005)
    with pytest.raises(InputError, match="one Prior for both classifiers in a paired model"):
        compare_counts([5, 0, 0, 5], [1, 1, 1, 9], prior=(heavy, Prior()), **QUICK)


def test_more_prior_weight_pulls_harder():
    flat = compare_counts([9, 0, 0, 1], [1, 1, 1, 9], **QUICK)
    heavy = compare_counts([9, 0, 0, 1], [1, 1, 1, 9], prior=Prior(alpha_pos=50), **QUICK)
    assert (
        heavy.judge(measure="recall").evidence().psi_A
        < flat.judge(measure="recall").evidence().psi_A - 0.1
    )


def test_chains_and_draws_of_the_exact_engine():
    result = compare_counts(POS, NEG, engine="exact", chains=3, draws=50, seed=1)
    assert result.draws.posterior["delta"].shape == (3, 50, 1)
    assert compare_counts(POS, NEG, engine="exact").draws.prior["delta"].shape == (1, 50_000, 1)


def test_categories_without_an_average():
    result = compare_counts([POS, POS], [NEG, NEG], categories=["x", "y"], **QUICK)
    assert result.summary()["category"].tolist() == ["x", "y"]
    assert len(str(result).splitlines()) == 2
    with pytest.raises(InputError, match="Say which category: one of x, y"):
        result.decision  # noqa: B018
    with pytest.raises(InputError, match=r"'category' parameter must be one of x, y\. Got 'z'"):
        result.evidence("z")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rope": (0.1, -0.1)}, "'rope' parameter"),
        ({"rope": -0.1}, "'rope' parameter"),
        ({"hdi_prob": 95}, "'hdi_prob' parameter"),
        ({"measure": "f2"}, "'measure' parameter must be one of f1, sensitivity"),
        ({"average": "macr"}, "Did you mean 'macro'"),
        ({"model": "pared"}, "Did you mean 'paired'"),
        ({"engine": "pymc"}, "'engine' parameter must be one of auto, stan, exact. Got 'pymc'"),
        ({"draws": 0}, "'draws' parameter must be a whole number from 4 to 100,000,000. Got 0"),
        ({"chains": 1.5}, "'chains' parameter must be a whole number"),
        ({"seed": -1}, "'seed' parameter"),
        ({"seed": 2**40}, "'seed' parameter must be a whole number from 0 to 2,147,483,647"),
        ({"names": "ab"}, "'names' parameter must be two different names"),
        ({"names": ("x", "x")}, "two different names"),
        (
            {"prior": 1},
            "'prior' parameter must be a stanoff.Prior, or two of them in an unpaired model. Got 1",
        ),
        (
            {"prior": Prior(alpha_pos=(1, 1))},
            r"'prior.alpha_pos' parameter must be one number or 4",
        ),
        ({"names": ("x", " ")}, "two different names"),
        ({"names": 5}, "two different names"),
        ({"names": ("x", "\ud800")}, "'names' parameter must be printable"),
        ({"measure": ["f1"]}, "'measure' parameter"),
        ({"model": ["paired"]}, "'model' parameter"),
        ({"beta": "2"}, "'beta' parameter"),
        ({"rope": 10**400}, "'rope' parameter"),
        ({"warmup": -5}, "'warmup' parameter"),
        ({"draws": 10**13}, "'draws' parameter must be a whole number from 4 to 100,000,000"),
        ({"categories": 5}, "'categories' parameter"),
        ({"categories": ["a", "b"]}, "'categories' parameter must be 1 different names"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(InputError, match=words):
        compare_counts(POS, NEG, **(QUICK | options))


@pytest.mark.parametrize("weights", [0, -1, math.nan, math.inf, [1, 0], "x", [[1, 1]]])
def test_bad_prior(weights):
    with pytest.raises(InputError, match=r"'prior\.beta' parameter must be"):
        Prior(beta=weights)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"c_pos": POS},
        {"a": POS},
        {"c_pos": POS, "b": NEG},
        {"c_pos": POS, "c_neg": NEG, "a": POS, "b": NEG},
    ],
)
def test_counts_come_in_twos(given):
    with pytest.raises(InputError, match="either c_pos and c_neg, or a and b"):
        compare_counts(**given)


@pytest.mark.parametrize("more", [{"c_neg": NEG}, {"a": np.array(POS)}, {"categories": ["x"]}])
def test_what_count_returned_comes_alone(labels, more):
    truth, a, b = labels
    counts = count(truth, a, b, pos_label=1)
    assert str(compare_counts(counts, **QUICK)) == str(compare(*labels, pos_label=1, **QUICK))
    with pytest.raises(InputError, match=r"Pass what count\(\) returned alone"):
        compare_counts(counts, **more, **QUICK)


def test_counts_of_unlike_shape_or_none_at_all():
    with pytest.raises(
        InputError, match="c_pos and c_neg must have as many rows, but have 1 and 2"
    ):
        compare_counts(POS, [NEG, NEG])
    with pytest.raises(InputError, match="all counts are 0"):
        compare_counts([0] * 4, [0] * 4)


def test_cells_of_each_classifier_as_counts():
    result = compare_counts(a=[335, 70, 63, 7064], b=[330, 65, 68, 7069], **QUICK)
    assert isinstance(result, Comparison)
    assert result.model.name == "unpaired"
    assert result.evidence().mean == pytest.approx(0.002, abs=0.003)


def test_the_paper_on_category_8():
    """Table 6, row 8: +0.007, 0.018, 35.9%, 98.9%, [-0.028, +0.042], equivalent."""
    result = compare(
        PREDICTIONS,
        truth="truth",
        a="nb_mult",
        b="svm_l2",
        pos_label=8,
        engine="exact",
        seed=1,
    )
    said = result.evidence()
    assert said.mean == pytest.approx(0.007, abs=0.002)
    assert said.std == pytest.approx(0.018, abs=0.001)
    assert said.p_less == pytest.approx(0.359, abs=0.02)
    assert said.p_rope == pytest.approx(0.989, abs=0.005)
    assert said.hdi == pytest.approx((-0.028, 0.042), abs=0.003)
    assert said.decision == "="


@pytest.mark.parametrize(
    "options",
    [{}, {"model": "unpaired"}, {"average": "macro"}, {"prior": Prior(alpha_pos=(1, 2, 3, 4))}],
)
def test_a_pair_that_is_turned_round_is_the_comparison_of_b_with_a(tmp_path, options):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"y": rng.integers(0, 2, 300)})
    for name, right in (("a", 0.9), ("b", 0.7)):
        frame[name] = np.where(rng.random(300) < right, frame["y"], 1 - frame["y"])
    how = {"engine": "exact", "seed": 1, "draws": 4000}
    straight = compare(frame, truth="y", a="a", b="b", **how, **options)
    turned = Comparison.from_fit(straight.fit, "b", "a", straight.question)
    if "prior" in options:
        options = {"prior": Prior(alpha_pos=(1, 3, 2, 4))}
    other = compare(frame, truth="y", a="b", b="a", **how, **options)
    assert turned.names == turned.data.systems == ("b", "a")
    assert turned.data.source == other.data.source
    assert turned.prior == other.prior
    for name, counts in other.data.arrays().items():
        np.testing.assert_array_equal(turned.data.arrays()[name], counts)
    np.testing.assert_array_equal(turned.scores.delta, -straight.scores.delta)
    tree, expected = turned.tree["posterior"], other.tree["posterior"]
    assert set(tree) == set(expected)
    for name in expected:  # the same posterior, with Monte-Carlo error
        sd = expected[name].std(("chain", "draw"))
        off = abs(tree[name].mean(("chain", "draw")) - expected[name].mean(("chain", "draw")))
        assert (off <= 5 * sd * (2 / 4000) ** 0.5).all(), name
    assert load(turned.save(tmp_path / "t.nc")).summary().equals(turned.summary())
    if turned.data.paired and turned.model.accepts is not ConfusionCounts:
        ours, theirs = turned.scenario(), other.scenario()
        assert ours.theta_pos == pytest.approx(theirs.theta_pos, abs=0.01)
        drawn = [[text.get_text() for text in one.plot_mosaic().texts] for one in (turned, other)]
        assert drawn[0] == drawn[1]
