"""Claims of not being worse, or being better, by more than a margin."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

from stanoff import InputError, compare, compare_counts, contest, load
from stanoff.cli import main

COUNTS = [310, 25, 20, 43], [40, 30, 25, 7039]
EXACT = {"engine": "exact", "seed": 1}


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(3)
    base = rng.normal(0.6, 0.1, 200)
    return pd.DataFrame(
        {
            "cand": base + rng.normal(0.004, 0.03, 200),
            "base": base,
            "poor": base - rng.normal(0.05, 0.03, 200),
        }
    )


def test_it_is_the_end_of_the_hdi_that_counts(values):
    result = compare(values, a="cand", b="base", measure="mean", not_worse_by=0.01)
    d = values["cand"] - values["base"]
    t = stats.t(len(d) - 1, d.mean(), d.std() / np.sqrt(len(d)))
    assert result.claim.holds == (t.ppf(0.025) > -0.01)
    assert result.claim.probability == pytest.approx(t.sf(-0.01))
    assert "cand is not worse than base by more than 0.01 (P > 99.9%)." in str(result)
    assert result.decision == compare(values, a="cand", b="base", measure="mean").decision
    better = result.judge(rope=0.01)
    assert better.claim == result.claim  # the ROPE has no say in it
    assert compare(values, a="cand", b="base", measure="mean").claim is None


def test_the_sign_is_turned_for_losses(values):
    loss = {"measure": "mean", "higher_is_better": False}
    result = compare(values, a="poor", b="base", better_by=0.03, **loss)
    assert result.claim.holds  # lower by about 0.05
    assert not compare(values, a="base", b="poor", better_by=0.03, **loss).claim.holds
    worse = compare(values, a="base", b="poor", not_worse_by=0.03, **loss)
    assert not worse.claim.holds
    assert str(worse).count("It is not shown that base is not worse than poor by more than") == 1


def test_a_better_system_is_never_worse():
    for counts in (COUNTS, ([320, 60, 5, 13], [20, 5, 25, 7084])):
        result = compare_counts(*counts, not_worse_by=0.05, rope=0.02, **EXACT)
        assert result.claim.holds
        assert result.claim.probability == result.probability(lower=-0.05)


def test_shares_have_the_units_of_the_rope(values):
    result = compare(values, a="cand", b="base", measure="mean", not_worse_by="2%", rope="2%")
    assert result.claim.margin == result.rope[1]


@pytest.mark.parametrize("margin", [-0.01, "much", "2%", (0.1, 0.2), float("nan"), True])
def test_margins_are_checked(margin):
    with pytest.raises(InputError, match="not_worse_by"):
        compare_counts(*COUNTS, not_worse_by=margin, **EXACT)


def test_one_claim_at_a_time():
    with pytest.raises(InputError, match="better_by"):
        compare_counts(*COUNTS, not_worse_by=0.1, better_by=0.1, **EXACT)


def test_contests_claim_against_a_baseline(values):
    result = contest(values, measure="mean", not_worse_by=0.01, compare_to="base", seed=1)
    table = result.claim.set_index("candidate")
    assert table["holds"].to_dict() == {"cand": True, "poor": False}
    pair = compare(values, a="poor", b="base", measure="mean", not_worse_by=0.01).claim
    assert table.loc["poor", "probability"] == pytest.approx(pair.probability)
    assert set(contest(values, measure="mean", better_by=0.01, seed=1).claim["baseline"]) == {
        "cand"
    }
    with pytest.raises(InputError, match=r"compare_to"):
        _ = contest(values, measure="mean", better_by=0.1, compare_to="x", seed=1).claim


def test_a_baseline_without_a_claim_is_refused(values, tmp_path):
    with pytest.raises(InputError, match=r"compare_to.*without 'not_worse_by' or 'better_by'"):
        contest(values, measure="mean", compare_to="base", seed=1)
    file = tmp_path / "values.csv"
    values.to_csv(file, index=False)
    options = ["contest", str(file), "--measure", "mean", "--compare-to", "base"]
    ran = CliRunner().invoke(main, options)
    assert (ran.exit_code, ran.stderr) == (
        1,
        "Error: --compare-to must be left out without --not-worse-by or --better-by, the claim "
        "that is against it. Got 'base' instead.\n",
    )


def test_two_systems_have_no_baseline():
    result = compare_counts(*COUNTS, not_worse_by=0.1, **EXACT)
    with pytest.raises(InputError, match=r"compare_to.*two systems"):
        result.judge(compare_to="A")


def test_files_remember_the_claim(values, tmp_path):
    result = compare(values, a="cand", b="base", measure="mean", not_worse_by=0.01, seed=1)
    again = load(result.save(tmp_path / "r.nc"))
    assert again.claim == result.claim
    assert str(again) == str(result)


@pytest.fixture
def run(values, tmp_path, capsys):
    file = tmp_path / "v.csv"
    values.to_csv(file, index=False)

    def run(*arguments):
        code = 0
        try:
            main(
                [
                    "compare",
                    str(file),
                    "--a",
                    "cand",
                    "--b",
                    "base",
                    "--measure",
                    "mean",
                    *arguments,
                ]
            )
        except SystemExit as ended:
            code = ended.code
        return SimpleNamespace(code=code, **capsys.readouterr()._asdict())

    return run


def test_the_exit_code_says_whether_it_is_shown(run):
    assert run("--not-worse-by", "0.01").code in (0, None)
    assert run("--better-by", "0.01").code == 3
    assert run("--better-by", "1%").code == 3


def test_what_cannot_be_is_refused_before_the_fit(run):
    ran = run("--not-worse-by", "0.01", "--fail-unless", "=")
    assert ran.code == 1
    assert "--fail-unless" in ran.err
    assert "--fail-unless must be made of" in run("--fail-unless", "best").err


def test_the_loss_of_choosing_wrongly(values):
    e = compare(values, a="cand", b="base", measure="mean").evidence()
    d = values["cand"] - values["base"]
    t = stats.t(len(d) - 1, d.mean(), d.std() / np.sqrt(len(d)))
    assert e.regret_B == pytest.approx(t.expect(lambda x: x, lb=0), rel=1e-6)
    assert e.regret_A == pytest.approx(-t.expect(lambda x: x, ub=0), rel=1e-4)
    drawn = compare_counts(*COUNTS, **EXACT)
    delta = drawn.scores.delta.ravel()
    assert drawn.evidence().regret_A == pytest.approx(np.maximum(-delta, 0).mean())
