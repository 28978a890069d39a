import contextlib
import os
import subprocess
import sys
from copy import copy
from dataclasses import replace

import arviz_stats
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import stanoff
from stanoff import (
    Comparison,
    InputError,
    Prior,
    StanoffError,
    compare,
    compare_counts,
    load,
    measures,
)
from stanoff.data.types import ConfusionCounts
from stanoff.engines.draws import Draws
from stanoff.fit import Fit
from stanoff.models import MODELS
from stanoff.models.custom import CustomModel, Program
from stanoff.question import Question
from stanoff.store import netcdf

POS, NEG = [[310, 25, 20, 43], [30, 4, 1, 5]], [[40, 30, 25, 7039], [1, 1, 1, 90]]
FEW = {"draws": 300, "chains": 2, "seed": 1}

# Programs of a user's own: one that generates everything, one that generates only a difference.
WHOLE = """
data {
  int<lower=1> K;
  array[K, 4] int<lower=0> c_A;
  array[K, 4] int<lower=0> c_B;
  int<lower=0, upper=1> prior_only;
}
parameters {
  array[K] simplex[4] p_A;
  array[K] simplex[4] p_B;
}
model {
  if (prior_only == 0) {
    for (k in 1:K) {
      c_A[k] ~ multinomial(p_A[k]);
      c_B[k] ~ multinomial(p_B[k]);
    }
  }
}
generated quantities {
  array[K] vector[4] cells_A = p_A;
  array[K] vector[4] cells_B = p_B;
  array[K] real delta;
  vector[0] nothing;
  for (k in 1:K) delta[k] = p_A[k, 1] - p_B[k, 1];
}
"""


def same(loaded, result):
    """Hold a loaded result against the one that was saved: all that it says, and all it has."""
    pd.testing.assert_frame_equal(loaded.summary(), result.summary(), check_exact=True)
    assert str(loaded) == str(result)
    assert loaded.warnings == result.warnings
    assert loaded.to_json() == result.to_json()
    assert loaded.provenance == result.provenance
    for category in result.categories:
        np.testing.assert_equal(vars(loaded.evidence(category)), vars(result.evidence(category)))
    assert loaded.prior == result.prior
    assert type(loaded.data) is type(result.data)
    assert loaded.data.systems == result.data.systems
    assert loaded.data.categories == result.data.categories
    np.testing.assert_equal(loaded.data.arrays(), result.data.arrays())
    for group in ("posterior", "prior", "sample_stats"):
        mine, theirs = getattr(loaded.draws, group), getattr(result.draws, group)
        assert set(mine) == set(theirs)
        for name, values in theirs.items():
            assert mine[name].dtype == values.dtype
            np.testing.assert_array_equal(mine[name], values)
    for name, node in result.tree.children.items():
        xr.testing.assert_equal(node.to_dataset(), loaded.tree[name].to_dataset())


def saved(result, tmp_path):
    return load(result.save(tmp_path / "result.nc"))


@pytest.mark.parametrize("measure", ["f1", "error", "dor"])
def test_a_paired_result_comes_back(tmp_path, measure):
    result = compare_counts(
        POS, NEG, engine="exact", average="macro", measure=measure, prior=Prior.jeffreys(), **FEW
    )
    again = saved(result, tmp_path)
    same(again, result)
    same(again.judge(measure="mcc"), result.judge(measure="mcc"))


def test_an_unpaired_result_comes_back(tmp_path):
    result = compare_counts(
        a=[30, 4, 1, 50],
        b=[20, 9, 3, 70],
        engine="exact",
        prior=(Prior(beta=(1, 2)), Prior(mass=2.0, kappa=(1, 2))),
        rope=(-0.01, 0.03),
        hdi_prob=0.9,
        names=("x", "y"),
        **FEW,
    )
    again = saved(result, tmp_path)
    same(again, result)
    assert (again.rope, again.hdi_prob, again.names) == ((-0.01, 0.03), 0.9, ("x", "y"))


def test_pairs_stay_pairs_whatever_the_model(tmp_path):
    result = compare_counts(POS, NEG, model="unpaired", engine="exact", **FEW)
    again = saved(result, tmp_path)
    assert again.data.pos.tolist() == POS
    same(again, result)


@pytest.fixture
def labels():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 200)
    return [
        truth,
        *(np.where(rng.random(200) < p, truth, rng.integers(0, 3, 200)) for p in (0.8, 0.5)),
    ]


