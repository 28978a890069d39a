import html
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hostile import HOSTILE, RENDERERS

from stanoff import StanoffError, compare, compare_counts
from stanoff.inference.decision import Decision, decide
from stanoff.text.export import result_text
from stanoff.text.numbers import digits_for, percent, rounded_documents, signed
from stanoff.text.sentences import describe_comparison, describe_rope_flips


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
    n = f"{sum(map(sum, counts)):,}"
    told = "" if decision.conclusive else ", but this is not settled"
    words = {">": "perhaps better than", "<": "perhaps worse than"}.get(verdict, decision.words)
    assert said.startswith(
        f"new is {words} old in F1 ({n} documents){told}: under the paired model the "
    )
    assert ("but this is not settled" in said) == (not decision.conclusive)
    e = result.evidence()
    d = digits_for(e.std)
    numbers = [signed(e.mean, d), f"[{e.hdi[0]:+.{d}f}, {e.hdi[1]:+.{d}f}]", "[-0.05, +0.05]"]
    assert all(number in said for number in numbers)
    masses = f"{percent(e.p_below)}, {percent(e.p_rope)} and {percent(e.p_above)}."
    assert describe_comparison(result, e).endswith(masses)
    assert said == f"{describe_comparison(result, e)} {describe_rope_flips(result, e)}"


# The HDI, the half-width and middle of the ROPE, and what another width would make of it.
FLIPS = [
    (
        (0.02, 0.08),
        0.01,
        0,
        "With a ROPE of ±0.02 or wider the decision would be >; with ±0.08 or wider, ≈.",
    ),
    (
        (0.02, 0.08),
        0.05,
        0,
        "With a ROPE of ±0.02 or narrower the decision would be ≫; with ±0.08 or wider, ≈.",
    ),
    (
        (0.02, 0.08),
        0.09,
        0,
        "With a ROPE of ±0.08 or narrower the decision would be >; with ±0.02 or narrower, ≫.",
    ),
    (
        (-0.08, -0.02),
        0.05,
        0,
        "With a ROPE of ±0.02 or narrower the decision would be ≪; with ±0.08 or wider, ≈.",
    ),
    ((-0.03, 0.04), 0.05, 0, "With a ROPE of ±0.04 or narrower the decision would be >."),
    (
        (0.02, 0.08),
        0.02,
        0.01,
        "With a ROPE of ±0.01 around +0.01 or narrower the decision would be ≫; with ±0.07 around "
        "+0.01 or wider, ≈.",
    ),
    ((0.0, 0.0), 0.05, 0, "No other width of the ROPE would change it."),
]


@pytest.mark.parametrize(("hdi", "width", "middle", "said"), FLIPS)
def test_what_would_change_the_verdict(stored, hdi, width, middle, said):
    rope = middle - width, middle + width
    e = replace(stored.judge(rope=rope).evidence(), hdi=hdi, decision=decide(hdi, rope))
    assert describe_rope_flips(stored, e) == said


def test_what_would_change_where_lower_is_better(stored):
    e = replace(stored.evidence(), hdi=(0.02, 0.08), decision=Decision("<"))
    said = describe_rope_flips(stored.judge(measure="error"), e)
    assert (
        said == "With a ROPE of ±0.02 or narrower the decision would be ≪; with ±0.08 or wider, ≈."
    )


def test_what_would_change_is_true():
    for pos in ([300, 100, 5, 20], [30, 1, 4, 5], [3000, 5, 5, 200]):
        for rope in (0.05, (-0.02, 0.06)):
            result = compare_counts(
                pos, [10, 5, 5, 900], engine="exact", seed=1, draws=2000, rope=rope
            )
            said = describe_rope_flips(result, result.evidence())
            middle = (result.rope[0] + result.rope[1]) / 2
            told = re.findall(r"±(\d\.\d+)[^±]* or (narrower|wider)[^≪<≈>≫]*([≪<≈>≫])", said)
            assert len(told) == said.count("±")
            last = 10.0 ** -digits_for(result.evidence().std)  # the last digit that is told
            for width, side, symbol in told:
                w = float(width) + (last if side == "wider" else -last)
                other = result.judge(rope=(middle - w, middle + w)).evidence().decision
                assert other.symbol == symbol != result.decision.symbol


