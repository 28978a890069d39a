"""What a Stan user steers, is told in Stan's own words, and takes along to cmdstanpy."""

import gc
import json
import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from stanoff import InputError, SamplingWarning, StanoffError, compare_counts, load
from stanoff.cli import main
from stanoff.engines.toolchain import program_info
from stanoff.workbench import cmdstan_model

COUNTS = [30, 4, 1, 5], [1, 1, 1, 90]
BROKEN = Path(__file__).parents[1] / "stored/broken.stan"
PREDICTIONS = str(Path(__file__).parents[2] / "reports/zhang2016/predictions.csv")


def quick(**options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        return compare_counts(*COUNTS, engine="stan", **{"seed": 1, "draws": 50} | options)


@pytest.mark.stan
@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (1, r"broken.stan stopped: .*which I do not like \(in 'broken.stan', line 15"),
        (2, r"stopped in its generated quantities: .*which I cannot use \(in 'broken.stan', li"),
        (4, r"broken.stan generates a delta that is not a number: NaN in 100 of 100 draws\.$"),
        (5, r"variable name=x.* dims declared=\(4\); dims found=\(3\) \(in 'broken.stan', line 7"),
    ],
)
def test_stans_own_words_reach_the_user(trouble, words):
    data = {"trouble": trouble, "N_own": 4 if trouble == 5 else 3, "x": [1.0, 2.0, 3.0]}
    with pytest.raises(StanoffError, match=words) as caught:
        quick(model=BROKEN, data=data, chains=2)
    assert "\n" not in str(caught.value)


@pytest.mark.stan
def test_a_parameter_without_a_prior_is_noticed():
    """It has nothing to do with delta."""
    data = {"trouble": 3, "N_own": 0, "x": []}
    with pytest.warns(SamplingWarning, match=r"R-hat of y\[\d\] is .* reparametrise the program"):
        compare_counts(*COUNTS, model=BROKEN, data=data, seed=1, draws=200, chains=2)


@pytest.mark.stan
def test_syntax_of_a_newer_stan_is_told_with_the_version(tmp_path):
    program = tmp_path / "newer.stan"
    program.write_text("parameters { sum_to_zero_vector[3] x; } model { x ~ normal(0, 1); }")
    with pytest.raises(InputError, match=r"is not a Stan program of CmdStan 2\.\d+\. Its stanc"):
        program_info(program)


@pytest.mark.stan
def test_sampler_options_are_passed_on_and_saved(tmp_path):
    options = {"adapt_delta": 0.99, "max_treedepth": 4, "thin": 2}
    result = quick(sampler_options=options, output_dir=tmp_path / "csv")
    assert result.provenance.settings["sampler_options"] == options
    assert result.provenance.settings["output_dir"] == str(tmp_path / "csv")
    [fit] = result.cmdstan_fits
    assert fit.metadata.cmdstan_config["delta"] == 0.99
    assert result.fit.draws.shape == (4, 25)
    assert len(list((tmp_path / "csv").glob("paired-*.csv"))) == 4
    result.save(tmp_path / "result.nc")
    again = load(tmp_path / "result.nc")
    assert again.provenance.settings["sampler_options"] == options
    assert again.cmdstan_fits == ()
    assert again.stan_data["c_pos"].tolist() == [COUNTS[0]]


@pytest.mark.stan
def test_a_saved_warmup_is_not_taken_for_draws():
    with_warmup, plain = quick(sampler_options={"save_warmup": True}), quick()
    np.testing.assert_array_equal(
        with_warmup.draws.posterior["delta"], plain.draws.posterior["delta"]
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"adapt_delt": 0.9}, "options of CmdStanModel.sample: .*adapt_delta.*Got 'adapt_delt'"),
        ({"iter_sampling": 9}, "without 'iter_sampling', which stanoff sets by draws="),
        ({"sig_figs": 9}, "without 'sig_figs', which stanoff sets"),
        ({"adapt_delta": 2}, "adapt_delta"),
    ],
)
@pytest.mark.stan
def test_options_that_cannot_be_passed_on(options, words):
    with pytest.raises(StanoffError, match=words):
        quick(sampler_options=options)
    with pytest.raises(InputError, match="None where 'engine' is exact"):
        compare_counts(*COUNTS, engine="exact", sampler_options=options)


@pytest.mark.stan
def test_the_way_out_to_cmdstanpy():
    result = quick()
    model = cmdstan_model("paired")
    fit = model.sample(data=result.stan_data, seed=1, iter_sampling=10, show_progress=False)
    assert fit.stan_variable("delta").shape == (40, 1)
    assert "c_pos" in model.src_info()["inputs"]
    with pytest.raises(InputError, match="one with a Stan program"):
        cmdstan_model("bootstrap")


@pytest.mark.stan
def test_csv_files_go_with_the_fit(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    results = [quick(seed=seed) for seed in range(5)]
    folders = {Path(result.cmdstan_fits[0].runset.csv_files[0]).parent for result in results}
    assert len(folders) == 5
    assert all(folder.is_relative_to(tmp_path) for folder in folders)
    del results
    gc.collect()
    assert not any(folder.exists() for folder in folders)
    told = capfd.readouterr()
    assert "cmdstanpy" not in told.out + told.err
    assert os.environ.get("CMDSTAN") != ""


def test_the_data_block_is_printed():
    columns = ["--truth", "truth", "--a", "nb_mult", "--b", "svm_l2", "--pos-label", "8"]
    ran = CliRunner().invoke(main, ["models", "data", PREDICTIONS, *columns, "--model", "paired"])
    assert ran.exit_code == 0, ran.output
    data = json.loads(ran.output)
    assert data["K"] == 1
    assert sum(data["c_pos"][0]) + sum(data["c_neg"][0]) > 1000
