import html
import re
from html.parser import HTMLParser

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from markupsafe import Markup

from stanoff.errors import InputError
from stanoff.report.document import Figure, Items, Paragraph, Section, Table, document, joined, link
from stanoff.report.figures import as_bytes

HOSTILE = '</script><img src=x onerror="boom()">'


class Parsed(HTMLParser):
    """The tags of a page with their attributes."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self._open = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    def of(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture
def svg():
    _, ax = plt.subplots()
    ax.plot([0, 1], [0, 1], "o-")
    ax.set_title("a title")
    return as_bytes(ax)


def page_of(*blocks, title="Section"):
    return Parsed(document("Title", [Section(title, blocks)]))


def test_contents_link_to_every_section_and_anchors_are_unique(svg):
    sections = [Section("Same name"), Section("Same name"), Section("part", level=3), Section("Ω")]
    parsed = Parsed(document("Title", sections, subtitle="more"))
    links = [a["href"][1:] for a in parsed.of("a") if a.get("class") is None]
    ids = [attrs["id"] for _, attrs in parsed.tags if "id" in attrs]
    assert links == ["same-name", "same-name-2", "ω"]
    assert set(links) < set(ids)
    assert len(ids) == len(set(ids))


def test_names_are_escaped_everywhere_and_markup_is_kept():
    frame = pd.DataFrame({HOSTILE: [HOSTILE], "x": [1]})
    parsed = page_of(
        HOSTILE,
        Paragraph(joined([HOSTILE, " ", link(HOSTILE, "t.csv?a=1&b=2")])),
        Items([HOSTILE], numbered=True),
        Table(frame, caption=HOSTILE),
        title=HOSTILE,
    )
    assert not parsed.of("img")
    assert not parsed.of("script")
    assert "".join(parsed.text).count("onerror") >= 7
    assert {"href": "t.csv?a=1&b=2"} in parsed.of("a")


def test_figures_keep_their_ids_apart_and_say_what_they_show(svg):
    parsed = page_of(Figure(svg, "First & last"), Figure(svg, Markup("<em>Second</em>"), alt="Two"))
    ids = [attrs["id"] for _, attrs in parsed.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert [s["aria-label"] for s in parsed.of("svg")] == ["First & last", "Two"]
    page = document("T", [Section("S", [Figure(svg, "a"), Figure(svg, "b")])])
    used = re.findall(r'(?:href="|url\()#([^")]+)', page)
    assert len(used) > 10
    known = set(re.findall(r'id="([^"]+)"', page))
    assert set(used) <= known
    assert "<!--" not in page
    assert "metadata" not in page


def test_numbers_are_aligned_cells_are_highlighted_and_have_scopes():
    frame = pd.DataFrame(
        {
            "name": ["a", "b"],
            "p": ["‡ 9.551", "[-0.1, +0.2]"],
            "n": [1200, 3.5],
            "text": ["1", "two"],
        }
    )
    parsed = page_of(Table(frame, "Caption", highlight={(1, "n"): "mark"}))
    kinds = ["short", "number", "number", "short"]
    assert [h.get("class") for h in parsed.of("th")] == [*kinds, "short", "short"]
    assert [h["scope"] for h in parsed.of("th")] == ["col"] * 4 + ["row"] * 2
    assert [d.get("class") for d in parsed.of("td")][-2:] == ["number mark", "short"]


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Section("x", level=4), "level"),
        (lambda: link("x", "javascript:boom()"), "url"),
        (lambda: page_of(Table(pd.DataFrame({"a": [1]}), highlight={(0, "b"): "mark"})), "cells"),
        (lambda: page_of(Table(pd.DataFrame({"a": [1]}), highlight={(0, "a"): "red"})), "'red'"),
        (lambda: page_of(3), "blocks"),
    ],
)
def test_what_cannot_be_shown_is_refused(make, told):
    with pytest.raises(InputError, match=told):
        make()


def test_the_page_needs_no_network_and_is_the_same_again(svg):
    make = lambda: document("T", [Section("S", [Figure(svg, "a")])])  # noqa: E731
    assert make() == make()
    assert "default-src 'none'" in html.unescape(make())
    assert not re.search(r'(?:src|href)="https?:', re.sub(r"xmlns\S+", "", make()))


def test_plain_text_that_looks_like_tags_is_kept_whole():
    text = document("A <b> title", [Section("One <i>"), Section(Markup("<em>Two</em>"))])
    assert "<title>A &lt;b&gt; title</title>" in text
    assert ">One &lt;i&gt;</a>" in text
    assert ">Two</a>" in text


def test_a_folded_table_shows_its_caption_alone():
    frame = pd.DataFrame({"a": ["1"]})
    page = document("t", [Section("s", [Table(frame, "Forty rows.", folded=True)])])
    assert "<details><summary>Forty rows.</summary>" in page
    assert "<caption>" not in page
    assert "<details>" not in document("t", [Section("s", [Table(frame, "Forty rows.")])])
