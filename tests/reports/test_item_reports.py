"""The reports on search systems and on repeated runs: their numbers against SciPy and pandas."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from reporting import REPORTS, files, module
from scipy import stats

search, repeated = module("search.build"), module("repeated.build")
harness, items = module("validation.harness"), module("validation.items")
rivals = module("validation.rivals")


def test_every_topic_has_every_system():
    frame = search.values()
    assert frame.groupby("topic")["system"].nunique().eq(4).all()
    topics = frame.drop_duplicates("topic")["newsgroup"].value_counts()
    assert (len(topics), topics.min(), topics.max()) == (20, 12, 12)
    assert frame[list(search.MEASURES)].stack().between(0, 1).all()


def test_the_pairs_are_those_of_the_paired_t_test():
    kept = pd.read_csv(REPORTS / "search/tables/pairs.csv")
    assert len(kept) == 18
    for measure, rows in kept.groupby("measure"):
        wide = search.values().pivot(index="topic", columns="system", values=measure)
        for row in rows.to_dict("records"):
            a, b = wide[row["A"]], wide[row["B"]]
            t = stats.t(len(a) - 1, (a - b).mean(), (a - b).sem())
            assert (row["hdi_low"], row["hdi_high"]) == pytest.approx(t.interval(0.95), abs=1e-5)
            assert row["p_rope"] == pytest.approx(t.cdf(0.01) - t.cdf(-0.01), abs=1e-5)
            assert row["paired t-test"] == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=1e-5)
            ranks = stats.wilcoxon(np.round(a - b, 12)).pvalue
            assert row["Wilcoxon"] == pytest.approx(ranks, rel=0.02)
            # Exchanging A and B at random is what the t-test approximates.
            assert row["randomization"] == pytest.approx(row["paired t-test"], abs=0.05)


def test_runs_that_are_taken_as_posts_are_too_sure():
    table = pd.read_csv(REPORTS / "repeated/tables/ways.csv").set_index("way")
    frame = repeated.answers()
    means = frame.pivot_table(index="post", columns="system", values="right")
    d = means["words"] - means["letters"]
    t = stats.t(len(d) - 1, d.mean(), d.sem())
    row = table.loc["runs averaged, threads ignored"]
    assert (row["hdi_low"], row["hdi_high"]) == pytest.approx(t.interval(0.95), abs=1e-5)
    thread = frame.drop_duplicates("post").set_index("post")["thread"].loc[d.index]
    away = (d - d.mean()).groupby(thread.to_numpy()).sum()
    sandwich = np.sqrt((away**2).sum() * len(away) / (len(away) - 1)) / len(d)
    assert table.loc["runs averaged, in threads", "std"] == pytest.approx(sandwich, rel=0.06)
    assert table.loc["every run a post of its own", "std"] < 0.7 * sandwich


@pytest.mark.parametrize("name", ["repeated"])
def test_a_build_gives_the_files_that_are_committed(name, tmp_path):
    module(f"{name}.build").build(tmp_path)
    made = files(tmp_path)
    for path, content in made.items():
        if path.endswith((".csv", ".md", ".html")):
            assert content == (REPORTS / name / path).read_bytes(), path


def test_the_kept_coverage_is_what_the_page_says():
    text = items.notes(pd.read_csv(REPORTS / "validation/items.csv"))
    kept = pd.read_csv(REPORTS / "validation/items.csv").set_index(["design", "n"])
    for design in ("normal", "bounded", "tied"):
        assert kept.loc[design, "coverage"].between(0.935, 0.965).all()
    assert kept.loc["clusters ignored", "coverage"].max() < 0.85
    assert kept.loc["clusters", "coverage"].min() > 0.9
    for design in ("3 runs in clusters", "ratios", "a new data set"):
        assert kept.loc[design, "coverage"].between(0.93, 0.975).all()
    error = np.sqrt(0.95 * 0.05 / kept["replications"])
    assert (error < 0.0075).all()
    assert f"{kept.loc[('skewed', 10), 'coverage']:.1%} at 10 items" in text


def test_the_additive_model_is_least_squares():
    rng = np.random.default_rng(1)
    wide = pd.DataFrame(rng.normal(size=(12, 4)) + rng.normal(size=(12, 1)), columns=list("abcd"))
    topic, system = np.indices(wide.shape).reshape(2, -1)
    design = np.column_stack([np.eye(12)[topic], np.eye(4)[system][:, 1:]])
    _, [left], rank, _ = np.linalg.lstsq(design, wide.to_numpy().ravel(), rcond=None)
    scale, degrees = rivals.additive_scale(wide)
    assert degrees == 48 - rank
    assert scale == pytest.approx(np.sqrt(2 * left / degrees / 12))


def test_weights_of_prior_draws_are_those_of_the_bivariate_normal():
    rng = np.random.default_rng(2)
    h, k, rho = rng.normal(size=50), rng.normal(size=50), rng.uniform(-0.95, 0.95, 50)
    known = [
        stats.multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([x, y])
        for x, y, r in zip(h, k, rho, strict=True)
    ]
    np.testing.assert_allclose(rivals.both_right(h, k, rho), known, atol=1e-5)
    # With as many answers as fix the rates, the difference is that of the shares.
    delta, weights = rivals.weighted((30, 10, 4, 6), rng, draws=400_000)
    effective = 1 / np.sum(weights**2)
    mean = weights @ delta
    assert mean == pytest.approx(6 / 50, abs=0.02)  # the priors are worth two answers of 50
    assert 2000 < effective < 40_000


def test_the_kept_rivals_are_those_of_the_data_at_hand(tmp_path):
    kept = pd.read_csv(REPORTS / "validation/rivals.csv")
    topics = pd.read_csv(REPORTS / "search/topics.csv")
    wide = topics.pivot(index="topic", columns="system", values="AP")
    rows = kept[kept["data"] == "search"].to_dict("records")
    again = [
        row for pair in combinations(wide, 2) for row in rivals.both_models("search", wide, *pair)
    ]
    for row, expected in zip(rows, again, strict=True):
        assert {name: row[name] for name in expected} == expected
    trec = kept[kept["data"] == "TREC-8"].set_index(["systems", "model"])
    published = 0.0006596986
    ours = trec.loc[("run126, run125", "items, by stanoff's exact engine"), "p_less"]
    assert ours == pytest.approx(published, rel=1e-3)
    stan = trec.loc[("run126, run125", "items, by stanoff's Stan program"), "p_less"]
    assert abs(stan - published) < 4.5 * np.sqrt(published / 20_000)  # of 40,000 draws
    section = rivals.section(module("common").Output(tmp_path))
    told = " ".join(block for block in section.blocks if isinstance(block, str))
    assert "0.0006596986" in told
    assert "bayes_evals" in told


@pytest.mark.slow
def test_intervals_of_items_cover_again():
    rng = np.random.default_rng(3)
    for shape in ("normal", "bounded", "tied"):
        [covered] = harness.coverage(items.of_items, (shape, 50), 4000, rng)
        assert abs(covered - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 4000) + 0.005
    kept, ignored = harness.coverage(items.in_clusters, (12,), 150, rng)
    assert kept > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 150)
    assert ignored < kept
