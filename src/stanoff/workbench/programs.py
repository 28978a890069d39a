"""Stan programs to begin with, and the way out to cmdstanpy."""

from __future__ import annotations

import os
import re
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

from stanoff import models
from stanoff._lib.arguments import as_path, check_choice
from stanoff._lib.files import write_text
from stanoff.engines.cmdstan import stan_folder
from stanoff.engines.toolchain import compile_program, stanc_options
from stanoff.errors import invalid

if TYPE_CHECKING:
    from cmdstanpy import CmdStanModel

LABELS = "--truth y --a svm --b nb"
VALUES = "--a bm25 --b dense --measure mean"
SCORES = "--truth y --a a --b b --measure auc"
# What one can begin with: where its program is, and how a file of such data is compared.
TEMPLATES = {
    "paired": ("templates/paired.stan", LABELS),
    "unpaired": ("templates/unpaired.stan", LABELS),
    "hierarchical": ("templates/hierarchical.stan", LABELS),
    "hierarchical_unpaired": ("templates/hierarchical_unpaired.stan", LABELS),
    "logistic_normal": ("examples/logistic_normal.stan", LABELS),
    "items": ("examples/values.stan", VALUES),
    "repeated": ("examples/runs.stan", VALUES),
    "binormal": ("examples/scores.stan", SCORES),
}
INTRODUCTION = """\
// {name}, begun as a copy of {template}.stan.
// Say here what the model says, and then ask
//   stanoff models check {name}
//   stanoff models calibrate {name}
//   stanoff compare FILE {columns} --model {name}
//
// Change the parameters, their priors and the likelihood. Keep the names in
// data and in generated quantities: they are the contract of stan/README.md.
// Data that only you have may be declared, too: pass them by data= or --data.
//
"""


def new_program(path: str | os.PathLike[str], base: str = "paired") -> str:
    """Write a commented Stan program that keeps the contract, to be changed.

    Parameters
    ----------
    path : path
        Where to write it; it ends in ``.stan``, and nothing is there yet.
    base : str
        What it begins as: of labels ``"paired"``, ``"unpaired"``, ``"hierarchical"``,
        ``"hierarchical_unpaired"`` or ``"logistic_normal"``; of values ``"items"`` or
        ``"repeated"``, of scores ``"binormal"``.

    Returns
    -------
    str
        What was written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = new_program(f"{folder}/mine.stan", "hierarchical")
    >>> text.splitlines()[0]
    '// mine.stan, begun as a copy of hierarchical.stan.'
    """
    file = as_path("path", path)
    check_choice("base", base, TEMPLATES)
    if file.suffix != ".stan":
        raise invalid("path", "the path of a new .stan file", str(path))
    if file.exists():
        raise invalid("path", "where no file is yet", str(path))
    template, columns = TEMPLATES[base]
    introduction = INTRODUCTION.format(name=file.name, template=base, columns=columns)
    text = introduction + _write_out((stan_folder() / template).read_text("utf8"))
    write_text(file, text)
    return text


def _write_out(program: str) -> str:
    """Put the lines of shared blocks in the place of their ``#include``, to be changed, too."""

    def lines(match: re.Match[str]) -> str:
        block = (stan_folder() / match[2]).read_text("utf8").partition("\n")[2]
        return indent(_write_out(block), match[1])

    return re.sub(r"^( *)#include (blocks/\S+)\n", lines, program, flags=re.MULTILINE)


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
    if not registered.inputs:
        raise invalid("model", "one with a Stan program", registered.name)
    executable = Path(str(compile_program(registered.stan_file).exe_file))
    copy = executable.with_suffix(".stan")  # it is beside what was compiled here
    return CmdStanModel(
        stan_file=copy if copy.exists() else registered.stan_file,
        exe_file=executable,
        stanc_options=stanc_options(registered.stan_file),
    )
