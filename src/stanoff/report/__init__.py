"""Reports: pages that open without a network."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stanoff.report import page

__all__ = ["page"]


def __getattr__(name: str) -> object:
    # The pages, and their templates, are loaded when the first is written.
    if name not in __all__:
        raise AttributeError(f"module 'stanoff.report' has no attribute {name!r}")
    return import_module(f"stanoff.report.{name}")