def test_a_joint_result_comes_back(labels, tmp_path):
    result = compare(*labels, average="macro", draws=300, seed=1)
    assert (result.model.name, result.engine) == ("joint", "exact")
    again = saved(result, tmp_path)
    same(again, result)
    same(again, compare(*labels, model="joint", draws=300, seed=1))
    for asked in ({"measure": "recall"}, {"average": "micro"}):
        same(again.judge(**asked), result.judge(**asked))


@pytest.mark.parametrize("settings", [
    {"beta": float("inf"), "zero_division": 1},
    {"measure": "precision", "prevalence": 0.01},
])  # fmt: skip
def test_the_settings_of_the_measure_come_back(tmp_path, settings):
    result = compare_counts(POS, NEG, engine="exact", **settings, **FEW)
    again = saved(result, tmp_path)
    same(again, result)
    assert again.measure == result.measure


def test_what_is_nan_comes_back(tmp_path):
    result = compare_counts(POS, NEG, engine="exact", zero_division=float("nan"), **FEW)
    assert np.isnan(saved(result, tmp_path).measure.zero_division)


LAYOUT_OF = {"folds": {"folds": 9}, "folds_datasets": {"dataset": np.arange(9) // 3}}


@pytest.mark.stan
@pytest.mark.filterwarnings("ignore::stanoff.SamplingWarning")
@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.inputs])
def test_every_model_of_stan_comes_back(name, labels, tmp_path):
    few = {"draws": 60, "chains": 2, "warmup": 100, "seed": 1, "engine": "stan"}
    other = {"measure": "recall"}
    if MODELS[name].accepts is ConfusionCounts:
        result = compare(*labels, model=name, **few)
    elif name == "seeds":
        keys = pd.MultiIndex.from_product(
            [range(9), ["a", "b"], range(3)], names=["i", "s", "copy"]
        )
        table = keys.to_frame(index=False)
        table["y"] = np.random.default_rng(1).normal(size=len(table))
        columns = {"item": "i", "system": "s", "trained": "copy", "value": "y", "a": "a", "b": "b"}
        result, other = compare(table, measure="mean", **columns, **few), {"rope": 0.3}
    elif MODELS[name].accepts.kind == "values":  # of values per item
        right = np.random.default_rng(1).integers(0, 2, (2, 9))
        extra = LAYOUT_OF.get(name, {})
        result, other = compare(*right, measure="mean", model=name, **extra, **few), {"rope": 0.3}
    elif name == "binormal":
        truth = np.repeat([1, 0], 9)
        scores = np.random.default_rng(1).normal(size=(2, 18)) + truth
        result, other = compare(truth, *scores, measure="auc", model=name, **few), {"rope": 0.2}
    else:
        result = compare_counts(POS, NEG, model=name, average="macro", **few)
    assert result.sampler_warnings
    dims = {dim for node in result.tree.children.values() for dim in node.dims}
    assert not [dim for dim in dims if "_dim_" in str(dim)]  # which ArviZ gives to what has no name
    again = saved(result, tmp_path)
    same(again, result)
    same(again.judge(**other), result.judge(**other))
    assert set(again.provenance.versions) == {
        "stanoff", "python", "numpy", "arviz", "cmdstan", "cmdstanpy",
    }  # fmt: skip
    assert len(again.provenance.program) == 64
    assert again.provenance.sources[0][0] == f"{name}.stan"
    assert again.provenance.settings == {"chains": 2, "draws": 60, "warmup": 100}


@pytest.mark.stan
@pytest.mark.filterwarnings("ignore::stanoff.SamplingWarning")
def test_a_program_of_ones_own_comes_back_when_its_file_is_gone(tmp_path):
    program = tmp_path / "mine.stan"
    program.write_text(WHOLE)
    result = compare_counts(
        a=POS, b=NEG, model=program, measure="recall", draws=100, chains=2, warmup=100, seed=1
    )
    program.unlink()
    again = saved(result, tmp_path)
    same(again, result)
    same(again.judge(measure="f1"), result.judge(measure="f1"))
    assert again.provenance.sources == (("mine.stan", WHOLE),)
    with pytest.raises(InputError, match="There is no file"):
        again.sensitivity(category="0")


