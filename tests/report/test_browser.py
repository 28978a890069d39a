"""The page in a browser says what Python says."""

import re

import numpy as np
import pandas as pd
import pytest
from browser import share
from pypdfium2 import PdfDocument

from stanoff import compare, compare_counts
from stanoff.inference import intervals
from stanoff.inference.decision import rope_flips
from stanoff.report.document import Section, Table, document
from stanoff.report.page import COLUMNS
from stanoff.report.page import comparison_page as page
from stanoff.text.numbers import percent
from stanoff.text.run_again import run_again
from stanoff.text.sentences import describe_comparison, describe_rope_flips
from stanoff.text.tables import comparison_table

pytestmark = pytest.mark.usefixtures("without_figures")
PAIR = {"c_pos": [310, 25, 20, 43], "c_neg": [40, 30, 25, 7039]}
HOSTILE = [
    "</script><script>window.hit=1</script>",
    "<img src=x onerror=\"window.hit=1;alert('x')\">",
    "\"'&amp;%_$\\{}^~#",
    "😀 \u2028 ${window.hit=1}",
    "שלום עולם",
    "cell0z1cell",
]


@pytest.fixture
def without_figures(monkeypatch):
    """Drawing them takes longer than all the rest; test_page.py looks at them."""
    monkeypatch.setattr("stanoff.report.page.draw_figures", lambda *_: [])


def compared(**options):
    return compare_counts(**{**PAIR, "engine": "exact", "seed": 1, "draws": 4000} | options)


def many(k, **options):
    rng = np.random.default_rng(7)
    rates = rng.dirichlet([70, 8, 7, 15], k)
    pos = [rng.multinomial(n, p) for n, p in zip(rng.integers(30, 900, k), rates, strict=True)]
    neg = rng.multinomial(5000, [0.02, 0.01, 0.008, 0.962], k)
    known = {"categories": [f"group.{i}" for i in range(k)]}
    return compared(c_pos=np.array(pos), c_neg=neg, **(known | options))


def valued(**options):
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.normal([0.5, 0.48], 0.1, (60, 2)), columns=["bm25", "dense"])
    return compare(frame, a="bm25", b="dense", measure="mean", seed=1, **options)


RESULTS = {
    "f1": lambda: compared(),
    "50,000 draws": lambda: compared(draws=50_000, names=("SVM <L2>", "NB & co")),
    "lower is better": lambda: compared(measure="error", rope=0.002),
    "long tail": lambda: compared(measure="dor", rope=50),
    "asymmetric": lambda: compared(rope=(-0.01, 0.03)),
    "unpaired": lambda: compare_counts(
        a=[310, 70, 20, 43], b=[250, 40, 80, 43], engine="exact", seed=1, draws=4000, hdi_prob=0.9
    ),
    "no difference": lambda: compared(c_pos=[1, 0, 0, 0], c_neg=[0, 1, 0, 1], rope=0),
    "many": lambda: many(12, average="macro"),
    "values": lambda: valued(rope="2%"),
    "losses": lambda: valued(rope="3% of range", higher_is_better=False),
}


def fill(tab, field, value):
    tab.fill(field, repr(value))


def copied(tab, what):
    """What a copy button puts into the clipboard."""
    tab.evaluate(
        "window.copied = null;"
        "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
    )
    tab.click(f"[data-copy={what}]")
    for _ in range(100):  # the page's policy forbids the polling that Playwright would do there
        if (text := tab.evaluate("window.copied")) is not None:
            return text
        tab.wait_for_timeout(20)
    raise AssertionError("nothing was copied")


def table(tab):
    script = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    return tab.eval_on_selector_all("#rows tbody tr", script)


def text(tab, place):
    return tab.eval_on_selector(place, "element => element.textContent")


