import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from pandas.testing import assert_frame_equal
from scipy import stats

from stanoff import InputError, Prior, Scenario, compare_counts, measures, power
from stanoff.cli import main
from stanoff.planning.power import power_cells
from stanoff.planning.simulate import (
    Analysis,
    Chunk,
    DataGenerator,
    count_decisions,
    draw_documents,
    run_parallel,
    standard_error,
)
from stanoff.question import Question, Sampling
from stanoff.text.render import FORMATS, render

STUDIES = Path(__file__).parents[2] / "reports/validation"
RATES = ["<<", "<", "=", ">", ">>"]
SMALL = {"n_simulations": 60, "draws": 400, "seed": 1}
RARE = Scenario.from_rates(0.1, rho_pos=(0.8, 0.7), rho_neg=(0.02, 0.03), correlation=0.3)


def documents(scenario, n):
    return DataGenerator(partial(draw_documents, scenario, n, True))


def chunk(generator, size=200, model="paired", measure="f1", draws=4000, engine="exact"):
    sampling = Sampling.read(model=model, draws=draws, engine=engine)
    analysis = Analysis(Question.read(measure=measure), sampling)
    return Chunk(generator, size, (analysis,), np.random.SeedSequence(7))


@pytest.mark.parametrize("model", ["paired", "unpaired"])
@pytest.mark.parametrize(
    ("scenario", "measure"), [("a", "f1"), ("b", "precision"), (RARE, "f1"), (RARE, "error")]
)
def test_verdicts_are_those_of_comparing_every_data_set_by_itself(model, scenario, measure):
    known = Scenario.named(scenario) if isinstance(scenario, str) else scenario
    part = chunk(documents(known, 800), 25, model, measure=measure, draws=10_000)
    counts, [ends] = part.simulate()
    said = part.analyses[0].decide(*ends)
    options = {"engine": "exact", "model": model, "measure": measure, "seed": 3, "draws": 10_000}
    alone = [
        compare_counts(pos, neg, **options) for pos, neg in zip(counts.pos, counts.neg, strict=True)
    ]
    hdis = np.array([result.evidence().hdi for result in alone])
    np.testing.assert_allclose(np.stack(ends, axis=1), hdis, atol=0.012)
    assert np.mean([str(r.decision) == s for r, s in zip(alone, said, strict=True)]) >= 0.9


@pytest.mark.parametrize("model", ["paired", "unpaired"])
def test_hdis_cover_the_truth_as_often_as_they_say(model):
    scenario = Scenario.named("a")
    low, high = chunk(documents(scenario, 1000), 2000, model, draws=2000).simulate()[1][0]
    covered = np.mean((low <= scenario.delta()) & (scenario.delta() <= high))
    error = np.sqrt(0.95 * 0.05 / 2000)
    # The unpaired model cannot see that both share their positives: it is a little too careful.
    assert 0.95 - 4 * error < covered < 0.95 + (4 if model == "paired" else 9) * error


def test_power_of_accuracy_is_what_the_normal_approximation_says():
    scenario, n, rope = RARE, 8_000, 0.01
    d = scenario.delta("accuracy")
    theta_pos, theta_neg = np.array(scenario.theta_pos), np.array(scenario.theta_neg)
    disagree = scenario.mu * theta_pos[1:3].sum() + (1 - scenario.mu) * theta_neg[1:3].sum()
    error = np.sqrt((disagree - d**2) / n)
    expected = stats.norm.cdf((d - rope) / error - 1.96)
    assert 0.2 < expected < 0.98  # else there is nothing to see
    table = power(
        scenario, n, model="paired", measure="accuracy", rope=rope, goal=">>", draws=2000, seed=1
    )
    assert table.power[0] == pytest.approx(expected, abs=4 * table.se[0])


def test_the_table_of_the_paper_in_short():
    printed = pd.read_csv(STUDIES / "table3.csv").set_index(["scenario", "model", "n"])["printed"]
    ours = power(["a", "b"], [1000, 3000], n_simulations=500, draws=2000, seed=1)
    ours = ours.set_index(["scenario", "model", "n"])["power"]
    assert len(ours) == 8
    assert (ours - printed.loc[ours.index]).abs().max() < 0.1


