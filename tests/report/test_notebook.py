import re

from stanoff import compare_counts
from stanoff.text.words import sentence

HOSTILE = '<img src=x onerror="boom()">'


def many(k, **options):
    pos, neg = [[30, 4, 1, 5]] * k, [[1, 1, 1, 90]] * k
    known = {"engine": "exact", "seed": 1, "draws": 200}
    return compare_counts(pos, neg, categories=[f"<{i}>" for i in range(k)], **known, **options)


def test_a_notebook_shows_verdict_table_and_posterior(stored):
    shown = stored._repr_html_()
    assert sentence(stored, stored.evidence()).replace(">", "&gt;").replace("<", "&lt;") in shown
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