@pytest.mark.parametrize("kind", RESULTS)
def test_the_browser_says_what_python_says(kind, open_page):
    result = RESULTS[kind]()
    tab = open_page(page(result))
    middle = sum(result.rope) / 2
    half = (result.rope[1] - result.rope[0]) / 2 or 0.08
    focus = result.average or result.categories[0]
    low, high = result.measure.range
    widest = 0.24 * (high - low)  # Python refuses one that holds half of all scores
    asked = [(None, None), (0.0, 0.5), (0.4, 0.95), (1.7, 0.999), (3.0, 0.3)]
    for factor, hdi in asked:
        width = None if factor is None else min(factor * half, widest)
        rope = None
        if width is not None:
            rope = middle - width, middle + width
            fill(tab, "#half", width)
            fill(tab, "#probability", hdi)
        same = result.judge(rope=rope, hdi_prob=hdi)
        told = [describe_comparison(same, same.evidence(c)) for c in same.categories]
        said = same.evidence(focus)
        assert text(tab, "#verdict") == told[same.categories.index(focus)]
        assert text(tab, "#symbol") == said.decision.symbol
        assert text(tab, "#change") == describe_rope_flips(same, said)
        if len(told) > 1:
            assert copied(tab, "sentences").split("\n") == told
        assert copied(tab, "sentence") == told[same.categories.index(focus)]
        expected = comparison_table(same, COLUMNS).drop(columns="BF_ROPE").to_numpy().tolist()
        shown = [
            row[: COLUMNS.index("bf_rope")] + row[COLUMNS.index("bf_rope") + 1 :]
            for row in table(tab)
        ]
        assert shown == expected
        assert copied(tab, "latex") == same.to_latex()
    fixed = comparison_table(result, ["bf_rope"])["BF_ROPE"].tolist()
    assert [row[COLUMNS.index("bf_rope")] for row in table(tab)] == fixed
    tab.click("#reset")
    assert text(tab, "#verdict") == describe_comparison(result, result.evidence(focus))
    assert tab.is_disabled("#reset")


def test_the_call_that_makes_it_again_is_copied(open_page):
    result = many(3, draws=100)
    assert copied(open_page(page(result)), "again") == run_again(result)


def test_rows_stand_in_the_order_of_their_numbers(open_page):
    names = ["topic 10", "topic 9", "topic 1"]
    result = many(3, categories=names, draws=200, average="macro")
    tab = open_page(page(result))
    shown = [row[0] for row in table(tab)]
    assert shown == ["topic 1", "topic 9", "topic 10", "macro", "micro", "weighted"]
    expected = comparison_table(result, COLUMNS).set_index("category").loc[shown]
    assert [row[1:] for row in table(tab)] == expected.to_numpy().tolist()
    tab.click("#rows tbody tr:first-child")
    assert text(tab, "#verdict").startswith(describe_comparison(result, result.evidence("topic 1")))


def test_thinned_draws_give_what_their_number_allows(open_page):
    result = many(50, draws=30_000)
    every = 7  # of 1.5 million draws, 240,000 at most are there
    coarse = every / 30_000
    text_of_page = page(result)
    assert f"one of every {every} draws" in text_of_page
    assert f"off by at most {100 * coarse:.2g}%" in text_of_page
    tab = open_page(text_of_page)
    columns = [name for name in COLUMNS if name != "bf_rope"]

    def shown():
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in table(tab)]
        return pd.DataFrame(rows)[columns]

    def of_python(judged):
        return comparison_table(judged, columns).set_axis(columns, axis=1)

    # What the comparison asked is shown as Python says it, whatever the number of draws.
    assert shown().equals(of_python(result))
    # Under another ROPE so are the HDI and the decision; a share is off by the draws left out.
    fill(tab, "#half", 0.021)
    same = result.judge(rope=0.021)
    assert shown().drop(columns="p_rope").equals(of_python(same).drop(columns="p_rope"))
    for name, written in zip(same.categories, shown()["p_rope"], strict=True):
        p = same.evidence(name).p_rope
        low, high = (share(percent(limit)) for limit in (p - coarse, p + coarse))
        assert low <= share(written) <= high
    # An HDI of another probability has it up to the draws left out, and is as narrow as can be.
    fill(tab, "#probability", 0.8)
    for name, interval in zip(result.categories, shown()["hdi"], strict=True):
        low, high = map(float, re.findall(r"[-+.\d]+", interval))
        unit = 10.0 ** -len(interval.split(".")[1].split(",")[0])
        draws = result.posterior_sample(name)
        mass = np.mean((draws >= low - unit / 2) & (draws <= high + unit / 2))
        assert mass >= 0.8 - 2 * coarse
        narrow = np.subtract(*intervals.hdi(draws.ravel(), 0.8 + 2 * coarse)[::-1])
        assert high - low <= narrow + unit


