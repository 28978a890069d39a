import html
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from stanoff import Comparison, compare_counts
from stanoff.inference.intervals import hdi
from stanoff.models.priors import Prior, describe_prior
from stanoff.report.figures import Picture, draw_figures
from stanoff.report.page import BIBTEX, DIGITS, embed_draws, settings
from stanoff.report.page import comparison_page as page
from stanoff.text.sentences import describe_comparison, describe_rope_flips

NOTHING_DRAWN = [Picture("posterior", "caption", b"<svg></svg>")]


def decoded(row):
    """Read the draws back."""
    gaps, gap, unit = [], 0, 1
    for digit in map(DIGITS.tobytes().decode().index, row["gaps"]):
        gap += digit % 32 * unit
        unit *= 32
        if digit < 32:
            gaps.append(gap)
            gap, unit = 0, 1
    return np.cumsum([row["first"], *gaps]) * row["step"]


DRAWS = {
    "normal": lambda rng: rng.normal(0.01, 0.02, 5000),
    "long tail": lambda rng: rng.standard_cauchy(5000) * 1000,
    "tiny": lambda rng: rng.normal(0, 1e-12, 500),
    "atoms": lambda rng: rng.choice([-1.0, 0.0, 0.5, 1.0], 500),
    "one value": lambda rng: np.zeros(100),
    "beside the ROPE": lambda rng: np.nextafter(0.05, rng.choice([-1, 1], 500)),
}


@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize("times", [1, 40])
def test_embedded_draws_are_those_of_python(kind, times):
    rng = np.random.default_rng(4)
    draws = DRAWS[kind](rng)
    [row, *_], kept = embed_draws([draws] * times, keep_sides_of=(-0.05, 0.05, 0.0))
    assert kept["thinning"] == 1
    back, ordered = decoded(row), np.sort(draws)
    spread = np.subtract(*np.quantile(draws, [0.75, 0.25]))
    assert np.abs(back - ordered).max() <= max(1e-5 * spread, 1e-14 * np.abs(draws).max())
    for value in (-0.05, 0.05, 0.0):
        assert np.sum(back < value) == np.sum(draws < value)
        assert np.sum(back > value) == np.sum(draws > value)
    for probability in (0.5, 0.95):
        assert hdi(back, probability) == pytest.approx(
            hdi(draws, probability), abs=2 * np.abs(back - ordered).max() or 1e-300
        )


def test_beyond_a_total_every_kth_draw_in_order_is_kept():
    rows, thinned = embed_draws([np.arange(1_000_000.0)] * 3, keep_sides_of=(0.0,))
    assert thinned == {"thinning": 13, "coarse": "0.0013%"}
    kept = [decoded(row) for row in rows]
    assert all(np.array_equal(draws, np.arange(6, 1_000_000, 13)) for draws in kept)


def test_draws_that_are_not_finite_are_shown_as_python_says_them(stored):
    delta = stored.scores.delta.copy()
    delta[0, 0, 0] = np.nan
    odd = replace(stored, scores=replace(stored.scores, delta=delta), prior_scores=None)
    text = html.unescape(page(odd, figures=NOTHING_DRAWN))
    assert "The draws of 8 are not all finite" in text
    assert describe_comparison(odd, odd.evidence()) in text


def test_the_page_tells_the_verdict_the_table_and_the_settings(stored):
    text = html.unescape(page(stored, figures=NOTHING_DRAWN))
    said = stored.evidence()
    assert describe_comparison(stored, said) in text
    assert describe_rope_flips(stored, said) in text
    assert all(word in text for word in ("F1 = ", "paired", "4 × ", "[-0.05, +0.05]", "95%"))
    assert BIBTEX in text
    assert not re.search(r"20\d\d-\d\d-\d\d", text)  # no date: the same numbers, the same bytes


