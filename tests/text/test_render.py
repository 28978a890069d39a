"""The one writer of tables, whatever they hold."""

import csv
import io
import json
import math
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hostile import HOSTILE
from markdown_it import MarkdownIt
from test_latex import compiled

from stanoff import InputError
from stanoff.text.render import FORMATS, render, to_records

FRAME = pd.DataFrame(
    {
        "name": ["a_b|c", "<i>"],
        "n": [np.int64(7532), 12],
        "power": [0.81249, math.nan],
        "k": pd.array([3, None], dtype="Int64"),
    }
)


def rows_of(markdown):
    """Read the cells of a table in Markdown as a reader of the page sees them."""
    html = MarkdownIt("commonmark").enable("table").render(markdown.split("\n\n")[0])
    rows = ElementTree.fromstring(html).iter("tr")
    return [[cell.text or "" for cell in row] for row in rows]


def test_people_read_three_decimals_and_nothing_for_what_is_missing():
    expected = [list(FRAME.columns), ["a_b|c", "7532", "0.812", "3"], ["<i>", "12", "", ""]]
    assert rows_of(render(FRAME, "markdown")) == expected
    heading, _, first, second = render(FRAME, "table").splitlines()[-4:]
    assert heading.split() == expected[0]
    assert first.split() == expected[1]
    assert second.split() == ["<i>", "12"]
    body = render(FRAME, "latex").splitlines()[4:6]
    assert body == [r"a\_b\textbar{}c & 7532 & 0.812 & 3 \\", r"$<$i$>$ & 12 &  &  \\"]


def test_scripts_read_every_digit():
    assert json.loads(render(FRAME, "json")) == [
        {"name": "a_b|c", "n": 7532, "power": 0.81249, "k": 3},
        {"name": "<i>", "n": 12, "power": None, "k": None},
    ]
    first, second = csv.DictReader(io.StringIO(render(FRAME, "csv")))
    assert first == {"name": "a_b|c", "n": "7532", "power": "0.81249", "k": "3"}
    assert (second["power"], second["k"]) == ("", "")


def test_what_scripts_read_may_be_another_frame():
    words = pd.DataFrame({"p": ["⋆ <0.001"]})
    exact = pd.DataFrame({"p_value": [0.00012]})
    told = {style: render(words, style, numbers=exact) for style in FORMATS}
    assert all("0.001" in told[style] for style in ("table", "markdown", "latex"))
    assert json.loads(told["json"]) == [{"p_value": 0.00012}]
    assert told["csv"] == "p_value\n0.00012"


def test_lines_below_are_for_people():
    told = {style: render(FRAME, style, below=["A is a_b.", "B is c."]) for style in FORMATS}
    assert told["markdown"].endswith("\n\nA is a\\_b.\n\nB is c.")
    assert told["table"].endswith("\n\nA is a_b.\n\nB is c.")
    for style in ("json", "csv", "latex"):
        assert told[style] == render(FRAME, style)


def test_a_caption_and_a_label_are_for_latex():
    told = {style: render(FRAME, style, caption="50%", label="tab:x") for style in FORMATS}
    assert r"\caption{50\%}" in told["latex"]
    assert r"\label{tab:x}" in told["latex"]
    for style in set(FORMATS) - {"latex"}:
        assert told[style] == render(FRAME, style)
    with pytest.raises(InputError, match="'label'"):
        render(FRAME, "latex", label="a b")


def test_infinity_is_a_text_in_json():
    frame = pd.DataFrame({"bf": [math.inf, -math.inf, 1.5]})
    assert to_records(frame) == [{"bf": "inf"}, {"bf": "-inf"}, {"bf": 1.5}]


@pytest.mark.parametrize("style", FORMATS)
def test_nothing_ends_with_a_line_break(style):
    assert not render(FRAME, style).endswith("\n")


def test_hostile_cells_and_headings_are_shown_as_they_are(tmp_path):
    frame = pd.DataFrame({name: [name, "x"] for name in HOSTILE})
    assert rows_of(render(frame, "markdown")) == [
        list(HOSTILE),
        list(HOSTILE),
        ["x"] * len(HOSTILE),
    ]
    assert list(json.loads(render(frame, "json"))[0].items()) == [(n, n) for n in HOSTILE]
    assert next(csv.reader(io.StringIO(render(frame, "csv")))) == list(HOSTILE)
    assert render(frame, "table")  # rich's own markup would have failed
    compiled(render(frame, "latex"), tmp_path)


def test_a_narrow_terminal_cuts_nothing_off(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    assert "…" not in render(pd.DataFrame({"a": ["x" * 30], "b": ["y" * 30]}), "table")
