"""Plans of contests: how many more items settle who leads, against futures drawn by hand."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

from stanoff import InputError, compare, contest
from stanoff.cli import main

ROPE = 0.005


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(4)
    shared = rng.normal(0.6, 0.2, 300)
    return pd.DataFrame({f"s{i}": shared + rng.normal(0.015 * i, 0.2, 300) for i in range(5)})


def test_as_many_items_as_futures_by_hand_need(values):
    """Truths as the ranks take them, whole new items, and the t-intervals of SciPy."""
    result = contest(values, measure="mean", rope=ROPE, seed=1)
    plan = result.plan(goal=">>", assurance=0.4)
    more, old = int(plan.answer.value), values.to_numpy()
    assert 1000 < more < 3000
    rng, truths, futures = np.random.default_rng(5), result.ranked_scores(), 1000
    root, reached = np.linalg.cholesky(values.cov()), 0
    for true in truths[rng.integers(len(truths), size=futures)]:
        y = np.concatenate([old, true + rng.standard_normal((more, 5)) @ root.T])
        leader = y.mean(axis=0).argmax()
        d = np.delete(y[:, [leader]] - y, leader, axis=1)
        half_width = stats.t(len(d) - 1).ppf(0.975) * stats.sem(d)
        reached += (d.mean(axis=0) - half_width >= ROPE).all()
    assert reached / futures == pytest.approx(0.4, abs=4 * np.sqrt(0.24 / futures))
    assert str(plan).startswith("s4 > all others in mean over new items (300 items, 5 systems)")
    assert "a 40 % chance of one system ≫ all others" in str(plan)
    assert plan.plot().get_xlabel() == "more items"


def test_what_is_settled_needs_no_more_and_what_cannot_be_is_said(values):
    far = contest(values + np.arange(5), measure="mean", rope=ROPE, seed=1)
    assert far.plan().answer.value == 0
    alike = contest(values, measure="mean", rope=0.5, seed=1)
    assert alike.plan().answer.value == 0  # all are equivalent
    assert "No number of items" in str(alike.plan(goal=">>", max_n=1000))
    trained = pd.DataFrame(
        [(i, s, k, i % 2) for i in range(20) for s in "abc" for k in range(2)],
        columns=["item", "system", "copy", "y"],
    ).assign(p=lambda d: np.random.default_rng(1).integers(0, 2, len(d)))
    columns = {"item": "item", "system": "system", "trained": "copy"}
    other = contest(trained, truth="y", prediction="p", seed=1, **columns)
    with pytest.raises(InputError, match="plan its pairs"):
        other.plan()


def test_more_clusters_as_many_as_the_width_of_the_interval_needs(values):
    frame = values.assign(c=np.arange(300) % 50)
    result = compare(frame, a="s2", b="s1", cluster="c", measure="mean", rope=ROPE, seed=1)
    plan = result.plan(assurance=0.5)
    assert "more clusters" in str(plan)
    mean, sd, more = result.evidence().mean, result.evidence().std, plan.answer.value
    rng = np.random.default_rng(2)  # what is true, then new clusters
    new = rng.normal(rng.normal(mean, sd, 20_000), sd * np.sqrt(50 / more))
    middle, half = (50 * mean + more * new) / (50 + more), 1.96 * sd * np.sqrt(50 / (50 + more))
    low, high = middle - half, middle + half
    settled = (low >= ROPE) | (high <= -ROPE) | ((low >= -ROPE) & (high <= ROPE))
    assert settled.mean() == pytest.approx(0.5, abs=0.03)


def test_the_command_plans_a_contest(values, tmp_path):
    file = tmp_path / "values.csv"
    values.round(6).to_csv(file, index=False)
    options = ["--measure", "mean", "--rope", "0.01", "--seed", "1", "--assurance", "0.3"]
    command = ["plan", str(file), "--systems", *values, *options]
    done = CliRunner().invoke(main, command, catch_exceptions=False)
    assert done.exit_code == 0
    expected = contest(pd.read_csv(file), measure="mean", rope=0.01, seed=1).plan(assurance=0.3)
    assert " ".join(done.output.split()) == str(expected)
    assert CliRunner().invoke(main, [*command, "--a", "s1"]).exit_code == 1
