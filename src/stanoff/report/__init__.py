"""Reports: pages that open without a network."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stanoff.report import contest, notebook, page

__all__ = ["contest", "notebook", "page"]


def __getattr__(name: str) -> object:
    # A page loads its module, and Matplotlib with it, when it is first written.
    if name not in __all__:
        raise AttributeError(f"module 'stanoff.report' has no attribute {name!r}")
    return import_module(f"stanoff.report.{name}")
