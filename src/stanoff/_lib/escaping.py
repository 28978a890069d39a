r"""What users name, shown as it is and meaning nothing: in Markdown, in LaTeX, in a sentence.

HTML is escaped by Jinja2.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import groupby

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
_BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_UNPRINTABLE = {"Cc", "Cs"}  # control characters, and halves of characters

_MARKDOWN = re.compile(r"[\\`*_\[\]|#~$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_MARKDOWN_START = re.compile(r"^(=|-(?=-)|[-+](?=\s|$)|\d+(?=[.)](\s|$)))")


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
    r"""Keep the characters of a text from meaning anything in LaTeX; it needs no package.

    Letters with accents become commands, symbols become math. What pdflatex has no letter for, as
    an emoji, is shown by XeLaTeX and LuaLaTeX as it is and by pdflatex as its number: U+1F600.

    Examples
    --------
    >>> latex("50% of a_b ≫ -1")
    '50\\% of a\\_b $\\gg$ $-$1'
    >>> latex("naïve")
    'na\\"{\\i}ve'
    """
    line = unicodedata.normalize("NFC", _BIDI_CONTROLS.sub("", one_line(text)))
    line = _MINUS.sub("−", line)
    runs = groupby(line, key=lambda c: _latex_character(c) is not None)
    parts = (
        "".join(_latex_character(c) or "" for c in run) if known else _only_unicode("".join(run))
        for known, run in runs
    )
    return _LIGATURE.sub(r"\g<0>{}", "".join(parts))


def breakable(text: str, most: int = 24) -> str:
    r"""Escape a text for LaTeX whose long words may be broken if need be, best after a sign.

    Parameters
    ----------
    text : str
        What is written.
    most : int
        How many characters of a word there is room for at least.

    Examples
    --------
    >>> breakable("-1 rec.autos", most=6)
    '$-$1 rec.\\allowbreak{}auto\\penalty5000{}s'
    """
    return " ".join(
        latex(word) if len(word) <= most else _in_pieces(word) for word in one_line(text).split()
    )


def _in_pieces(word: str) -> str:
    parts: list[str] = []
    for piece in _PIECE.findall(unicodedata.normalize("NFC", word)):
        ugly = piece[-1].isalnum() or piece[-1] in "([{<"
        parts += [latex(piece), r"\penalty5000{}" if ugly else r"\allowbreak{}"]
    return "".join(parts[:-1])


_PIECE = re.compile(r"[^\W_]{1,4}[\W_]?|[\W_]")
_MINUS = re.compile(r"(?<![^\s\[(])-(?=\.?\d)")  # before a number
_LIGATURE = re.compile(r"([-,'])(?=\1)")  # two of these would become another sign

_LATEX = {
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
    **{sign: f"${sign}$" for sign in "<>"},
    **{
        sign: f"${name}$"
        for sign, name in {
            "≪": r"\ll",
            "≈": r"\approx",
            "∼": r"\sim",
            "≫": r"\gg",
            "⋆": r"\star",
            "‡": r"\ddagger",
            "≤": r"\le",
            "≥": r"\ge",
            "≠": r"\ne",
            "±": r"\pm",
            "×": r"\times",
            "·": r"\cdot",
            "−": "-",
            "√": r"\surd",
            "∞": r"\infty",
            "→": r"\to",
            "²": "^2",
            "³": "^3",
            "°": r"^\circ",
        }.items()
    },
    **{
        letter: f"\\{name}{{}}"
        for letter, name in {
            "ß": "ss",
            "æ": "ae",
            "Æ": "AE",
            "œ": "oe",
            "Œ": "OE",
            "ø": "o",
            "Ø": "O",
            "ł": "l",
            "Ł": "L",
            "ı": "i",
            "§": "S",
            "†": "dag",
            "–": "textendash",
            "—": "textemdash",
            "‘": "textquoteleft",
            "’": "textquoteright",
            "“": "textquotedblleft",
            "”": "textquotedblright",
            "…": "textellipsis",
            "¡": "textexclamdown",
            "¿": "textquestiondown",
        }.items()
    },
}
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
}
_GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"),
    *("lambda", "mu", "nu", "xi", None, "pi", "rho", None, "sigma", "tau", "upsilon", "phi"),
    *("chi", "psi", "omega"),
)
_LATEX |= {chr(0x3B1 + i): f"$\\{name}$" for i, name in enumerate(_GREEK) if name}


@cache
def _latex_character(character: str) -> str | None:
    """Write one character in LaTeX; None where pdflatex has nothing for it."""
    if character in _LATEX:
        return _LATEX[character]
    if character.isascii():
        return character
    parts = unicodedata.normalize("NFD", character)
    base, mark = parts[0], parts[1:]
    if mark in _ACCENTS and base.isascii():
        accent = _ACCENTS[mark]
        if base in "ij" and accent not in "dc":
            base = f"\\{base}"  # without its dot
        return f"\\{accent}{{{base}}}"
    return None


def _only_unicode(run: str) -> str:
    codes = " ".join(f"U+{ord(character):04X}" for character in run)
    return rf"\ifdefined\Umathcode {run}\else\texttt{{{codes}}}\fi{{}}"