def test_the_kept_table_is_as_near_to_the_paper_as_its_simulation_error():
    table = pd.read_csv(STUDIES / "table3.csv")
    assert len(table) == 28
    assert (table.n_simulations == 5000).all()
    away = (table.power - table.printed).abs()
    assert away.max() < 0.08
    assert away.mean() < 0.03


def test_the_standard_error_is_honest_although_data_sets_share_draws():
    # Few documents: every count is shared by many of the 500 data sets.
    first = chunk(documents(Scenario.named("a"), 30), 500, draws=400)
    counts = [
        count_decisions(replace(first, seed=np.random.SeedSequence(5, spawn_key=(i,))))
        for i in range(60)
    ]
    reached = [decisions[0, RATES.index(">")] for decisions in counts]
    expected = standard_error(round(np.mean(reached)), 500) * 500
    assert 0.75 < np.std(reached, ddof=1) / expected < 1.35


def test_a_row_tells_the_rates_of_all_decisions():
    table = power(["a", RARE], [200, 50], goal=["=", ">>"], **SMALL)
    assert list(table.columns) == [
        *("scenario", "model", "n", "goal", "power", "se"),
        *RATES,
        "n_simulations",
    ]
    np.testing.assert_allclose(table[RATES].sum(axis=1), 1)
    np.testing.assert_allclose(table["power"], table["="] + table[">>"])
    assert table["goal"].unique().tolist() == ["= or >>"]
    assert table[["scenario", "model", "n"]].values.tolist() == [
        [scenario, model, n]
        for scenario in ("a", "2")
        for model in ("paired", "unpaired")
        for n in (200, 50)
    ]
    assert (table.se > 0).all()


def test_the_goal_is_what_is_true_unless_told():
    assert power(["a", "b"], 50, model="paired", **SMALL)["goal"].tolist() == [">>", "="]
    worse = Scenario(0.5, (0.3, 0.2, 0.3, 0.2), (0.2, 0.3, 0.2, 0.3))
    assert power(worse, 50, model="paired", **SMALL)["goal"].tolist() == ["<<"]
    with pytest.raises(InputError, match=r"\+0, an edge of the ROPE.* pass a goal"):
        power("b", 50, rope=0, **SMALL)


def test_where_lower_is_better_the_decisions_keep_their_meaning():
    settled = {"model": "paired", "goal": ">>", **SMALL}
    accuracy = power(RARE, 2000, measure="accuracy", rope=0.002, **settled)
    error = power(RARE, 2000, measure="error", rope=0.002, **settled)
    np.testing.assert_allclose(error[RATES], accuracy[RATES], atol=0.05)
    assert error.power[0] > 0.3


def test_without_a_rope_nothing_is_equivalent():
    table = power("b", 500, rope=0, goal="settled", **SMALL)
    assert (table["="] == 0).all()


@pytest.mark.parametrize("n", [1, 2])
def test_one_document_settles_nothing(n):
    table = power("a", n, goal="settled", **SMALL)
    assert (table.power == 0).all()


def test_an_almost_empty_class_is_no_trouble():
    rare = Scenario(1e-6, (0.4, 0.3, 0.2, 0.1), (0.1, 0.2, 0.3, 0.4))
    table = power(rare, [10, 1000], goal="settled", **SMALL)
    np.testing.assert_allclose(table[RATES].sum(axis=1), 1)


def test_two_test_sets_have_less_power_than_one_judged_in_pairs():
    alike = Scenario.from_rates(0.5, rho_pos=(0.8, 0.8), rho_neg=(0.2, 0.2), correlation=0.8)
    options = {"n_simulations": 300, "draws": 1000, "seed": 1}
    pairs = power(alike, 500, model="paired", **options)
    apart = power(alike, 500, model="unpaired", same_documents=False, **options)
    assert pairs.power[0] > apart.power[0] + 0.3
    with pytest.raises(InputError, match="paired model needs both classifiers on the same"):
        power(alike, 500, model="paired", same_documents=False, **options)


