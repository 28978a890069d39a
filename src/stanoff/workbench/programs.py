"""The way out to cmdstanpy: a model as a compiled program."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from stanoff import models
from stanoff.engines.programs import include_folders
from stanoff.engines.toolchain import compile_program
from stanoff.errors import invalid

if TYPE_CHECKING:
    from cmdstanpy import CmdStanModel


def cmdstan_model(model: str | os.PathLike[str]) -> CmdStanModel:
    """Return the compiled program of a model, for all that cmdstanpy can do with it.

    ``result.stan_data`` is the data of a comparison, so that pathfinder, laplace_sample, optimize
    or generate_quantities are one line.

    Parameters
    ----------
    model : str or path
        The name of a model, or the path of a Stan program.

    Examples
    --------
    ``cmdstan_model("paired").pathfinder(data=result.stan_data)``
    """
    from cmdstanpy import CmdStanModel

    is_name = isinstance(model, str) and not model.endswith(".stan")
    registered = models.get(str(model) if is_name else Path(model))
    if not registered.has_program:
        raise invalid("model", "one with a Stan program", registered.name)
    executable = Path(str(compile_program(registered.stan_file).exe_file))
    copy = executable.with_suffix(".stan")  # it is beside what was compiled here
    folders = [str(folder) for folder in include_folders(registered.stan_file)]
    return CmdStanModel(
        stan_file=copy if copy.exists() else registered.stan_file,
        exe_file=executable,
        stanc_options={"include-paths": folders},
    )