# A program that tells nothing but a difference.
BARE = """
data {
  int<lower=1> K;
  array[K, 4] int<lower=0> c_A;
  array[K, 4] int<lower=0> c_B;
}
parameters {
  vector<lower=0, upper=1>[K] a;
  vector<lower=0, upper=1>[K] b;
}
model {
  for (k in 1:K) {
    c_A[k, 1] ~ binomial(sum(c_A[k]), a[k]);
    c_B[k, 1] ~ binomial(sum(c_B[k]), b[k]);
  }
}
generated quantities {
  vector[K] delta = a - b;
}
"""


def without_cells(result, again):
    same(again, result)
    same(again.judge(rope=0.2, hdi_prob=0.5), result.judge(rope=0.2, hdi_prob=0.5))
    assert again.prior_scores is None
    for asked in ({"measure": "recall"}, {"average": "macro"}):
        for one in (result, again):
            with pytest.raises(InputError, match="does not generate cells_A and cells_B"):
                one.judge(**asked)


@pytest.mark.stan
@pytest.mark.filterwarnings("ignore::stanoff.SamplingWarning")
def test_a_program_without_cells_comes_back(tmp_path):
    program = tmp_path / "bare.stan"
    program.write_text(BARE)
    result = compare_counts(a=POS, b=NEG, model=program, draws=100, chains=2, warmup=100, seed=1)
    again = saved(result, tmp_path)
    without_cells(result, again)
    assert result.measure.label == again.measure.label == "the score of bare"
    assert np.isnan(again.summary()[["psi_A", "psi_B"]].to_numpy()).all()
    assert set(again.draws.posterior) == {"a", "b", "delta"}


def test_a_program_with_scores_but_without_cells_comes_back(tmp_path):
    inputs = {name: {"type": "int", "dimensions": 2} for name in ("c_A", "c_B")}
    outputs = {name: {"type": "real", "dimensions": 1} for name in ("psi_A", "psi_B", "delta")}
    model = CustomModel(Program(tmp_path / "bare.stan", inputs, outputs, (), ()))
    psi = np.random.default_rng(1).beta(8, 2, (2, 100, 2, 2))
    drawn = Draws(
        {"psi": psi, "delta": psi[:, :, 0] - psi[:, :, 1]}, {}, {"lp": np.zeros((2, 100))}
    )
    counts = compare_counts(a=POS, b=NEG, engine="exact", **FEW).data
    fit = Fit(counts, model, Prior.uniform(), "stan", 1, drawn)
    result = Comparison.from_fit(fit, "A", "B", Question.read())
    again = saved(result, tmp_path)
    without_cells(result, again)
    np.testing.assert_array_equal(again.scores.psi, psi)
    assert set(again.draws.posterior) == {"psi_A", "psi_B", "delta"}


@pytest.mark.parametrize("name", ["psi", "delta"])
def test_a_program_without_cells_can_be_asked_the_other_way_round(name, tmp_path):
    inputs = {name: {"type": "int", "dimensions": 2} for name in ("c_A", "c_B")}
    model = CustomModel(Program(tmp_path / "bare.stan", inputs, {}, (), ()))
    psi = np.random.default_rng(1).beta(8, 2, (2, 100, 2, 2))
    drawn = {"psi": psi, "delta": psi[:, :, 0] - psi[:, :, 1]}
    counts = compare_counts(a=POS, b=NEG, engine="exact", **FEW).data
    fit = Fit(counts, model, Prior.uniform(), "stan", 1, Draws({name: drawn[name]}, {}, {}))
    result = Comparison.from_fit(fit, "B", "A", Question.read())
    np.testing.assert_array_equal(result.scores.delta, -drawn["delta"])
    again = saved(result, tmp_path)
    same(again, result)
    turned = {"psi": psi[:, :, ::-1], "delta": -drawn["delta"]}
    np.testing.assert_array_equal(again.fit.draws.posterior[name], turned[name])
    back = Comparison.from_fit(again.fit, "A", "B", again.question)
    first = Comparison.from_fit(fit, "A", "B", result.question)
    pd.testing.assert_frame_equal(back.summary(), first.summary(), check_exact=True)
    assert str(back) == str(first)


@pytest.fixture
def cost():
    @measures.register("cost", formula="5 fn + fp", higher_is_better=False)
    def cost(tp, fp, fn, tn):
        return (5 * fn + fp) / (tp + fn)

    yield "cost"
    measures.MEASURES.pop("cost", None)


