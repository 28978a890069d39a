import html
import re

import pytest
from hostile import HOSTILE, RENDERERS
from hypothesis import example, given
from hypothesis import strategies as st

from stanoff._lib.escaping import escape_controls, latex, markdown, one_line, shown


def rendered(renderer, text):
    shown_as = renderer.render(text)
    assert re.fullmatch(r"(<p>[^<>]*</p>\n)?", shown_as), shown_as
    return html.unescape(shown_as.removeprefix("<p>").removesuffix("</p>\n"))


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_shows_exactly_the_name(renderer, name):
    assert rendered(renderer, markdown(name)) == name
    assert rendered(renderer, f"{markdown(name)} {markdown(name)}") == f"{name} {name}"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
@example("1) a")
@example("&lt;b>")
@example("\\<")
@example("a\0b")
def test_markdown_shows_any_text_on_one_line(text):
    assert rendered(RENDERERS[0], markdown(text)) == one_line(text)


@given(st.text())
def test_one_line_is_one_line(text):
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    line.encode("utf-8")  # no half of a character is left
    assert one_line(line) == line


def test_only_names_from_right_to_left_are_isolated():
    assert shown("svm 😀 混淆 é") == "svm 😀 混淆 é"
    for name in ("שלום", "svm مرحبا", "١٢"):
        assert shown(name) == f"\u2068{name}\u2069"
    assert shown("a\u202eb\u2069c") == "abc"  # nothing of a name reaches beyond it


def test_latex_leaves_plain_words_alone():
    assert latex("Plain words, 1.5 of them; (really)!") == "Plain words, 1.5 of them; (really)!"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("≪ < ≈ > ≫ ⋆ ‡", r"$\ll$ $<$ $\approx$ $>$ $\gg$ $\star$ $\ddagger$"),
        ("∼ ≠", r"$\sim$ $\ne$"),  # of significance tests
        ("[-0.1, +0.2]", r"{[}$-$0.1, +0.2{]}"),
        ("well-known a-1", "well-known a-1"),
        ("a--b", "a-{}-b"),
        ("é ő ç ß ﬁ", r"é ő ç ß \ifdefined\Umathcode ﬁ\else\texttt{U+FB01}\fi{}"),
        ("e\u0301", "é"),
        ("δ", r"$\delta$"),
        ("a\u2068ש\u2069", r"a\ifdefined\Umathcode ש\else\texttt{U+05E9}\fi{}"),
    ],
)
def test_latex_of(text, written):
    assert latex(text) == written


@given(st.text())
def test_latex_is_balanced(text):
    written = latex(text)
    bare = re.sub(r"\\[\\{}$&#_%]", "", written)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert not re.search(r"[&#%_~^|\"]", re.sub(r"\\[\"~^]\{|\^2|\^3|\^\\circ", "", bare))


def test_no_control_character_reaches_a_terminal():
    name = "a\x1b[31m\x1b]0;t\x07\x9b31m\rb\tc\nd"
    assert escape_controls(name) == "a\\u001b[31m\\u001b]0;t\\u0007\\u009b31m\\u000db\tc\nd"