def test_small_flips_keep_their_digits(stored):
    e = replace(stored.evidence(), hdi=(2e-5, 8e-5), std=4e-6)
    assert "±0.00002 or " in describe_rope_flips(stored, e)
    # A width below the last digit is not told as 0.
    wide = replace(e, hdi=(0.0002, 0.0008), std=0.01)
    assert "±0.0002 or " in describe_rope_flips(stored, wide)


def test_lower_is_better_is_said():
    result = compare_counts(
        [300, 100, 5, 20], [10, 5, 5, 900], engine="exact", seed=1, draws=2000, measure="error"
    )
    said = str(result)
    assert said.startswith("A is significantly better than B in error (1,345 documents): ")
    assert "the difference is -0." in said
    assert "Lower is better for this measure." in said


def test_an_asymmetric_rope_is_said():
    result = compare_counts(
        [30, 4, 1, 5], [1, 1, 1, 90], engine="exact", seed=1, draws=2000, rope=(-0.01, 0.2)
    )
    assert "the ROPE [-0.01, +0.2] with probability" in str(result)
    assert "around +0.095" in str(result)


def test_names_from_right_to_left_do_not_turn_the_sentence():
    result = compare_counts(
        a=[30, 4, 1, 5],
        b=[1, 1, 1, 90],
        engine="exact",
        seed=1,
        draws=50,
        names=("שלום", "svm"),
        categories=["\u202eקטגוריה\n"],
    )
    said = result.sentence()
    assert said.count("\u2068שלום\u2069") == 2  # the verdict, the documents
    assert "category \u2068קטגוריה\u2069 (" in said
    assert "\u2068svm" not in said
    assert "\u202e" not in said
    assert "\n" not in said


def test_small_differences_keep_their_digits():
    assert [digits_for(x) for x in (0.5, 0.0127, 0.00419, 4e-5, 0.0)] == [3, 3, 4, 6, 3]


def test_percentages_do_not_claim_certainty():
    assert [percent(p) for p in (0, 1e-6, 0.0005, 0.5, 0.9999, 1)] == [
        "<0.1%",
        "<0.1%",
        "0.1%",
        "50.0%",
        ">99.9%",
        ">99.9%",
    ]


def test_hostile_names_mean_nothing(tmp_path):
    for a, b in pairwise(HOSTILE):
        if not (a.isprintable() and b.isprintable()):
            continue  # names of classifiers cannot be that hostile, those of categories can
        result = compare_counts(
            [30, 4, 1, 5],
            [1, 1, 1, 90],
            engine="exact",
            draws=100,
            seed=1,
            names=(a, b),
            categories=[b],
        )
        as_html = RENDERERS[0].render(result.to_markdown())
        assert set(re.findall(r"<(\w+)", as_html)) == {
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "p",
        }
        assert html.unescape(as_html).count(a) >= 1  # in the verdict
        assert html.unescape(as_html).count(b) >= 3  # as the category, too, and in its row
        assert result_text(result, "table")  # rich's own markup would have failed
    page = result.to_html(tmp_path / "new folder/page.html").read_text("utf8")
    assert html.escape(a, quote=False) in page or html.escape(a) in page


def test_a_hostile_name_is_not_html(tmp_path):
    result = compare_counts(
        [30, 4, 1, 5],
        [1, 1, 1, 90],
        engine="exact",
        draws=100,
        seed=1,
        names=HOSTILE[:2],
        categories=["<b>bold</b>"],
    )
    page = result.to_html(tmp_path / "new folder/page.html").read_text("utf8")
    assert '<script>alert("x")' not in page
    assert "<b>" not in page
    assert "&lt;script&gt;alert" in page


def test_a_wrong_disk_leaves_the_old_page(stored, tmp_path, monkeypatch):
    target = tmp_path / "page.html"
    target.write_text("old")
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(StanoffError, match=r"page\.html cannot be written: full"):
        stored.to_html(target)
    assert target.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_one_document_and_many():
    def said(pos, neg):
        return str(compare_counts(pos, neg, engine="exact", draws=50, seed=1))

    assert "(1 document)" in said([0, 1, 0, 0], [0] * 4)
    assert "(1,001 documents)" in said([0, 1, 0, 0], [0, 0, 0, 1000])


