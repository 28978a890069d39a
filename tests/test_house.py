"""The house: folders are the pipeline, and no module imports upward when it is loaded."""

import ast
from pathlib import Path

HOUSE = Path(__file__).parents[1] / "src/stanoff"
FLOORS = (
    "errors _lib",
    "cmdstan",
    "data",
    "measures",
    "models",
    "question",
    "engines",
    "inference",
    "fit results",
    "text plots store",
    "api",
    "report significance planning labelling workbench",
    "study",
    "cli",
)
RANK = {name: rank for rank, names in enumerate(FLOORS) for name in names.split()}


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
        room = file.relative_to(HOUSE).with_suffix("").parts[0]
        for name in imported(file):
            top, _, rest = name.partition(".")
            if top == "stanoff" and RANK.get(rest.split(".")[0], 0) > RANK[room]:
                upward.append(f"{file.relative_to(HOUSE)} imports {name}")
    assert upward == []
