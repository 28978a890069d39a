import html
import re

import pandas as pd
import pytest

from stanoff import Scenario, compare_counts, power
from stanoff.text.sentences import describe_comparison

HOSTILE = '<img src=x onerror="boom()">'


def many(k, **options):
    pos, neg = [[30, 4, 1, 5]] * k, [[1, 1, 1, 90]] * k
    known = {"engine": "exact", "seed": 1, "draws": 200}
    return compare_counts(pos, neg, categories=[f"<{i}>" for i in range(k)], **known, **options)


def test_a_notebook_shows_verdict_table_and_posterior(stored):
    shown = stored._repr_html_()
    assert (
        describe_comparison(stored, stored.evidence()).replace(">", "&gt;").replace("<", "&lt;")
        in shown
    )
    assert shown.count("<tr>") == 2
    assert shown.count("<svg") == 1
    assert "<script" not in shown
    assert len(shown) < 150_000
    assert shown == stored._repr_html_()


def test_styles_hold_for_the_result_only(stored):
    [style] = re.findall(r"<style>(.*?)</style>", stored._repr_html_(), re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{", style)
    assert selectors
    assert all(
        part.strip().startswith(".stanoff-result") for s in selectors for part in s.split(",")
    )


def test_two_results_on_one_page_have_different_ids(stored):
    first, second = stored._repr_html_(), stored.judge(measure="recall")._repr_html_()
    ids = [set(re.findall(r'\sid="([^"]+)"', text)) for text in (first, second)]
    assert len(ids[0]) > 5
    assert not ids[0] & ids[1]


def test_names_are_escaped():
    shown = many(2, names=(HOSTILE, "b"), average="macro")._repr_html_()
    assert "<img" not in shown
    assert "&lt;img" in shown
    assert "&lt;0&gt;" in shown


def test_very_many_categories_are_cut_short():
    shown = many(200)._repr_html_()
    assert shown.count("<tr>") == 31
    assert "and 170 more rows" in shown
    assert "and 197 more" in shown
    assert len(shown) < 30_000
    averaged = many(200, average="micro")._repr_html_()
    assert averaged.count("<tr>") == 31
    assert "<bdi>micro</bdi>" in averaged


def odd_power():
    scenario = Scenario(0.5, (0.3, 0.3, 0.2, 0.2), (0.2, 0.2, 0.3, 0.3), name=HOSTILE)
    return power([scenario, "b"], [100, 2000], n_simulations=20, draws=100, seed=1)


SHOWN = {
    "evidence": lambda: many(2, average="macro").evidence("<1>"),
    "sensitivity": lambda: many(2, average="macro").sensitivity("<1>", ropes=[0.0, 0.1]),
    "plan": lambda: many(1, names=(HOSTILE, "b")).plan("<0>", n_simulations=20, max_n=2000),
    "scenario": lambda: Scenario.named("a"),
    "power": odd_power,
}
TOLD = {
    "evidence": ("on category <1>", "with 95% of the posterior", "ROPE pct"),
    "sensitivity": ("on category <1>", "jeffreys", "±0.1", "The decision turns from"),
    "plan": (HOSTILE, "80 % chance"),
    "scenario": ("50 % of the documents are positive", "+0.100", "neither"),
    "power": (HOSTILE, "A ≫ B", "2,000", "share of 20 simulated data sets", "[-0.05, +0.05]"),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_what_is_returned_can_be_read_on_a_terminal_and_in_a_notebook(kind):
    shown = SHOWN[kind]()
    plain, page = " ".join(repr(shown).split()), shown._repr_html_()
    assert not re.search(r"\d\.\d{5}", plain)  # no number has more digits than are of use
    assert "object at" not in plain
    assert "<img" not in page
    assert page.count("<style>") == 1
    text = " ".join(html.unescape(re.sub(r"<(?!\d)[^>]*>", " ", page)).split())
    for word in TOLD[kind]:
        assert word in plain
        assert word in text


def test_the_words_are_the_same_in_both():
    said = many(2, average="macro").evidence()
    assert repr(said).startswith("A > B on the macro average.")
    assert f"{said.mean:+.3f}" in repr(said)
    cells = re.findall(r"<td>(.*?)</td>", said._repr_html_())
    assert f"{said.mean:+.3f}" in cells


def test_a_part_of_a_power_table_is_a_data_frame_as_any_other():
    table = odd_power()
    assert repr(table[["n", "power"]]) == repr(pd.DataFrame(table)[["n", "power"]])
    assert "<table" in table[["n", "power"]]._repr_html_()
    assert "simulated data sets" in repr(table)
    assert repr(table.iloc[:0]).startswith("Empty")
