"""The manual as a site: its scripts run, every figure is in the gallery, its links hold."""

import re
import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import script

import stanoff
from stanoff import plots
from stanoff.cli import main

TOP = Path(__file__).parents[1]
SCRIPTS = sorted((TOP / "docs").glob("*/plot_*.py"))
METHOD = re.compile(r"    def (plot\w*)\(self.*?return (?:plots\.)?(plot_\w+)\(", re.DOTALL)
PLOT_METHOD = re.compile(r"(plot_\w+) = PlotMethod\(\"(plot_\w+)\"\)")
BUILD = script(TOP / "docs/build.py")
SIMULATED = ("verdicts", "scores", "items", "contests")


@pytest.mark.parametrize("file", [pytest.param(file, id=file.stem) for file in SCRIPTS])
def test_a_script_of_the_manual_draws(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(file))
    assert plt.get_fignums()
    plt.close("all")
    assert list(tmp_path.iterdir()) == []


def test_every_figure_is_in_the_gallery():
    shown = "".join(file.read_text("utf8") for file in (TOP / "docs/gallery").glob("plot_*.py"))
    methods = {}  # by the function that draws
    for file in (TOP / "src/stanoff").rglob("*.py"):
        text = file.read_text("utf8")
        methods |= {name: method for method, name in METHOD.findall(text)}
        methods |= {name: method for method, name in PLOT_METHOD.findall(text)}
    figures = {name for name in plots.__all__ if name.startswith("plot_")}
    drawn = {name for name in figures if f"{name}(" in shown}
    drawn |= {name for name, method in methods.items() if f".{method}(" in shown}
    assert figures - drawn == set(), "add docs/gallery/plot_NAME.py"


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("manual") / "sources"
    BUILD.put_together(folder)
    return folder


def test_every_page_has_a_place_and_its_links_lead_to_pages(sources):
    pages = {file.relative_to(sources).as_posix() for file in sources.rglob("*.md")}
    pages = {page for page in pages if not page.startswith("extra/")}
    listed = set()
    for page in pages:
        text = (sources / page).read_text("utf8")
        for block in re.findall(r"```\{toctree\}(.*?)```", text, re.DOTALL):
            listed |= {word.strip("<>") for word in block.split()}
        for _, _, target, _ in BUILD.LINK.findall("".join(BUILD.FENCED.split(text)[::2])):
            file = (sources / page).parent / target
            made = file.resolve().relative_to(sources.resolve()).as_posix()
            assert file.exists() or made in BUILD.MADE_HERE.values(), (page, target)
    assert {page.removesuffix(".md") for page in pages} - listed <= {"index"}


def test_the_references_have_every_name_and_every_command(sources):
    assert {file.stem for file in (sources / "api").glob("*.rst")} == {*stanoff.__all__, "index"}
    told = (sources / "commands.md").read_text("utf8")
    for name in main.commands:
        assert f"## stanoff {name}\n" in told
    assert "--rope" in told
    assert "--pos-label" in told


def test_tables_of_the_reports_are_shown_where_they_are_named(sources):
    told = (sources / "guide/validation.md").read_text("utf8")
    table = (TOP / "reports/validation/tables/sbc.md").read_text("utf8")
    assert table.strip() in told
    assert 'href="../reports/validation/index.html"' in told
    assert (sources / "extra/reports/validation/index.html").is_file()


