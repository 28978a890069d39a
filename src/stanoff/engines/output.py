"""What CmdStan writes: a CSV file per chain, read into arrays to the last digit.

cmdstanpy could read it, but whoever imports that has a folder in TMPDIR which a killed process
leaves behind, and finds the variable CMDSTAN changed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Variables = dict[str, NDArray[Any]]

STATS = {
    "lp__": "lp",
    "accept_stat__": "acceptance_rate",
    "stepsize__": "step_size",
    "treedepth__": "tree_depth",
    "n_leapfrog__": "n_steps",
    "divergent__": "diverging",
    "energy__": "energy",
}
_ELEMENT = re.compile(r"(\w+?)((?:\.\d+)*)")  # theta, theta.1, theta.2.3; no tuples


def read(files: Sequence[Path], draws: int) -> tuple[Variables, Variables]:
    """Read chains; return the variables of the program and those of the sampler.

    Both have the axes (chain, draw, ...).

    Raises
    ------
    ValueError
        If a chain is not complete.
    """
    chains = [_chain(file) for file in files]
    for header, values in chains:
        if header != chains[0][0] or len(values) != draws:
            raise ValueError(f"it wrote {len(values)} of {draws} draws; is the disk full?")
    names = chains[0][0]
    drawn = np.stack([values for _, values in chains])
    stats = {STATS[name]: drawn[..., i] for i, name in enumerate(names) if name in STATS}
    if "diverging" in stats:
        stats["diverging"] = stats["diverging"].astype(bool)
    return _shaped(names, drawn), stats


def _chain(file: Path) -> tuple[list[str], NDArray[np.float64]]:
    """Read names and draws of one chain."""
    with file.open("rb") as content:
        # A line that does not end was cut off.
        whole = [line for line in content if line.endswith(b"\n") and not line.startswith(b"#")]
    header, lines = whole[0] if whole else b"", whole[1:]
    names = header.decode().strip().split(",")
    values = _numbers(lines, len(names)) if lines else np.empty((0, len(names)))
    return names, values


def _numbers(lines: list[bytes], columns: int) -> NDArray[np.float64]:
    try:
        import polars as pl
    except ImportError:
        return np.loadtxt(lines, delimiter=",", ndmin=2)
    table = pl.read_csv(  # some times quicker
        io.BytesIO(b"".join(lines)),
        has_header=False,
        infer_schema=False,
        schema_overrides=[pl.Float64] * columns,
    )
    return table.to_numpy()


def _shaped(names: Sequence[str], drawn: NDArray[np.float64]) -> Variables:
    """Put the columns of every variable together; CmdStan writes the first index fastest."""
    places: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
    for i, name in enumerate(names):
        found = _ELEMENT.fullmatch(name)
        if found and not name.endswith("__"):
            index = tuple(int(part) for part in found[2].split(".")[1:])
            places.setdefault(found[1], []).append((i, index))
    return {
        name: drawn[..., [i for i, _ in parts]].reshape(*drawn.shape[:2], *parts[-1][1], order="F")
        for name, parts in places.items()
    }
