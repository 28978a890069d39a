"""How pages are filled in: escaped by default, with styles and scripts inside."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from stanoff._lib.escaping import one_line


def render(template: str, *, package: str = "stanoff.report", **values: Any) -> str:
    """Fill in a template of a package; whatever is not ``Markup`` is escaped."""
    return _environment(package).get_template(template).render(style=inlined("page.css"), **values)


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
