"""The house: folders are the pipeline, and no module imports upward when it is loaded."""

import ast
from pathlib import Path

HOUSE = Path(__file__).parents[1] / "src/stanoff"
FLOORS = (  # a folder, or a module that stands higher than its folder
    "errors _lib",
    "cmdstan",
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
    "workbench.judges workbench.rivals api",
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


def floor(path):
    """Return the floor of a module, or of a name that is imported from one."""
    return RANK.get(".".join(path[:2]), RANK.get(".".join(path[:1]), 0))


def test_no_module_imports_upward():
    upward = []
    for file in HOUSE.rglob("*.py"):
        if file.stem in ("__init__", "__main__"):
            continue
        room = file.relative_to(HOUSE).with_suffix("").parts
        for name in imported(file):
            top, *target = name.split(".")
            if top == "stanoff" and floor(target) > floor(room):
                upward.append(f"{file.relative_to(HOUSE)} imports {name}")
    assert upward == []
