"""The page of a study in a browser: what is seen first, sorting, copying, small screens."""

import shutil
from pathlib import Path

import pytest

from stanoff.study.config import read_study
from stanoff.study.overview import list_answers
from stanoff.study.run import build_study
from stanoff.study.tables import MIRRORED

PREDICTIONS = Path(__file__).parents[2] / "reports/zhang2016/predictions.csv"
STUDY = """
title = "A 'study' & more"
classifiers = ["nb_mult", "svm_l2", "svm_l1"]
names = { nb_mult = "naive <Bayes>" }
average = "macro"
labels = [3, 8, 12]
rope = [-0.01, 0.02]
engine = "exact"
draws = 200
figures = []
data = [
  {name = "one", file = "predictions.csv", truth = "truth"},
  {name = "two", file = "predictions.csv", truth = "truth", labels = [8, 12]},
]
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    shutil.copy(PREDICTIONS, folder)
    (folder / "study.toml").write_text(STUDY, "utf-8")
    outcomes = build_study(read_study(folder / "study.toml"), folder / "out", quiet=True)
    assert [outcome.error for outcome in outcomes] == [""] * len(outcomes)
    return folder


def test_the_first_screen_answers_and_the_rest_is_folded(built, open_page):
    tab = open_page((built / "out/index.html").read_text("utf-8"))
    assert tab.evaluate("document.documentElement.scrollHeight") < 1100
    assert tab.locator(".first tbody tr").count() == 3
    assert tab.locator(".first figure svg").bounding_box()["y"] < 300
    assert tab.locator("details[open]").count() == 0


@pytest.mark.parametrize("options", [{"color_scheme": "dark"}, {}])
def test_nothing_scrolls_sideways_on_a_phone(built, open_page, options):
    text = (built / "out/index.html").read_text("utf-8").replace("<details", "<details open")
    tab = open_page(text, viewport={"width": 390, "height": 800}, **options)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


def test_numbers_are_sorted_as_numbers(built, open_page):
    tab = open_page(
        (built / "out/index.html").read_text("utf-8").replace("<details", "<details open")
    )
    heading = tab.locator("#all-comparisons thead button", has_text="mean")
    cells = "rows => rows.map(row => Number(row.cells[3].textContent))"
    for _ in range(2):
        heading.click()
        shown = tab.eval_on_selector_all("#all-comparisons tbody tr", cells)
        down = heading.locator("..").get_attribute("aria-sort") == "descending"
        assert shown == sorted(shown, reverse=down)
        assert len(set(shown)) > 2


def test_what_is_copied_makes_the_same_study(built, open_page, tmp_path):
    tab = open_page(
        (built / "out/index.html").read_text("utf-8").replace("<details", "<details open")
    )
    tab.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    tab.click("[data-copy=again]")
    shutil.copy(PREDICTIONS, tmp_path)
    (tmp_path / "again.toml").write_text(tab.evaluate("window.copied"), "utf-8")
    one, other = read_study(built / "study.toml"), read_study(tmp_path / "again.toml")
    assert one.questions == other.questions
    assert one.samplings == other.samplings
    exclude = {"data": {"__all__": {"file"}}}
    assert one.model_dump(exclude=exclude) == other.model_dump(exclude=exclude)


def test_every_model_has_its_own_answers(tmp_path):
    shutil.copy(PREDICTIONS, tmp_path)
    text = STUDY.replace("draws = 200", 'draws = 200\nmodels = ["contest", "joint"]')
    (tmp_path / "study.toml").write_text(text, "utf-8")
    outcomes = build_study(read_study(tmp_path / "study.toml"), tmp_path / "out", quiet=True)
    assert [outcome.error for outcome in outcomes] == [""] * len(outcomes)
    answers = list(list_answers(outcomes))
    assert not any(answer.is_difference for answer in answers)
    labels = {answer.label for answer in answers}
    names = ("naive <Bayes>", "svm_l2", "svm_l1")
    assert labels == {f"{name} ({model})" for name in names for model in ("contest", "joint")}
    assert len(answers) == 2 * len(labels)  # on two data sets
    for answer in answers:
        name, _, model = answer.label.rpartition(" ")
        [of] = [r for r in outcomes if r.slug == answer.slug]
        assert f"({of.model})" == model
        [row] = of.summary.query("category == @of.category and system == @name").itertuples()
        assert answer.mean == row.psi
        # The verdict is that of the pair with the leader under the same model.
        leader = of.summary.query("category == @of.category")["system"].iloc[0]
        of_pairs = {"contest": "paired"}.get(of.model, of.model)
        pairs = [r for r in outcomes if (r.data, r.model) == (of.data, of_pairs)]
        pairs = [r for r in pairs if not r.is_contest]
        symbols = {r.systems: r.rows_of(r.category)["decision"].iloc[0][0] for r in pairs}
        expected = symbols.get((name, leader)) or MIRRORED.get(symbols.get((leader, name)), "")
        assert answer.symbol == expected