def test_a_measure_of_ones_own_comes_back(cost, tmp_path):
    pos = [*POS, [0, 0, 0, 0]]
    result = compare_counts(
        pos, [*NEG, [0, 0, 0, 50]], measure=cost, engine="exact", average="macro", **FEW
    )
    assert any("is 0/0 in category 2" in warning for warning in result.warnings)
    path = result.save(tmp_path / "result.nc")
    same(load(path), result)
    same(load(path).judge(measure=cost), result)
    told, numbers = result.to_json(), result.summary()
    del measures.MEASURES[cost]
    again = load(path)  # where nobody has registered it
    assert again.to_json() == told
    pd.testing.assert_frame_equal(again.summary(), numbers, check_exact=True)
    same(again.judge(measure="f1"), result.judge(measure="f1"))
    with pytest.raises(InputError, match="'cost' is not registered here: register the measure to"):
        again.measure([1, 2, 3, 4])
    with pytest.raises(InputError, match="'measure' parameter must be one of"):
        again.judge(measure=cost)

    @measures.register("cost", higher_is_better=False)
    def other(tp, fp, fn, tn):
        return fp

    assert load(path).to_json() == told  # another one of that name changes nothing


def test_a_measure_of_ones_own_at_another_prevalence(cost, tmp_path):
    result = compare_counts(POS, NEG, measure=cost, prevalence=0.3, engine="exact", **FEW)
    path = result.save(tmp_path / "result.nc")
    told = result.to_json()
    del measures.MEASURES[cost]
    assert load(path).to_json() == told


def test_any_name_survives(tmp_path):
    names = [
        '"\\ <b> & %',
        "שלום\u202e",
        "😀👩‍👩‍👧",
        "a\0b",
        "",
        "\n",
        "é",
        "e\u0301",
        "x" * 70_000,
    ]
    result = compare_counts(
        POS[:1] * len(names),
        NEG[:1] * len(names),
        engine="exact",
        categories=names,
        names=("😀", "שלום"),
        **FEW,
    )
    again = saved(result, tmp_path)
    assert again.data.categories == tuple(names)
    assert again.names == ("😀", "שלום")
    assert again.to_json() == result.to_json()


def test_the_same_result_gives_the_same_bytes(stored, tmp_path):
    first = stored.save(tmp_path / "1.nc").read_bytes()
    assert stored.save(tmp_path / "2.nc").read_bytes() == first
    assert load(tmp_path / "1.nc").save(tmp_path / "3.nc").read_bytes() == first
    fitted = [
        compare_counts(POS, NEG, engine="exact", **FEW).save(tmp_path / name).read_bytes()
        for name in ("4.nc", "5.nc")
    ]
    assert fitted[0] == fitted[1]


def test_a_saved_contest_has_the_difference_of_every_pair(tmp_path):
    rng = np.random.default_rng(2)
    truth, said = rng.integers(0, 2, 90), dict(zip("abc", rng.integers(0, 2, (3, 90)), strict=True))
    result = stanoff.contest(truth, said, average="macro", **FEW)
    path = result.save(tmp_path / "contest.nc")
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        for group in ("posterior", "prior"):
            delta, psi = tree[group]["delta"], tree[group]["psi"]
            assert delta.dims == ("chain", "draw", "pair", "row")
            difference = psi.sel(system="a") - psi.sel(system="c")
            np.testing.assert_array_equal(delta.sel(pair="a - c"), difference)
    assert load(path).to_json() == result.to_json()


def test_stored_draws_come_back(stored, tmp_path):
    same(saved(stored, tmp_path), stored)


def test_arviz_reads_it(stored, tmp_path):
    path = stored.save(tmp_path / "result.nc")
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        assert set(tree.children) >= {"posterior", "prior", "sample_stats", "observed_data"}
        table = arviz_stats.summary(tree, var_names=["delta"], round_to="none")
        assert table["mean"].iloc[0] == pytest.approx(stored.evidence().mean, abs=1e-12)
        assert tree.attrs["name_A"] == "svm"


@pytest.mark.filterwarnings("ignore:Estimated shape parameter")
def test_a_saved_tree_is_whole(tmp_path):
    result = compare_counts(POS, NEG, engine="exact", seed=1, draws=400, prior=Prior(beta=2))
    path = result.save(tmp_path / "whole.nc", log_likelihood=True)
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        assert set(result.tree.children) <= set(tree.children)
        for name in ("log_likelihood", "log_prior", "prior_predictive", "constant_data"):
            xr.testing.assert_equal(tree[name].to_dataset(), result.tree[name].to_dataset())
        assert arviz_stats.loo(tree).elpd == pytest.approx(result.loo().elpd)
        sense = arviz_stats.psense_summary(tree, var_names=["delta"])
        assert np.isfinite(sense[["prior", "likelihood"]].to_numpy(dtype=float)).all()
        assert tree.attrs["inference_library"] == "stanoff"
        assert tree.attrs["rope"].tolist() == list(result.rope)
    same(load(path), result)


