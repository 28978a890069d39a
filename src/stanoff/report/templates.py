"""How pages are filled in: escaped by default, with styles and scripts inside."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from stanoff._lib.escaping import one_line

if TYPE_CHECKING:
    import pandas as pd


def render(template: str, *, package: str = "stanoff.report", **values: Any) -> str:
    """Fill in a template of a package; whatever is not ``Markup`` is escaped."""
    return _environment(package).get_template(template).render(style=inlined("page.css"), **values)


def blocks_as_html(blocks: Sequence[str | pd.DataFrame]) -> str:
    """Render sentences and tables of text cells as a small piece of HTML with its own styles."""
    kinds = [("" if isinstance(block, str) else "table", block) for block in blocks]
    return render("notebook.html", parts=kinds)


@cache
def _environment(package: str) -> Environment:
    environment = Environment(
        loader=PackageLoader(package, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"one_line": one_line, "slug": make_anchor}
    return environment


def make_anchor(title: str) -> str:
    """Make a readable id of a title.

    Examples
    --------
    >>> make_anchor("At a glance: A & B")
    'at-a-glance-a-b'
    """
    return re.sub(r"\W+", "-", title.casefold()).strip("-") or "section"


def inlined(name: str) -> Markup:
    """Return a style sheet or a script of this package to stand inside a page."""
    return Markup(files("stanoff.report").joinpath(name).read_text("utf-8"))


def json_block(data: Mapping[str, Any]) -> Markup:
    r"""Write data as JSON that can stand inside a script element whatever names it holds.

    Examples
    --------
    >>> json_block({"name": "</script>"})
    Markup('{"name":"\\u003c/script\\u003e"}')
    """
    return htmlsafe_json_dumps(data, allow_nan=False, separators=(",", ":"))


def policy(*scripts: str) -> str:
    """Write the Content-Security-Policy of a page: no network, no scripts but these.

    Styles are allowed inline because figures carry them in their elements.

    Examples
    --------
    >>> policy()
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
form-action 'none'"
    """
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    allowed = f"script-src {hashes}; " if scripts else ""
    return (
        f"default-src 'none'; {allowed}style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