def test_two_columns_that_are_the_same_are_said_to_be_the_same():
    truth, said = [1, 0, 1, 0] * 25, [1, 0, 0, 0] * 25
    for options in ({}, {"average": "macro"}, {"rope": 0.002}):
        told = str(compare(truth, said, said, engine="exact", draws=2000, seed=1, **options))
        assert "(100 documents, on all of which A and B agree)" in told
    assert "agree" not in str(compare(truth, said, truth, engine="exact", draws=2000, seed=1))


@pytest.mark.parametrize("n", [2000, 50_000])
def test_noise_is_not_called_a_direction(n):
    """Of two systems with the same counts, seeds alone decide between > and <."""
    decisions, directed = [], 0
    for seed in range(30):
        result = compare_counts(
            [90, 5, 5, 10], [5, 2, 2, 190], engine="exact", draws=n, seed=seed, rope=0.002
        )
        decisions.append(str(result.decision))
        told = str(result)
        directed += told.startswith("A is perhaps")
        if not told.startswith("A is perhaps"):
            assert told.startswith(
                "A and B cannot be told apart yet in F1 (309 documents): under the paired model "
                "the difference is "
            )
    assert {">", "<"} == set(decisions)
    assert directed <= 2


def test_a_real_lean_is_still_called_one():
    result = compare_counts([30, 4, 1, 5], [1, 1, 1, 90], engine="exact", seed=1, draws=20_000)
    assert result.evidence().direction_resolved
    assert str(result).startswith("A is perhaps better than B in F1 (133 documents), but this is")


@pytest.mark.parametrize("measure", ["f1", "error"])
@pytest.mark.parametrize("rope", [(-0.01, 0.4), (-0.4, 0.01), (0.3, 0.5), (-0.5, -0.3), 0.05, 0.0])
@pytest.mark.parametrize("counts", [([30, 4, 1, 5], [1, 1, 1, 90]), ([30, 1, 4, 5], [1, 1, 1, 90])])
def test_words_never_contradict_the_sign_of_the_mean(counts, rope, measure):
    result = compare_counts(*counts, engine="exact", seed=1, draws=4000, rope=rope, measure=measure)
    told, e = str(result), result.evidence()
    better = "better than" in told.split(":")[0]
    worse = "worse than" in told.split(":")[0]
    assert not (better and worse)
    if better or worse:
        good = e.mean > 0 if measure == "f1" else e.mean < 0
        assert good == better
    assert "-0.000," not in told


def test_a_rope_beside_0_does_not_turn_better_into_worse():
    result = compare_counts(
        [300, 30, 20, 5], [1, 1, 1, 900], engine="exact", seed=1, draws=4000, rope=(0.2, 0.5)
    )
    assert (str(result.decision), result.evidence().mean > 0) == ("<<", True)
    assert str(result).startswith(
        "The difference between A and B in F1 (1,258 documents) lies below the ROPE: under the "
    )


def test_categories_of_different_size_tell_their_own():
    result = compare_counts(
        [[5, 1, 1, 1], [50, 1, 1, 1]],
        [[5, 1, 1, 1], [50, 1, 1, 1]],
        engine="exact",
        draws=50,
        seed=1,
    )
    assert "(16 documents)" in result.sentence("0")
    assert "(106 documents)" in result.sentence("1")


def test_the_sentence_names_the_model():
    for model in ("paired", "unpaired"):
        options = {"engine": "exact", "draws": 50, "seed": 1, "model": model}
        assert f"under the {model} model the difference is" in str(
            compare_counts([30, 4, 1, 5], [1, 1, 1, 90], **options)
        )


def test_planned_numbers_have_three_digits():
    given = (1, 87, 87.2, 999, 999.5, 1004.9, 1764, 22_012, 999_600, 10**8 + 1)
    assert [rounded_documents(n) for n in given] == [
        *(1, 87, 88, 999, 1000, 1000, 1760, 22_000, 1_000_000, 10**8),
    ]
