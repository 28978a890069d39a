"""The house: folders are the pipeline, and no module imports upward when it is loaded."""

import ast
from pathlib import Path

HOUSE = Path(__file__).parents[1] / "src/stanoff"
FLOORS = (
    "errors _lib options",
    "engines.cmdstan engines.toolchain",
    "data",
    "measures",
    "models",
    "question",
    "engines",
    "inference",
    "fit",
    "text plots store",
    "report significance planning labelling workbench",
    "results",
    "api workbench.model_comparison",
    "study sklearn",
    "cli",
)
RANK = {name: rank for rank, names in enumerate(FLOORS) for name in names.split()}


def rank(name):
    """Return the floor of a module: some stand on another floor than their folder.

    The toolchain of the engines is below the models that it compiles, and what makes results is
    above them.
    """
    first, second, *_ = (*name.split("."), "", "")
    return RANK.get(f"{first}.{second}", RANK.get(first, 0))


def imported(file):
    """Name what a module imports at its top level, so neither in functions nor for types alone."""
    for statement in ast.parse(file.read_text("utf8")).body:
        if isinstance(statement, ast.ImportFrom):
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)
        elif isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)


def test_no_module_imports_upward():
    upward = []
    for file in HOUSE.rglob("*.py"):
        if file.stem in ("__init__", "__main__"):
            continue
        room = ".".join(file.relative_to(HOUSE).with_suffix("").parts)
        for name in imported(file):
            top, _, rest = name.partition(".")
            if top == "stanoff" and rank(rest) > rank(room):
                upward.append(f"{file.relative_to(HOUSE)} imports {name}")
    assert upward == []
