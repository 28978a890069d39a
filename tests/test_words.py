import json
import math
import re

import numpy as np
import pytest

from stanoff import StanoffError, compare_counts
from stanoff.decision import Decision
from stanoff.tables import as_json, as_text, bayes_factor, formatted, markdown_escaped
from stanoff.words import digits_for, percent

HOSTILE = ('<script>alert("x")</script>', "a_b|c*%$ 50% & 'q' \\")


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        (([300, 100, 5, 20], [10, 5, 5, 900]), ">>"),
        (([300, 5, 100, 20], [10, 5, 5, 900]), "<<"),
        (([3000, 5, 5, 200], [10, 5, 5, 9000]), "="),
        (([30, 4, 1, 5], [1, 1, 1, 90]), ">"),
        (([30, 1, 4, 5], [1, 1, 1, 90]), "<"),
    ],
)
def test_every_verdict_in_words(counts, verdict):
    result = compare_counts(*counts, engine="exact", seed=1, draws=20_000, names=("new", "old"))
    decision = Decision(verdict)
    assert result.decision == decision
    said = str(result)
    assert said.startswith(f"new is {decision.words} old (new {decision.symbol} old) by F1, on ")
    assert ("but this is not settled" in said) == (not decision.settled)
    e = result.evidence()
    d = digits_for(e.std)
    numbers = [f"{e.mean:+.{d}f}", f"[{e.hdi[0]:+.{d}f}, {e.hdi[1]:+.{d}f}]", "[-0.05, +0.05]"]
    assert all(number in said for number in numbers)
    masses = f"{percent(e.p_below)}, {percent(e.p_rope)} and {percent(e.p_above)}."
    assert said.endswith(masses)


def test_small_differences_keep_their_digits():
    assert [digits_for(x) for x in (0.5, 0.0127, 0.00419, 4e-5, 0.0)] == [3, 3, 4, 6, 3]


def test_percentages_do_not_claim_certainty():
    assert [percent(p) for p in (0, 1e-6, 0.0005, 0.5, 0.9999, 1)] == [
        "0.0%",
        "<0.1%",
        "0.1%",
        "50.0%",
        ">99.9%",
        "100.0%",
    ]


def test_bayes_factors_carry_the_marks_of_the_paper():
    factors = (12.206, 2.999, 0.3299, 0.0, 123456.0, math.inf, math.nan)
    assert [bayes_factor(f) for f in factors] == [
        "‡ 12.206",
        "2.999",
        "⋆ 0.330",
        "⋆ 0.000",
        "‡ 1.23e+05",
        "‡ inf",
        "undefined",
    ]


def test_the_table_has_the_numbers_of_the_summary(stored):
    row = formatted(stored).iloc[0]
    summary = stored.summary().iloc[0]
    assert row["mean"] == f"{summary['mean']:+.3f}"
    assert row["HDI"] == f"[{summary['hdi_low']:+.3f}, {summary['hdi_high']:+.3f}]"
    assert row["decision"] == "≈"
    assert row["BF_SD"].endswith("?")  # not well-defined here


def test_json_has_no_numbers_that_json_lacks():
    result = compare_counts([0] * 4, [0, 0, 0, 9], engine="exact", draws=50, seed=1, rope=0)
    text = as_text(result, "json")
    assert "NaN" not in text
    assert "Infinity" not in text
    assert json.loads(text) == as_json(result)
    assert as_json(result)["results"][0]["bf_rope"] is None
    certain = compare_counts(
        [90, 0, 0, 9], [1, 0, 0, 900], engine="exact", draws=50, seed=1, rope=0.9
    )
    assert json.loads(as_text(certain, "json"))["results"][0]["bf_rope"] in ("inf", None)


def test_hostile_names_mean_nothing(tmp_path):
    result = compare_counts(
        [30, 4, 1, 5],
        [1, 1, 1, 90],
        engine="exact",
        draws=500,
        seed=1,
        names=HOSTILE,
        categories=["<b>bold</b>"],
    )
    markdown = as_text(result, "markdown")
    assert "<script" not in markdown
    assert "<b>" not in markdown
    assert "a\\_b\\|c\\*%" in markdown
    page = result.to_html(tmp_path / "new folder/page.html").read_text("utf8")
    assert "<script" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page
    assert as_text(result, "table")  # rich's own markup would have failed


def test_escaped_markdown_is_one_line():
    assert markdown_escaped("a\nb\r\n c") == "a b c"


def test_the_page_is_whole_and_needs_no_network(stored, tmp_path):
    page = stored.to_html(tmp_path / "page.html").read_text("utf8")
    assert page.count("<svg") == 3
    assert not re.search(r"""(src|href)\s*=\s*["'](https?:)?//""", page)
    assert "svm is practically equivalent to nb" in page
    assert list(tmp_path.iterdir()) == [tmp_path / "page.html"]  # nothing left aside


def test_figures_and_pages_are_the_same_bytes_again(stored, tmp_path):
    first, second = (stored.to_html(tmp_path / name).read_bytes() for name in ("1.html", "2.html"))
    assert first == second


def test_a_wrong_disk_leaves_the_old_page(stored, tmp_path, monkeypatch):
    target = tmp_path / "page.html"
    target.write_text("old")
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(StanoffError, match=r"page\.html cannot be written: full"):
        stored.to_html(target)
    assert target.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_numbers_may_be_numpy():
    result = compare_counts(
        np.array([30, 4, 1, 5]),
        np.array([1, 1, 1, 90]),
        engine="exact",
        draws=np.int64(500),
        seed=np.int64(1),
        rope=np.float64(0.05),
        hdi=np.float32(0.9),
    )
    assert json.dumps(as_json(result))


def test_one_document_and_many():
    def said(pos, neg):
        return str(compare_counts(pos, neg, engine="exact", draws=50, seed=1))

    assert "on 1 document:" in said([1, 0, 0, 0], [0] * 4).replace(", but this is not settled", "")
    assert "on 1,001 documents" in said([1, 0, 0, 0], [0, 0, 0, 1000])


def test_categories_of_different_size_tell_their_own():
    result = compare_counts(
        [[5, 1, 1, 1], [50, 1, 1, 1]],
        [[5, 1, 1, 1], [50, 1, 1, 1]],
        engine="exact",
        draws=50,
        seed=1,
    )
    assert "on 16 documents" in result.sentence("0")
    assert "on 106 documents" in result.sentence("1")


def test_a_table_whose_names_are_headings():
    result = compare_counts(
        [30, 4, 1, 5], [1, 1, 1, 90], engine="exact", draws=50, seed=1, names=("mean", "HDI")
    )
    assert "…" not in as_text(result, "table")


def test_a_page_of_many_categories_claims_no_single_verdict(tmp_path):
    result = compare_counts(
        [[300, 100, 5, 20], [300, 5, 100, 20]],
        [[10, 5, 5, 900]] * 2,
        engine="exact",
        draws=500,
        seed=1,
    )
    assert "<h1>A and B</h1>" in result.to_html(tmp_path / "p.html").read_text("utf8")
