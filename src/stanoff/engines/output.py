"""What CmdStan writes: a CSV file per chain, read by cmdstanpy to the last digit."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

from numpy.typing import NDArray

from stanoff._lib.files import scratch

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
_READING = Lock()


def read(files: Sequence[Path]) -> tuple[Variables, Variables]:
    """Read chains; return the variables of the program and those of the sampler.

    Both have the axes (chain, draw, ...).

    Raises
    ------
    ValueError
        If a chain is not complete.
    """
    with _cmdstanpy() as cmdstanpy:
        try:
            fit = cmdstanpy.from_csv([str(file) for file in files], method="sample")
            drawn, stats = fit.stan_variables(), fit.method_variables()
        except (ValueError, LookupError) as error:
            raise ValueError("it did not write all its draws; is the disk full?") from error
    chains = len(files)
    return (
        {name: values.reshape(chains, -1, *values.shape[1:]) for name, values in drawn.items()},
        {
            STATS[name]: values.T.astype(bool if name == "divergent__" else values.dtype)
            for name, values in stats.items()
            if name in STATS
        },
    )


@contextmanager
def _cmdstanpy() -> Iterator[ModuleType]:
    """Lend cmdstanpy for a while; the folder it makes for temporary files is gone afterwards.

    It makes one when it is imported, which it removes when Python ends, and in it one for every
    run. A process that is killed would leave them behind, so they are made in a folder of ours.
    """
    with _READING, scratch() as folder:
        before, tempfile.tempdir = tempfile.tempdir, str(folder)
        try:
            import cmdstanpy
        finally:
            tempfile.tempdir = before
        cmdstanpy.utils.get_logger().setLevel(logging.ERROR)
        setattr(cmdstanpy.stanfit.runset, "_TMPDIR", str(folder))  # noqa: B010
        yield cmdstanpy