def test_the_shares_that_the_manual_tells_are_those_of_the_simulations():
    told = (TOP / "docs/guide/validation.md").read_text("utf8")
    kept = {name: pd.read_csv(TOP / f"reports/validation/{name}.csv") for name in SIMULATED}
    verdicts, scores, items, contests = kept.values()

    def span(shares):
        return f"{100 * shares.min():.1f} to {100 * shares.max():.1f}"

    items = items.set_index("design")["coverage"]
    inside = contests.query("what == 'inside' and shrink and spread == '0.2 to 5'")["true"]
    assert f"at most {100 * verdicts['wrong'].max():.1f} % of" in " ".join(told.split())
    assert f"wrong side in at most {100 * verdicts['wrong_direction'].max():.1f} %" in told
    settled = verdicts.assign(n_settled=verdicts[["<<", "=", ">>"]].sum(axis=1))
    by_size = settled.groupby(["n", "mu"])[["wrong", "n_settled"]].sum()
    share = (100 * by_size["wrong"] / by_size["n_settled"]).unstack("mu")
    for n, (rare, even) in zip(share.index, share[[0.1, 0.5]].to_numpy(), strict=True):
        row = rf"\| {n:,} \| {even:.1f} %[\w ]* \| {rare:.1f} %[\w ]* \|"
        assert re.search(row, told), row
    for shrink, words in ((True, "({:.0f} % where"), (False, "only {:.0f} % were")):
        gaps = contests.query(f"what in ('best', 'near') and cases >= 300 and shrink == {shrink}")
        assert f"within {(gaps['true'] - gaps['said']).abs().max():.2f}" in told
        sure = contests.query(f"what == 'best' and low == 0.5 and shrink == {shrink}")
        share = np.average(sure["true"], weights=sure["cases"])
        assert words.format(100 * share) in " ".join(told.split())
        ranked = contests.query(f"what == 'ranked' and shrink == {shrink} and spread != '0.2 to 5'")
        assert (
            f"| {' | '.join(map(span, dict(iter(ranked.groupby('spread')['true'])).values()))} |"
            in told
        )
    for shares in (
        span(verdicts["coverage"]),
        *(span(rows["weights"]) for _, rows in scores.groupby("measure")),
        span(items[["normal", "bounded", "tied"]]),
        ", ".join(f"{100 * share:.1f}" for share in items["skewed"]),
        span(items["clusters"]),
        span(items["a new data set"]),
        span(inside),
    ):
        assert f"| {shares} |" in told


RESAMPLED = {  # guides, and the designs of their columns in reports/validation/resampling.csv
    "out_of_fold": ("out of fold, documents", "out of fold, scores of folds"),
    "training_seeds": ("seeds, accuracy", "seeds, F1", "copies taken as independent runs"),
    "many_data_sets": ("mean over data sets", "the next data set", "folds taken as items"),
}


@pytest.mark.parametrize("guide", RESAMPLED)
def test_the_coverage_that_a_guide_tells_is_that_of_the_simulations(guide):
    text = (TOP / f"docs/guide/{guide}.md").read_text("utf8")
    kept = pd.read_csv(TOP / "reports/validation/resampling.csv")
    wide = kept.pivot(index="sd", columns="design", values="coverage")[list(RESAMPLED[guide])]
    for sd, shares in wide.dropna().iterrows():
        row = [f"{sd:g}", *(f"{100 * share:.1f} %" for share in shares)]
        assert f"| {' | '.join(row)} |" in text


def test_the_coverage_of_folds_that_the_guide_tells_is_that_of_the_simulations():
    text = (TOP / "docs/guide/cross_validation.md").read_text("utf8")
    kept = pd.read_csv(TOP / "reports/validation/folds.csv").set_index(["learner", "method"])

    def three(learner, method, column):
        return ", ".join(f"{100 * share:.0f}" for share in kept.loc[(learner, method), column])

    for learner in kept.index.unique("learner"):
        covers = [f"{three(learner, method, 'coverage')} %" for method in ("naive t", "folds")]
        wrong = [f"{three(learner, method, 'wrong')} %" for method in ("naive t", "folds")]
        assert f"| 1, 3, 10 | {covers[0]} | {covers[1]} | {'; '.join(wrong)} |" in text


def test_broken_links_and_what_is_loaded_from_elsewhere_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">x</a><a href="b.html#gone">x</a><a href="c.html">x</a>'
        '<a href="https://example.org">x</a><script src="https://example.org/x.js"></script>'
    )
    (tmp_path / "b.html").write_text('<p id="here"><img src="data:image/png;base64,"></p>')
    assert BUILD.broken_links(tmp_path) == [
        "a.html links to b.html#gone, which has no such place",
        "a.html links to c.html, which is not there",
        "a.html loads https://example.org/x.js",
    ]


@pytest.mark.slow
def test_the_site_is_built(tmp_path, capsys):
    assert BUILD.main(str(tmp_path / "docs")) == 0
    index = (tmp_path / "docs/index.html").read_text("utf8")
    assert "Gallery" in index
    assert (tmp_path / "docs/gallery/plot_posterior.html").is_file()
    assert sys.executable not in index
