"""The page of a contest in a browser says what Python says."""

import numpy as np
import pytest
from browser import share
from contestants import labels, noisy

from stanoff import contest
from stanoff.report.page import contest_page as page
from stanoff.text.numbers import percent, whole_percent
from stanoff.text.tables import CONTEST, contest_table

NAMES = ["</script><script>window.hit=1</script>", "<img src=x onerror=alert(1)>", "שלום", "a & b"]


@pytest.fixture(autouse=True)
def without_figures(monkeypatch):
    """Drawing them takes longer than all the rest; one test looks at them."""
    monkeypatch.setattr("stanoff.report.page.draw_figures", lambda *_: [])


def of(systems, **options):
    truth, said = noisy(500, np.linspace(0.08, 0.3, systems))
    return contest(truth, said, **({"seed": 1, "draws": 3000, "rope": 0.02} | options))


RESULTS = {
    "three": lambda: of(3),
    "twelve": lambda: of(12),
    "lower is better": lambda: of(6, measure="error"),
    "asymmetric": lambda: of(5, rope=(-0.01, 0.03)),
    "one winner": lambda: contest(*noisy(2000, [0.01, 0.3, 0.31]), seed=1, draws=2000, rope=0.0),
    "classes": lambda: contest(*labels(200, 3, classes=4), average="macro", seed=1, draws=2000),
}


def texts(tab, selector):
    script = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    return tab.eval_on_selector_all(selector, script)


def matrix(result):
    found = result.ranking()
    symbols = {"<<": "≪", "<": "<", "=": "≈", ">": ">", ">>": "≫", "": ""}
    return [
        [
            result.systems[i],
            *(
                symbols[found.decisions[i, j]]
                + ("" if i == j else whole_percent(float(found.better[i, j])))
                for j in found.order
            ),
        ]
        for i in found.order
    ]


@pytest.mark.parametrize("kind", RESULTS)
def test_the_browser_says_what_python_says(kind, open_page):
    result = RESULTS[kind]()
    tab = open_page(page(result))
    middle = sum(result.rope) / 2
    for half in (None, 0.0, 0.005, 0.0317, 0.08, 0.2):
        rope = result.rope
        if half is not None:
            tab.fill("#half", repr(half))
            rope = middle - half, middle + half
        same = result.judge(rope=rope)
        assert tab.inner_text("#verdict") == same.sentence()
        tiers = tab.eval_on_selector_all("#tiers li", "items => items.map(i => i.textContent)")
        assert tiers == [", ".join(tier) for tier in same.tiers()]
        assert (
            texts(tab, "#systems tbody tr")
            == contest_table(same, same.default_category).to_numpy().tolist()
        )
        assert texts(tab, "#matrix tbody tr") == matrix(same)
        assert tab.is_visible("#changed") == (rope != result.rope)
    tab.click("#reset")
    assert tab.inner_text("#verdict") == result.sentence()
    assert tab.is_disabled("#reset")


def test_the_slider_moves_the_set(open_page):
    result = of(5)
    tab = open_page(page(result))
    before = tab.inner_text("#tiers")
    tab.focus("#slider")
    tab.keyboard.press("End")
    assert tab.inner_text("#tiers") != before
    assert tab.inner_text("#verdict").startswith("s0, s1, s2, s3 and s4 are practically equivalent")
    tab.fill("#half", "-1")
    assert "0 or more" in tab.inner_text("#problem")


def test_names_are_shown_as_they_are_and_mean_nothing(open_page):
    truth, said = noisy(200, [0.1, 0.2, 0.3, 0.4])
    result = contest(truth, dict(zip(NAMES, said.values(), strict=True)), seed=1, draws=500)
    tab = open_page(page(result))
    assert tab.evaluate("window.hit") is None
    tab.fill("#half", "0.01")
    assert tab.evaluate("window.hit") is None
    assert sorted(row[0] for row in texts(tab, "#systems tbody tr")) == sorted(NAMES)


def test_without_a_script_the_page_says_the_same(open_page):
    result = of(4)
    tab = open_page(page(result), java_script_enabled=False)
    assert tab.inner_text("#verdict") == result.sentence()
    assert tab.locator("#matrix tbody tr").count() == 4


def test_figures_and_a_file(tmp_path, monkeypatch):
    monkeypatch.undo()
    text = of(3).to_html(tmp_path / "x.html").read_text("utf-8")
    assert text.count("<figure>") == 2


def test_thirty_systems_take_at_most_a_megabyte(monkeypatch):
    monkeypatch.undo()
    truth, predictions = noisy(3000, np.linspace(0.08, 0.3, 30))
    assert len(page(contest(truth, predictions, seed=1)).encode()) <= 1_000_000


def test_thinned_losses_are_off_by_no_more_than_the_page_says(open_page):
    result = of(12, draws=60_000)
    every, coarse = 3, 3 / 60_000  # of 720,000 losses, 240,000 are there
    text = page(result)
    assert f"one of every {every} draws" in text
    assert f"off by at most {100 * coarse:.2g}%" in text
    tab = open_page(text)
    assert texts(tab, "#systems tbody tr") == contest_table(result, "1").to_numpy().tolist()
    tab.fill("#half", "0.03")
    shown = {row[0]: row[CONTEST.index("p_near")] for row in texts(tab, "#systems tbody tr")}
    near = result.judge(rope=0.03).ranking().p_within_rope_of_best
    for system, p in zip(result.systems, near, strict=True):
        low, high = (share(percent(limit)) for limit in (p - coarse, p + coarse))
        assert low <= share(shown[system]) <= high


def test_infinite_scores_are_told(open_page):
    truth = [1, 0] * 20
    said = {"a": truth, "b": [1, 1] * 20, "c": [0, 1] * 20}
    tab = open_page(page(contest(truth, said, measure="dor", seed=1, draws=500, rope=1)))
    assert tab.locator("#systems tbody tr").count() == 3