def test_a_strong_prior_moves_the_verdict():
    for_a, for_b = Prior(alpha_pos=[200, 1], alpha_neg=[1, 200]), Prior()
    plain = power("b", 100, model="unpaired", goal=">>", **SMALL)
    moved = power("b", 100, model="unpaired", goal=">>", prior=(for_a, for_b), **SMALL)
    assert plain.power[0] < 0.2 < 0.9 < moved.power[0]
    skewed = Prior(alpha_pos=[1, 200, 1, 1], alpha_neg=[1, 1, 200, 1])
    assert power("b", 100, model="paired", goal=">>", prior=skewed, **SMALL).power[0] > 0.9


def test_a_measure_of_ones_own_and_processes_that_do_not_know_it():
    @measures.register("cost", formula="5 fn + fp", higher_is_better=False, range=(0, 5))
    def cost(tp, fp, fn, tn):
        return 5 * fn + fp

    try:
        table = power(RARE, [1000, 1001], measure="cost", rope=0.001, goal=">>", jobs=2, **SMALL)
        assert (table.power > 0.2).all()
        spawn = multiprocessing.get_context("spawn")
        with (
            ProcessPoolExecutor(1, mp_context=spawn) as pool,
            pytest.raises(InputError, match="cannot be sent to another process"),
        ):
            power(RARE, 1000, measure="cost", rope=0.001, goal=">>", executor=pool, **SMALL)
    finally:
        del measures.MEASURES["cost"]


STUDY = {"scenario": ["a", "b"], "n": [100, 300], "n_simulations": 120, "draws": 1000, "seed": 1}


@pytest.fixture
def alone(monkeypatch):
    monkeypatch.setattr("stanoff.planning.simulate.NUMBERS_PER_CHUNK", 50_000)  # three chunks each
    return power(**STUDY, jobs=1)


def test_results_do_not_depend_on_the_number_of_threads(alone):
    assert_frame_equal(alone, power(**STUDY))
    assert_frame_equal(alone, power(**STUDY, jobs=5))


def test_results_do_not_depend_on_the_other_models(alone):
    paired = power(**STUDY, model="paired")
    assert_frame_equal(alone[alone.model == "paired"].reset_index(drop=True), pd.DataFrame(paired))


def test_processes_give_the_same(alone):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert_frame_equal(alone, power(**STUDY, executor=pool))


def test_a_dask_cluster_gives_the_same(alone):
    from distributed import Client, LocalCluster

    threads = {"processes": False, "n_workers": 2, "threads_per_worker": 1}
    with LocalCluster(**threads, dashboard_address=":0") as cluster, Client(cluster) as client:
        assert_frame_equal(alone, power(**STUDY, executor=client.get_executor()))


class Stopping(ThreadPoolExecutor):
    """Someone presses Ctrl-C after some tasks."""

    def __init__(self, after):
        super().__init__(1)
        self.after = after

    def submit(self, function, task):
        if self.after == 0:
            raise KeyboardInterrupt
        self.after -= 1
        future = super().submit(function, task)
        future.exception()  # done by the time of Ctrl-C
        return future


def test_what_is_done_is_kept_when_the_user_stops_it():
    with Stopping(after=3) as pool:
        table = power(["a", "b"], [50, 60], model="paired", executor=pool, **SMALL)
    assert table[["scenario", "n"]].values.tolist() == [["a", 50], ["a", 60], ["b", 50]]
    assert (table.n_simulations == 60).all()
    assert table.attrs["warnings"] == ["Interrupted: 3 of 4 parts of the study are done."]
    with Stopping(after=0) as pool, pytest.raises(KeyboardInterrupt):
        power("a", [50, 60], model="paired", executor=pool, **SMALL)


def test_stopping_work_in_this_thread_keeps_what_is_done():
    def work(task):
        if task == 2:
            raise KeyboardInterrupt
        return task * 10

    assert run_parallel(work, [0, 1, 2, 3], jobs=1)[:3] == [0, 10, None]


def test_an_error_in_a_worker_is_told():
    with pytest.raises(ZeroDivisionError):
        run_parallel(lambda task: 1 / task, [1, 0, 2], jobs=2)