def test_the_settings_name_file_columns_label_prior_and_unit(stored):
    assert settings(stored, "2 documents")["prior"] == "uniform (every weight 1)"
    assert "file" not in settings(stored, "2 documents")
    origin = {"file": "a/b <c>.csv", "modified": "2026-01-31", "truth": "y", "a": "svm", "b": "nb"}
    data = replace(stored.data, source=origin | {"pos_label": "spam & co"})
    known = replace(stored, fit=replace(stored.fit, data=data, prior=Prior(beta=(2, 3))))
    told = settings(known, "7,532 documents")
    assert told["file"] == "b <c>.csv"
    assert told["file last changed"] == "2026-01-31"
    assert told["columns"] == "truth: y, A: svm, B: nb"
    assert told["positive label"] == "spam & co"
    assert told["documents"] == "7,532 documents, taken as independent of each other"
    assert told["prior"] == "beta 2 and 3, alpha_pos 1, alpha_neg 1"
    assert "spam &amp; co" in page(known, figures=NOTHING_DRAWN)


@pytest.mark.parametrize(
    ("prior", "told"),
    [
        (Prior.perks(), "Perks (weights that sum to 1)"),
        (Prior(mass=2), "weights that sum to 2, shared out equally"),
        (Prior(kappa=(2, 1)), "uniform (every weight 1), kappa log-normal (2, 1)"),
        (Prior(kappa_neg=(4, 1)), "uniform (every weight 1), kappa_neg log-normal (4, 1)"),
        (
            (Prior(), Prior.jeffreys()),
            "A: uniform (every weight 1); B: Jeffreys (every weight 1/2)",
        ),
        (Prior(alpha_pos=(1, 2, 3, 4.5)), "beta 1, alpha_pos 1, 2, 3 and 4.5, alpha_neg 1"),
    ],
)
def test_priors_are_told_in_words(prior, told):
    assert describe_prior(prior) == told


def test_the_page_holds_no_address_and_the_policy_forbids_the_network(stored):
    text = page(stored, figures=NOTHING_DRAWN)
    policy = html.unescape(re.search(r'Security-Policy" content="([^"]+)"', text)[1])
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert not re.search(r'(?:src|href)\s*=\s*"(?!#)', text)


def test_figures_that_do_not_apply_are_left_out(stored):
    names = [picture.name for picture in draw_figures(stored, "8")]
    assert names == ["posterior", "factor", "joint", "mosaic", "trace"]
    posterior_only = replace(stored.fit, draws=replace(stored.fit.draws, prior={}))
    without_prior = Comparison.from_fit(posterior_only, "svm", "nb", stored.question)
    assert "factor" not in [picture.name for picture in draw_figures(without_prior, "8")]
    cells = [[310, 70, 20, 43]] * 2
    apart = compare_counts(a=cells, b=cells, engine="exact", seed=1, draws=100, average="macro")
    names = [picture.name for picture in draw_figures(apart, "macro")]
    assert names[0] == "forest"
    assert "mosaic" not in names


class Ids(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.used = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            elif name in ("href", "xlink:href") and value.startswith("#"):
                self.used.append(value[1:])
            self.used += re.findall(r"url\(#([^)]+)\)", value or "")


def test_ids_of_figures_do_not_clash_and_figures_are_the_same_again(stored):
    text = page(stored)
    assert text == page(stored)
    found = Ids(text)
    assert len(found.ids) == len(set(found.ids))
    assert set(found.used) <= set(found.ids)


@pytest.mark.parametrize("options", [{"draws": 50_000}, {"draws": 1000, "chains": 4}])
def test_fifty_categories_take_at_most_1_2_megabytes(options):
    rng = np.random.default_rng(1)
    pos = rng.multinomial(400, [0.7, 0.08, 0.06, 0.16], 50)
    neg = rng.multinomial(7000, [0.01, 0.005, 0.004, 0.981], 50)
    result = compare_counts(pos, neg, engine="exact", seed=1, average="macro", **options)
    assert len(page(result).encode()) <= 1_200_000


def test_to_html_writes_the_page(stored, tmp_path, monkeypatch):
    monkeypatch.setattr("stanoff.report.page.draw_figures", lambda *_: NOTHING_DRAWN)
    path = stored.to_html(tmp_path / "deep" / "report.html")
    assert path.read_text("utf-8") == page(stored)
