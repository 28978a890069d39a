"""What CmdStan writes: a CSV file per chain, read by stanio to the last digit.

stanio is what cmdstanpy reads with. cmdstanpy itself makes a folder in TMPDIR when it is imported,
which a killed process leaves behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

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


def read(files: Sequence[Path], draws: int) -> tuple[Variables, Variables]:
    """Read chains; return the variables of the program and those of the sampler.

    Both have the axes (chain, draw, ...).

    Raises
    ------
    ValueError
        If a chain is not complete.
    """
    import stanio

    try:
        header, values = stanio.read_csv([str(file) for file in files])
    except ValueError as error:
        raise ValueError("it did not write all its draws; is the disk full?") from error
    if values.shape[:2] != (len(files), draws):
        raise ValueError(f"it wrote {values.shape[1]} of {draws} draws; is the disk full?")
    every = stanio.stan_variables(stanio.parse_header(header), values)
    drawn = {name: part for name, part in every.items() if not name.endswith("__")}
    stats = {told: every[name] for name, told in STATS.items() if name in every}
    if "diverging" in stats:
        stats["diverging"] = stats["diverging"].astype(bool)
    return drawn, stats
