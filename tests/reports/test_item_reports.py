"""The reports on search systems and on repeated runs: their numbers against SciPy and pandas."""

import numpy as np
import pandas as pd
import pytest
from reporting import REPORTS, files, module
from scipy import stats

search, repeated = module("search.build"), module("repeated.build")
benchmark, items = module("benchmark.build"), module("benchmark.items")


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
            a, b = wide[row["a"]], wide[row["b"]]
            t = stats.t(len(a) - 1, (a - b).mean(), (a - b).sem())
            assert (row["low"], row["high"]) == pytest.approx(t.interval(0.95), abs=1e-5)
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
    assert (row["low"], row["high"]) == pytest.approx(t.interval(0.95), abs=1e-5)
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


def test_the_kept_coverage_is_what_is_told(tmp_path):
    section = benchmark.of_items(module("common").Output(tmp_path))
    kept = pd.read_csv(REPORTS / "benchmark/items.csv").set_index(["design", "n"])
    for design in ("normal", "bounded", "tied"):
        assert kept.loc[design, "coverage"].between(0.935, 0.965).all()
    assert kept.loc["clusters ignored", "coverage"].max() < 0.85
    assert kept.loc["clusters", "coverage"].min() > 0.9
    assert f"{kept.loc[('skewed', 10), 'coverage']:.1%} at 10 items" in section.blocks[0]
    table = items.additive().set_index(["A", "B"])["times as wide"].astype(float)
    assert table["bm25", "tfidf"] > 2 > table["bm25", "lsi"]


@pytest.mark.slow
def test_intervals_of_items_cover_again():
    rng = np.random.default_rng(3)
    for shape in ("normal", "bounded", "tied"):
        covered = items.of_items(shape, 50, 4000, rng)
        assert abs(covered - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 4000) + 0.005
    kept, ignored = items.in_clusters(12, 150, rng)
    assert kept > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 150)
    assert ignored < kept