def test_it_is_compressed(tmp_path):
    result = compare_counts(POS, NEG, engine="exact", seed=1, draws=5000)
    path = result.save(tmp_path / "x.nc")
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        plain = sum(node.to_dataset().nbytes for node in tree.children.values())
    assert path.stat().st_size < 0.95 * plain


@pytest.fixture
def file(tmp_path):
    result = compare_counts(POS[0], NEG[0], engine="exact", seed=1, draws=50)
    return result.save(tmp_path / "result.nc")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of h5netcdf
def test_a_flipped_bit_is_one_sentence_or_harmless(file):
    content = file.read_bytes()
    told = str(load(file))
    rng = np.random.default_rng(1)
    for index in sorted({0, 8, *rng.integers(0, len(content), 60).tolist()}):
        broken = bytearray(content)
        broken[index] ^= 1 << int(rng.integers(8))
        file.write_bytes(broken)
        with contextlib.suppress(StanoffError):
            assert len(str(load(file))) == len(told)


def test_damaged_draws_are_noticed(tmp_path):
    result = compare_counts(POS[0], NEG[0], engine="exact", seed=1, draws=5000)
    file = result.save(tmp_path / "result.nc")
    content = bytearray(file.read_bytes())
    for index in range(len(content) // 4, len(content) // 2, 1000):
        content[index] ^= 1
    file.write_bytes(content)
    with pytest.raises(StanoffError, match=r"result\.nc is damaged, or not a result of this"):
        load(file)


def test_a_file_that_is_cut_short(file):
    content = file.read_bytes()
    for size in (0, 1, 8, 100, len(content) // 2, len(content) - 1):
        file.write_bytes(content[:size])
        with pytest.raises(StanoffError, match=r"result\.nc is (damaged|not a result)"):
            load(file)


def test_files_of_others(stored, tmp_path):
    text = tmp_path / "text.nc"
    text.write_text("category,mean\n8,0.1\n")
    with pytest.raises(StanoffError, match=r"text\.nc is not a result of stanoff"):
        load(text)
    stored.tree.to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    with pytest.raises(StanoffError, match="or not a result of this version of stanoff"):
        load(tmp_path / "other.nc")
    with pytest.raises(StanoffError, match=r"none\.nc cannot be read: No such file"):
        load(tmp_path / "none.nc")
    with pytest.raises(StanoffError, match="cannot be read: Is a directory"):
        load(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_a_fifo_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(StanoffError, match="cannot be read: it is no regular file"):
        load(tmp_path / "fifo")


def test_a_newer_format_is_told(stored, tmp_path, monkeypatch):
    monkeypatch.setattr(netcdf, "FORMAT", netcdf.FORMAT + 1)
    file = stored.save(tmp_path / "result.nc")
    monkeypatch.undo()
    with pytest.raises(StanoffError, match=f"it has format {netcdf.FORMAT + 1}, and"):
        load(file)


def test_a_model_that_is_not_known_here(stored, tmp_path):
    model = copy(stored.model)
    model.name = "unheard_of"
    odd = replace(stored, fit=replace(stored.fit, model=model))
    with pytest.raises(StanoffError, match="its model 'unheard_of' is not known here"):
        saved(odd, tmp_path)


def test_a_wrong_disk_leaves_the_old_result(file, stored, monkeypatch):
    old = file.read_bytes()
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(StanoffError, match=r"result\.nc cannot be written: full"):
        stored.save(file)
    assert file.read_bytes() == old
    assert [path.name for path in file.parent.iterdir()] == ["result.nc"]


def test_another_process_says_the_same(stored, tmp_path):
    path = stored.save(tmp_path / "result.nc")
    code = f"import stanoff; print(stanoff.load({str(path)!r}).to_json(), end='')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == stored.to_json()


def test_provenance_tells_the_versions():
    result = compare_counts(POS, NEG, engine="exact", **FEW)
    assert result.provenance.versions["stanoff"] == stanoff.__version__
    assert result.provenance.versions["numpy"] == np.__version__
    assert result.provenance.program is None