@pytest.mark.stan
@pytest.mark.parametrize("model", ["paired", "unpaired"])
def test_stan_comes_to_the_same_intervals(model):
    generator = documents(Scenario.named("a"), 1500)
    exact, stan = (
        chunk(generator, 6, model, engine=engine).simulate()[1][0] for engine in ("exact", "stan")
    )
    assert not np.array_equal(exact, stan)
    np.testing.assert_allclose(exact, stan, atol=0.01)


@pytest.mark.stan
def test_a_model_that_is_not_conjugate_is_judged_by_stan():
    # With one category the prior of a hierarchical model is all that differs.
    options = {"n_simulations": 3, "draws": 1000, "seed": 1, "goal": "settled"}
    with pytest.raises(InputError, match="'engine' parameter must be 'stan' for hierarchical"):
        power("a", 4000, model="hierarchical", **options)
    table = power("a", 4000, model="hierarchical", engine="stan", **options)
    assert table.n_simulations[0] == 3
    assert table.power[0] > 0.5


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"goal": "equal"}, "'goal' parameter must be one of <<, <, =, >, >>, settled"),
        ({"goal": []}, "'goal'"),
        ({"goal": 3}, "'goal'"),
        ({"n": 0}, "'n' parameter must be a whole number from 1 to 1,000,000,000"),
        ({"n": [500, 500]}, "'n' parameter must be different numbers"),
        ({"n": 2.5}, "'n'"),
        ({"n": []}, "'n'"),
        ({"n": True}, "'n'"),
        ({"scenario": "c"}, "'scenario' parameter must be one of a, b"),
        ({"scenario": []}, "'scenario'"),
        ({"scenario": 0.5}, "'scenario' parameter must be a stanoff.Scenario"),
        ({"scenario": ["a", "a"]}, "Two scenarios are called 'a'"),
        ({"model": "joint"}, "'joint' is about classes"),
        ({"model": []}, "'model'"),
        ({"model": ["paired", "paired"]}, "'model'"),
        ({"model": "pared"}, "Did you mean 'paired'"),
        ({"measure": "f2"}, "'measure'"),
        ({"rope": -1}, "'rope'"),
        ({"hdi_prob": 95}, "'hdi_prob'"),
        ({"n_simulations": 0}, "'n_simulations'"),
        ({"n_simulations": 10**30}, "'n_simulations'"),
        ({"measure": []}, "'measure'"),
        ({"model": 3}, "'model'"),
        ({"datasets": 10}, r"power\(\) has no option 'datasets'"),
        ({"draws": 10}, "'draws'"),
        ({"engine": "pymc"}, "'engine'"),
        ({"seed": -1}, "'seed'"),
        ({"jobs": 0}, "'jobs'"),
        ({"executor": 2}, "'executor'"),
        ({"prior": 1}, "'prior'"),
        ({"prior": (Prior(), Prior())}, "'prior' parameter must be one Prior for both"),
        ({"same_documents": "no"}, "'same_documents'"),
    ],
)
def test_options_that_cannot_be_used_are_named(change, told):
    with pytest.raises(InputError, match=told):
        power(**{"scenario": "a", "n": 50, **SMALL} | change)


def test_undefined_scores_are_told():
    with pytest.raises(InputError, match="precision has no difference in some draws"):
        power(
            "a",
            1,
            measure="precision",
            zero_division=float("nan"),
            goal=">>",
            prior=Prior(mass=1e-3),
            **SMALL,
        )


def test_power_on_the_command_line():
    asked = "power 50 100 --scenario a --mu 0.1 --rho-pos 0.8 0.7 --rho-neg 0.02 0.03 "
    asked += (
        "--correlation 0.3 --goal >> --goal = --simulations 60 --draws 400 --seed 1 --format csv"
    )
    done = CliRunner().invoke(main, asked.split())
    assert done.exit_code == 0, done.output
    lines = [line.split(",") for line in done.stdout.splitlines()]
    own = Scenario.from_rates(
        0.1, rho_pos=(0.8, 0.7), rho_neg=(0.02, 0.03), correlation=0.3, name="own"
    )
    table = power(["a", own], [50, 100], goal=[">>", "="], **SMALL)
    assert [line[4] for line in lines[1:]] == [str(value) for value in table.power]