def test_numbers_are_written_as_python_writes_them(open_page):
    tab = open_page(page(compared()))
    rng = np.random.default_rng(2)
    values = [
        0.0,
        -0.0,
        0.25,
        0.35,
        0.0625,
        2.5,
        -0.0004,
        1e5,
        999999.5,
        1e6,
        1e-4,
        9.99999e-5,
        1e22,
    ]
    values += [*rng.normal(0, 1, 200), *10 ** rng.uniform(-9, 9, 200), *(np.arange(400) / 400)]
    values = [float(value) for value in values]
    script = (
        "values => values.map(x => "
        "[fixed(x, 1), signed(x, 3), general(x), percent(Math.abs(x) % 1)])"
    )
    expected = [[f"{x:.1f}", f"{x:+.3f}", f"{x:g}", percent(abs(x) % 1)] for x in values]
    assert tab.evaluate(script, values) == expected


def test_the_slider_is_moved_by_keys_and_marks_where_the_decision_flips(open_page):
    result = compared()
    tab = open_page(page(result))
    [(flip, before, after)] = rope_flips(result.evidence())
    zones = tab.locator("#zones span")
    assert zones.all_text_contents() == [before.symbol, after.symbol]
    boxes = [zones.nth(i).bounding_box() for i in range(2)]
    share = boxes[0]["width"] / (boxes[0]["width"] + boxes[1]["width"])
    widest = float(tab.get_attribute("#slider", "max"))
    assert share == pytest.approx(flip / widest, abs=0.01)
    tab.focus("#slider")
    tab.keyboard.press("Home")
    assert text(tab, "#symbol") == before.symbol
    assert tab.get_attribute("#slider", "aria-valuetext") == "plus or minus 0"
    tab.keyboard.press("End")
    assert text(tab, "#symbol") == after.symbol
    tab.keyboard.press("ArrowLeft")
    width = float(tab.input_value("#half"))
    assert 0 < width < widest
    assert text(tab, "#verdict") == describe_comparison(result, result.judge(rope=width).evidence())
    assert tab.is_visible("#changed")
    assert tab.get_attribute("#verdict", "aria-live") == "polite"


def test_what_cannot_be_used_is_refused_in_words(open_page):
    tab = open_page(page(compared()))
    before = text(tab, "#verdict")
    for field, value, told in (
        ("#half", "-1", "0 or more"),
        ("#half", "", "number"),
        ("#probability", "1", "between 0 and 1"),
        ("#probability", "0.0001", "4000 draws can show"),
    ):
        tab.fill(field, value)
        assert told in text(tab, "#problem")
        assert tab.get_attribute(field, "aria-invalid") == "true"
        assert text(tab, "#verdict") == before
        tab.focus("#slider")
        assert text(tab, "#problem") == ""
        assert float(tab.input_value(field)) == (0.05 if field == "#half" else 0.95)


def test_rows_are_sorted_and_filtered(open_page):
    result = many(12, average="macro")
    tab = open_page(page(result))
    summary = result.summary().set_index("category")

    def names():
        script = "rows => rows.filter(r => !r.hidden).map(r => r.cells[0].textContent)"
        return tab.eval_on_selector_all("#rows tbody tr", script)

    tab.focus("th[data-key=mean] button")
    tab.keyboard.press("Enter")
    assert names() == list(summary["mean"].sort_values(kind="stable").index)
    tab.keyboard.press("Enter")
    assert tab.get_attribute("th[data-key=mean]", "aria-sort") == "descending"
    assert names()[0] == summary["mean"].idxmax()
    tab.click("th[data-key=category] button")
    assert names()[:3] == ["group.0", "group.1", "group.2"]
    assert tab.get_attribute("th[data-key=mean]", "aria-sort") is None
    tab.click("th[data-key=sign_test] button")
    assert names()[-3:] == ["macro", "micro", "weighted"]  # these have no test
    tab.fill("#search", "GROUP.1")
    assert sorted(names()) == ["group.1", "group.10", "group.11"]
    assert "3 of 15" in text(tab, "#shown")
    tab.fill("#search", "")
    tab.click('[data-tally="="]')
    equal = sorted(summary.index[summary["decision"] == "="])
    assert sorted(names()) == equal
    assert text(tab, '[data-tally="="] b') == str(len(equal))
    fill(tab, "#half", 5.0)
    assert len(names()) == 15
    tab.click('tr[data-i="3"]')
    assert "on category group.3" in text(tab, "#verdict")
    tab.select_option("#focus", label="group.5")
    assert "on category group.5" in text(tab, "#verdict")


