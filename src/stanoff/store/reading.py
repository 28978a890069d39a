"""Read a file that anybody may have written: nothing in it is believed before it is checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import as_rope, as_seed, check_choice, check_probability
from stanoff.data.types import AVERAGES, Data
from stanoff.engines.draws import Draws, Variables
from stanoff.question import ENGINES, Sampling

Record = dict[str, Any]
Group = dict[str, NDArray[Any]]

GROUPS = {"posterior", "prior", "sample_stats", "observed_data", "data", "counts", "stanoff"}
MOST_VARIABLES = 10_000  # in a group
MOST_COMPRESSED = 1100  # bytes in one; zlib does not get beyond 1032
MOST_RECORD = 2**26  # bytes

TEXT, NUMBER, WHOLE, FLAG, THINGS = "a text", "a number", "a whole number", "a flag", "a mapping"
# What a record consists of: a mapping, a list of one form, or one of several; ? may be missing.
MEASURE = {
    "name": TEXT,
    "formula": TEXT,
    "code": (WHOLE, None),
    "higher_is_better": FLAG,
    "range": [NUMBER],
    "beta": NUMBER,
    "zero_division": NUMBER,
    "prevalence": (NUMBER, None),
    "takes?": TEXT,
    "clip?": (NUMBER, None),
    "observed?": [[NUMBER]],
}
RECORD = {
    "data": {
        "kind": TEXT,
        "categories": [TEXT],
        "systems": [TEXT],
        "origin?": THINGS,
        "notes?": [TEXT],
    },
    "pair": ([WHOLE], None),
    "model": {"name": TEXT, "file?": TEXT, "inputs?": THINGS, "outputs?": THINGS},
    "engine": TEXT,
    "seed": WHOLE,
    "prior": [THINGS],
    "question": {
        "measure": MEASURE,
        "average": (TEXT, None),
        "rope": [NUMBER],
        "hdi_prob": NUMBER,
        "rope_of?": (TEXT, None),
    },
    "sampler_warnings": [TEXT],
    "provenance": {
        "versions": THINGS,
        "program": (TEXT, None),
        "sources": [[TEXT]],
        "settings": THINGS,
    },
    "compact?": TEXT,
}


def groups_of(file: Path) -> dict[str, Group]:
    """Read the variables of every group; coordinates are left out.

    Raises
    ------
    ValueError
        If there is more in the file, or less behind it, than a result consists of.
    """
    import h5py

    with h5py.File(file, "r") as content:
        names = list(content) if len(content) <= len(GROUPS) else ["too many groups"]
        for name in names:
            if name not in GROUPS or not _is(content, name, h5py.Group):
                raise ValueError(f"it holds {name!r}, which no result has")
        return {name: _group(content[name], name) for name in names}


def _is(parent: Any, name: str, kind: type) -> bool:
    """Return whether something is of this kind, and here rather than linked to."""
    import h5py

    direct = isinstance(parent.get(name, getlink=True), h5py.HardLink)
    return direct and parent.get(name, getclass=True) is kind


def _group(group: Any, called: str) -> Group:
    import h5py

    if len(group) > MOST_VARIABLES:
        raise ValueError(f"its {called} has {len(group):,} variables")
    read: Group = {}
    for name in group:
        if not _is(group, name, h5py.Dataset):
            raise ValueError(f"its {called} holds {name!r}, which is no variable")
        variable = group[name]
        if not h5py.h5ds.is_scale(variable.id):
            read[name] = _variable(variable, f"{called}/{name}")
    return read


def _variable(variable: Any, called: str) -> NDArray[Any]:
    """Read one variable, if it is of numbers, and as large as what is stored can be."""
    kind = variable.dtype
    if kind.kind not in "iuf" or kind.itemsize > 8 or variable.shape is None:
        raise ValueError(f"its {called} does not hold numbers")
    if variable.is_virtual or variable.external or variable.compression not in (None, "gzip"):
        raise ValueError(f"its {called} is not stored as results are")
    stored = variable.id.get_storage_size()
    if variable.size * kind.itemsize > MOST_COMPRESSED * stored:
        raise ValueError(f"its {called} claims {variable.size:,} numbers, which are not there")
    values = np.asarray(variable[()], dtype=kind.newbyteorder("="))
    if variable.attrs.get("dtype") == "bool":  # as xarray writes it
        values = values.astype(bool)
    return np.ascontiguousarray(values)


def json_of(groups: Mapping[str, Group]) -> Record:
    """Read the record that a file holds."""
    values = groups.get("stanoff", {}).get("record")
    if values is None or values.dtype != np.uint8 or not 0 < values.size <= MOST_RECORD:
        raise ValueError("its record is missing, or not one")
    record = json.loads(values.tobytes().decode("ascii"))
    if not isinstance(record, dict):
        raise ValueError("its record is no mapping")
    return record


def check_record(record: Record) -> None:
    """Refuse a record that does not have the parts of a result."""
    _check(record, RECORD, "record")
    systems, asked = record["data"]["systems"], record["question"]
    pair = [0, 1] if record["pair"] is None else record["pair"]  # None: all systems
    if len(set(pair)) != 2 or len(pair) != 2 or not set(pair) <= set(range(len(systems))):
        raise ValueError(f"its pair {pair} is not two of {len(systems)} systems")
    check_choice("engine", record["engine"], ENGINES)
    as_seed(record["seed"])
    as_rope([float(end) for end in asked["rope"]])
    check_probability("hdi_prob", float(asked["hdi_prob"]))
    if asked["average"] is not None:
        check_choice("average", asked["average"], AVERAGES)
    if asked.get("rope_of") is not None:
        check_choice("rope_of", asked["rope_of"], ("mean", "range"))
    if not record["prior"] or len(record["prior"]) > 2:
        raise ValueError(f"its prior has {len(record['prior'])} parts")
    how = record["provenance"]["settings"]
    Sampling.read(chains=how.get("chains"), draws=how.get("draws"))
    for part in (*record["prior"], *record["model"].get("inputs", {}).values()):
        _check(part, THINGS, "record")
    for part in record["model"].get("outputs", {}).values():
        _check(part, THINGS, "record")


def _check(value: Any, form: Any, where: str) -> None:
    if isinstance(form, dict):
        _check(value, THINGS, where)
        for name, part in form.items():
            key = name.removesuffix("?")
            if key in value:
                _check(value[key], part, f"{where}.{key}")
            elif key == name:
                raise ValueError(f"its {where} lacks {key!r}")
    elif isinstance(form, list):
        if not isinstance(value, list):
            raise ValueError(f"its {where} is not a list")
        for part in value:
            _check(part, form[0], where)
    elif isinstance(form, tuple):
        if value is not None:
            _check(value, form[0], where)
    elif not _IS[form](value):
        raise ValueError(f"its {where} is not {form}")


def _is_number(value: Any) -> bool:
    whole_or_not = isinstance(value, (int, float)) and not isinstance(value, bool)
    return whole_or_not or value in ("nan", "inf", "-inf")  # what JSON lacks


_IS: dict[str, Callable[[Any], bool]] = {
    TEXT: lambda value: isinstance(value, str),
    NUMBER: _is_number,
    WHOLE: lambda value: isinstance(value, int) and not isinstance(value, bool),
    FLAG: lambda value: isinstance(value, bool),
    THINGS: lambda value: isinstance(value, dict),
}


def check_data(data: Data) -> None:
    """Refuse counts that do not belong to the categories and systems they claim to."""
    for name, values in data.arrays().items():
        least = -np.inf if name in data.real else 0
        if not (np.isfinite(values) & (np.asarray(values) >= least)).all():
            raise ValueError(f"its {name} does not hold counts")
    if not data.categories or len(set(data.systems)) != len(data.systems):
        raise ValueError("it has no categories, or two systems of one name")
    expected = (len(data.systems), len(data.categories), 4)
    if data.cells is not None and data.cells.shape != expected:
        raise ValueError(f"its counts do not match its {len(data.categories)} categories")


def check_draws(draws: Draws) -> None:
    """Refuse draws that are not of the same number of chains and draws."""
    if not draws.posterior:
        raise ValueError("it has no draws of the posterior")
    some = next(iter(draws.posterior.values()))
    _one_shape("posterior", draws.posterior)
    _one_shape("prior", draws.prior)
    _one_shape("sample_stats", {**draws.sample_stats, "": some})


def _one_shape(name: str, group: Variables) -> None:
    shapes = {values.shape[:2] for values in group.values()}
    if len(shapes) > 1 or any(len(shape) < 2 or 0 in shape for shape in shapes):
        raise ValueError(f"its {name} has variables of different numbers of draws, or of none")


def check_scores(scores: NDArray[Any], drawn: Variables, most: int) -> None:
    """Refuse scores that do not belong to the draws, and to this number of rows or systems."""
    expected = (*next(iter(drawn.values())).shape[:2], most)
    if scores.shape[:3] != expected:
        raise ValueError(f"its scores are {scores.shape[:3]}, not {expected}")