@pytest.mark.parametrize("style", FORMATS)
def test_power_is_written_in_every_format(style):
    asked = "power 50 --scenario b --simulations 20 --draws 100 --seed 1 --format"
    done = CliRunner().invoke(main, [*asked.split(), style])
    assert done.exit_code == 0, done.output
    assert "paired" in done.stdout
    table = power("b", 50, n_simulations=20, draws=100, seed=1)
    if style == "json":
        rows = json.loads(done.stdout)["results"]
        assert [row["power"] for row in rows] == table["power"].tolist()
        assert rows[0]["rates"] == table[["<<", "<", "=", ">", ">>"]].iloc[0].to_dict()
    elif style == "latex":
        assert r"\caption{How often goals are reached in F1, by simulation.}" in done.stdout
    else:
        assert done.stdout.startswith(render(power_cells(table), style, numbers=table))


def test_the_command_line_has_the_options_of_the_api():
    asked = "power 50 --scenario b --model unpaired --goal >> --prior jeffreys "
    asked += "--prior beta=2,alpha_pos=3:0.5 --zero-division 1 --rope -0.01,0.03 --hdi-prob 0.9 "
    asked += "--measure precision --simulations 60 --draws 400 --seed 1 --format json"
    done = CliRunner().invoke(main, asked.split())
    assert done.exit_code == 0, done.output
    table = power(
        "b",
        50,
        model="unpaired",
        goal=">>",
        prior=(Prior.jeffreys(), Prior(beta=2, alpha_pos=(3, 0.5))),
        zero_division=1,
        rope=(-0.01, 0.03),
        hdi_prob=0.9,
        measure="precision",
        **SMALL,
    )
    written = json.loads(done.stdout)
    assert [row["power"] for row in written["results"]] == table["power"].tolist()
    assert written["settings"]["rope"] == [-0.01, 0.03]
    assert table.attrs["rope"] == [-0.01, 0.03]


def test_two_test_sets_imply_the_unpaired_model():
    implied = power("a", 50, same_documents=False, **SMALL)
    assert implied.model.tolist() == ["unpaired"]
    assert_frame_equal(implied, power("a", 50, same_documents=False, model="unpaired", **SMALL))
    asked = (
        "power 50 --scenario a --two-test-sets --simulations 60 --draws 400 --seed 1 --format csv"
    )
    done = CliRunner().invoke(main, asked.split())
    assert done.stdout == f"{render(implied, 'csv')}\n"


def test_power_on_the_command_line_draws_figure_5(tmp_path):
    file = tmp_path / "power.svg"
    asked = f"power 50 100 --scenario a --simulations 20 --draws 100 --seed 1 --figure {file}"
    assert CliRunner().invoke(main, asked.split()).exit_code == 0
    assert file.read_bytes().startswith(b"<?xml")
    bad = CliRunner().invoke(main, asked.replace(".svg", ".gif").split())
    assert bad.exit_code == 1
    assert ".svg, .pdf or .png" in bad.stderr


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("power 50", "Pass a scenario: --scenario a"),
        ("power 50 --mu 0.5", "needs --rho-pos, --rho-neg as well"),
        ("power 50 --scenario a --goal equal", "Error: --goal must be one of <<, <, =, >, >>, "),
        ("power 0 --scenario a", "Error: N must be a whole number from 1"),
        ("power 50 --scenario c", "Error: --scenario must be one of a, b"),
        ("power 50 --scenario a --draws 10", "Error: --draws must be"),
        ("power 50 --scenario a --prior jefreys", "Error: --prior must be one of uniform, "),
        (
            "power 50 --mu 0.5 --rho-pos 0.8 0.7 --rho-neg 0.1 0.1 --correlation 1",
            "Error: --correlation must be from -0.3273 to 0.7638 where A and B say yes with "
            "probability 0.8 and 0.7 (--rho-pos).",
        ),
        (
            "power 50 --scenario a --two-test-sets --model paired",
            "pass --model unpaired for two test sets",
        ),
    ],
)
def test_mistakes_on_the_command_line_are_one_sentence(asked, told):
    done = CliRunner().invoke(main, asked.split())
    assert done.exit_code == 1
    assert told in done.stderr