def test_a_thousand_categories_follow_the_slider_at_once(open_page):
    result = many(1000, draws=200)
    tab = open_page(page(result))
    assert len(table(tab)) == 1000
    # The best of three, in the browser: what else the machine does is not the page's fault.
    took = tab.evaluate(
        """() => Math.min(...[0.011, 0.013, 0.02].map(width => {
            const start = performance.now();
            document.getElementById("slider").value = width;
            document.getElementById("slider").dispatchEvent(new Event("input"));
            document.body.getBoundingClientRect();
            return performance.now() - start;
        }))"""
    )
    assert took < 1000
    width = float(tab.input_value("#half"))
    fill(tab, "#probability", 0.9)
    shown = table(tab)
    for row in (0, 499, 999):
        said = result.judge(rope=width, hdi_prob=0.9).evidence(result.categories[row])
        assert shown[row][COLUMNS.index("decision")].removesuffix(" †") == said.decision.symbol


def test_hostile_names_are_only_text(open_page):
    k = len(HOSTILE)
    result = many(k, categories=HOSTILE, names=(HOSTILE[0], HOSTILE[1]), average="micro")
    tab = open_page(page(result))
    fill(tab, "#half", 0.01)
    for i in range(k):
        tab.select_option("#focus", str(i))
        same = result.judge(rope=0.01)
        assert text(tab, "#verdict") == describe_comparison(same, same.evidence(HOSTILE[i]))
    assert copied(tab, "latex") == same.to_latex()
    tab.fill("#search", "</script>")
    assert "1 of" in text(tab, "#shown")
    assert tab.evaluate("window.hit") is None
    assert tab.locator("#rows img, #rows script").count() == 0


def test_dark_narrow_and_printed(open_page, tmp_path):
    text_of_page = page(many(12, average="macro"))
    dark = open_page(text_of_page, color_scheme="dark", viewport={"width": 390, "height": 800})
    colour = dark.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", colour))) < 60
    assert dark.evaluate("document.documentElement.scrollWidth") <= 390
    light = open_page(text_of_page)
    light.emulate_media(media="print")
    assert not light.is_visible("#slider")
    assert light.is_visible("#verdict")
    wide = (
        "[...document.querySelectorAll('table')]"
        ".map(t => t.scrollWidth - t.parentElement.clientWidth)"
    )
    assert light.pdf(format="A4").startswith(b"%PDF")
    light.set_viewport_size({"width": 680, "height": 900})  # the width of A4 within its margins
    assert max(light.evaluate(wide)) <= 1


LONG = {
    "categories": [f"comp.sys.ibm.pc.hardware.and.much.more.{i}" for i in range(20)],
    "names": ("a classifier with a name of more than forty letters", "nb_multinomial"),
}
WIDTHS = "box => [box.scrollWidth, box.clientWidth]"


@pytest.mark.parametrize("options", [LONG, {"measure": "error", "rope": 0.0002}, {"draws": 200}])
def test_the_table_fits_a_screen_of_1280_pixels(open_page, options):
    tab = open_page(page(many(20, average="macro", **options)))
    needed, there = tab.eval_on_selector(".scroll", WIDTHS)
    assert needed <= there
    assert tab.evaluate("document.documentElement.scrollWidth") <= 1280


def box_of(tab, place):
    return tab.locator(place).first.bounding_box()


