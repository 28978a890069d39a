r"""What users name, shown as it is and meaning nothing: in a terminal, Markdown, LaTeX, a sentence.

HTML is escaped by Jinja2.
"""

from __future__ import annotations

import re
import unicodedata

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
_BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_UNPRINTABLE = {"Cc", "Cs"}  # control characters, and halves of characters
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tabs and new lines

_MARKDOWN = re.compile(r"[\\`*_\[\]|#~$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_MARKDOWN_START = re.compile(r"^(=|-(?=-)|[-+](?=\s|$)|\d+(?=[.)](\s|$)))")


def escape_controls(text: str) -> str:
    r"""Write control characters, which a terminal would obey, as JSON does.

    Examples
    --------
    >>> print(escape_controls("a\x1b[31mb"))
    a\u001b[31mb
    """
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def one_line(text: str) -> str:
    r"""Put a text on one line; what cannot be printed becomes U+FFFD.

    Examples
    --------
    >>> one_line(" a\n\tb ")
    'a b'
    """
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join("\ufffd" if unicodedata.category(c) in _UNPRINTABLE else c for c in line)


def shown(name: str) -> str:
    """Make a name safe to stand in a sentence: one line, and the words around it keep their order.

    A name with right-to-left characters is isolated; its own directional controls are dropped.

    Examples
    --------
    >>> shown("svm"), shown("שלום") == "\u2068שלום\u2069"
    ('svm', True)
    """
    line = _BIDI_CONTROLS.sub("", one_line(name))
    if any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in line):
        return f"{FIRST_STRONG_ISOLATE}{line}{POP_ISOLATE}"
    return line


def markdown(text: str) -> str:
    r"""Keep the characters of a text from meaning anything in Markdown or HTML.

    Examples
    --------
    >>> markdown("a_b|<i>")
    'a\\_b\\|&lt;i&gt;'
    >>> markdown("1. first")
    '1\\. first'
    """
    text = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _MARKDOWN.sub(r"\\\g<0>", text)
    # At its beginning a text might be taken for a list or an underline.
    return _MARKDOWN_START.sub(lambda m: f"{m[0]}\\" if m[0][0].isdigit() else f"\\{m[0]}", text)


def latex(text: str) -> str:
    r"""Keep the characters of a text from meaning anything in LaTeX; symbols become math.

    Letters with accents stay: LaTeX reads UTF-8. What pdfLaTeX has no letter for, as an emoji, is
    shown by XeLaTeX and LuaLaTeX as it is and by pdfLaTeX as its number: U+1F600.

    Examples
    --------
    >>> latex("50% of a_b ≫ -1")
    '50\\% of a\\_b $\\gg$ $-$1'
    """
    line = unicodedata.normalize("NFC", _BIDI_CONTROLS.sub("", one_line(text)))
    line = _FOREIGN.sub(_only_unicode, _MINUS.sub("−", line).translate(_LATEX))
    return _LIGATURE.sub(r"\g<0>{}", line)


def _only_unicode(match: re.Match[str]) -> str:
    codes = " ".join(f"U+{ord(character):04X}" for character in match[0])
    return rf"\ifdefined\Umathcode {match[0]}\else\texttt{{{codes}}}\fi{{}}"


_MINUS = re.compile(r"(?<![^\s\[(])-(?=\.?\d)")  # before a number
_LIGATURE = re.compile(r"([-,'])(?=\1)")  # two of these would become another sign
# What every font of LaTeX has: accented letters, but no ogonek (U+0328), and a few signs.
_ACCENTED = [c for c in map(chr, range(0xC0, 0x180)) if len(unicodedata.normalize("NFD", c)) == 2]
_FAMILIAR = [c for c in _ACCENTED if not unicodedata.normalize("NFD", c).endswith("\u0328")]
_FOREIGN = re.compile(f"[^\x20-\x7eßæÆœŒøØłŁı§†–—‘’“”…¡¿{''.join(_FAMILIAR)}]+")
_MATH = {
    **{"≪": r"\ll", "≈": r"\approx", "∼": r"\sim", "≫": r"\gg", "⋆": r"\star", "‡": r"\ddagger"},
    **{"≤": r"\le", "≥": r"\ge", "≠": r"\ne", "±": r"\pm", "×": r"\times", "·": r"\cdot"},
    **{"−": "-", "√": r"\surd", "∞": r"\infty", "→": r"\to", "²": "^2", "³": "^3", "<": "<"},
    **{">": ">", "δ": r"\delta", "ψ": r"\psi", "β": r"\beta", "φ": r"\phi", "α": r"\alpha"},
    **{"ρ": r"\rho", "₊": "_+", "₋": "_-"},
}
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "|": r"\textbar{}",
        '"': r"\char34{}",  # babel may have given the sign itself a meaning
        "`": r"\char96{}",
        "[": "{[}",  # after a line break it would begin an option
        "]": "{]}",
        "*": "{*}",
        **{sign: f"\\{sign}" for sign in "{}$&#_%"},
        **{sign: f"${command}$" for sign, command in _MATH.items()},
    }
)