@pytest.mark.parametrize("options", [LONG, {}])
def test_on_a_phone_category_and_decision_are_seen_together(open_page, options):
    tab = open_page(page(many(20, **options)), viewport={"width": 390, "height": 800})
    cells = [box_of(tab, f"#rows tbody tr:nth-child(3) > :nth-child({i})") for i in (1, 2)]
    assert all(cell["x"] >= 0 and cell["x"] + cell["width"] <= 390 for cell in cells)
    tab.eval_on_selector(".scroll", "box => box.scrollLeft = 300")
    first, second = (box_of(tab, f"#rows tbody tr:nth-child(3) > :nth-child({i})") for i in (1, 2))
    assert first["x"] == cells[0]["x"]
    assert second["x"] < first["x"] + first["width"]
    colour = "cell => getComputedStyle(cell).backgroundColor"
    assert tab.eval_on_selector("#rows tbody tr:nth-child(3) > th", colour) == "rgb(255, 255, 255)"


def test_a_chosen_row_shows_its_verdict_and_names_the_page(open_page):
    result = many(60, draws=200)
    tab = open_page(page(result), reduced_motion="reduce")
    assert (
        tab.title() == f"A {result.evidence('group.0').decision.symbol} B in F1 on category group.0"
        ", ROPE [-0.05, +0.05]"
    )
    tab.locator('tr[data-i="40"]').scroll_into_view_if_needed()
    assert box_of(tab, "#verdict")["y"] < 0
    tab.click('tr[data-i="40"]')
    verdict = box_of(tab, "#verdict")
    assert 0 <= verdict["y"] <= 900 - verdict["height"]
    fill(tab, "#half", 0.001)
    symbol = result.judge(rope=0.001).evidence("group.40").decision.symbol
    assert tab.title() == f"A {symbol} B in F1 on category group.40, ROPE [-0.001, +0.001]"
    tab.fill("#search", "nothing")
    tab.click("#back")
    row = box_of(tab, 'tr[data-i="40"]')
    assert 0 <= row["y"] <= 900
    tab.click("#reset")
    assert tab.title().endswith("ROPE [-0.05, +0.05]")


def test_the_headings_are_on_every_printed_sheet(open_page):
    tab = open_page(page(many(80, draws=200)))
    with PdfDocument(tab.pdf(format="A4")) as sheets:
        texts = [sheet.get_textpage().get_text_range() for sheet in sheets]
    whole = "\f".join(texts).split("Run this again")[0]  # the call has the names, too
    with_rows = [text for text in whole.split("\f") if "group." in text.split("Settings")[0]]
    assert len(with_rows) > 2
    assert all("BF_ROPE" in text and "decision" in text for text in with_rows)


def test_a_document_stands_in_the_middle(open_page):
    wide = pd.DataFrame({f"column {i}": [1] for i in range(12)})
    parts = ["A text. " * 30, Table(wide, "Caption")]
    text = document("Title", [Section("One", parts), Section("Two")])
    tab = open_page(text, viewport={"width": 1600, "height": 900})
    for place in ("h1", "nav", "h2 >> nth=1", "section p", "section .scroll"):
        box = box_of(tab, place)
        assert box["x"] + box["width"] / 2 == pytest.approx(
            800, abs=12
        )  # a scroll bar may be there
    tab.set_viewport_size({"width": 390, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


def test_all_that_is_interactive_can_be_reached_by_keys(open_page):
    tab = open_page(page(many(3, average="macro")))
    wanted = set(
        tab.evaluate(
            "[...document.querySelectorAll('main button:not(:disabled), main input, main select')]"
            ".map((e, i) => { e.dataset.nr = i; return String(i); })"
        )
    )
    reached, outlined = set(), 0
    for _ in range(len(wanted) + 10):
        tab.keyboard.press("Tab")
        at = tab.evaluate(
            "[document.activeElement.dataset.nr,"
            " getComputedStyle(document.activeElement).outlineStyle]"
        )
        if at[0] is not None:
            reached.add(at[0])
            outlined += at[1] != "none"
    assert reached == wanted
    assert outlined >= len(wanted)
    labelled = (
        "[...document.querySelectorAll('input, select')].every(e => e.labels.length || e.ariaLabel)"
    )
    assert tab.evaluate(labelled)


def test_without_scripts_the_page_still_tells_everything(open_page):
    result = compared()
    tab = open_page(page(result), java_script_enabled=False)
    assert tab.inner_text("#verdict") == describe_comparison(result, result.evidence())
    assert not tab.is_visible("#slider")
    assert tab.locator("#rows tbody tr").count() == 1
