"""Results on disk: a NetCDF file that ArviZ reads, sealed with a checksum.

The draws are stored as in ``Comparison.tree``. Beside them stand the counts, and in JSON all else
that a result consists of. The last line of the file, which readers of NetCDF do not look at, tells
the version of this format and the SHA-256 hash of everything before the hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stanoff import files
from stanoff.confusion import ConfusionCounts
from stanoff.counts import PairedCounts, UnpairedCounts
from stanoff.errors import StanoffError
from stanoff.models import AnyCounts
from stanoff.posterior import Draws
from stanoff.records import record_of, result_of
from stanoff.result import Comparison

if TYPE_CHECKING:
    from xarray import Dataset, DataTree, Variable

FORMAT = 1
LEAST_COMPRESSED = 4096  # bytes; what is smaller would take more
DRAWS = ("posterior", "prior", "sample_stats")
COUNTS: dict[type[Any], tuple[str, ...]] = {
    PairedCounts: ("pos", "neg"),
    UnpairedCounts: ("cells_A", "cells_B"),
    ConfusionCounts: ("rows", "n"),
}
_HDF5 = b"\x89HDF\r\n\x1a\n"
_SEAL = b"\nstanoff result, format %06d, sha256 "
_SEALED = re.compile(rb"\nstanoff result, format (\d{6}), sha256 ([0-9a-f]{64})\n")
_SEAL_SIZE = len(_SEAL % 0) + 64 + 1
_BLOCK = 2**20


def save(result: Comparison, path: str | os.PathLike[str]) -> Path:
    """Write a result to a NetCDF file; the same result gives the same bytes.

    Parameters
    ----------
    result : a comparison
    path : where to; the usual ending is ``.nc``
    """
    tree = _tree(result)
    encoding = {
        f"/{name}": {
            str(variable): _encoding(node.variables[variable]) for variable in node.variables
        }
        for name, node in tree.children.items()
    }
    with files.aside(path) as file:
        tree.to_netcdf(file, engine="h5netcdf", encoding=encoding)
        with file.open("ab") as end:
            end.write(_SEAL % FORMAT)
        digest = _digest(file, file.stat().st_size)
        with file.open("ab") as end:
            end.write(digest + b"\n")
    return Path(path)


def load(path: str | os.PathLike[str]) -> Comparison:
    """Read a result that :meth:`Comparison.save` has written.

    Parameters
    ----------
    path : the file

    Returns
    -------
    Comparison
        As it was: the same draws, summary, evidence and words.

    Examples
    --------
    >>> import tempfile
    >>> from stanoff import compare_counts
    >>> result = compare_counts([30, 4, 1, 5], [1, 1, 1, 90], engine="exact", seed=1, draws=100)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = result.save(f"{folder}/result.nc")
    ...     str(load(file)) == str(result)
    True
    """
    file = Path(path)
    try:
        _check_seal(file)
        return _read(file)
    except OSError as error:
        raise StanoffError(f"{file} cannot be read: {error.strerror or error}.") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StanoffError(f"{file} is not a complete result of stanoff: {error}.") from error


def _read(file: Path) -> Comparison:
    import xarray as xr

    with xr.open_datatree(file, engine="h5netcdf", decode_times=False) as tree:
        groups = {name: _arrays(node.to_dataset()) for name, node in tree.children.items()}
    record = json.loads(groups["stanoff"]["record"].tobytes().decode("ascii"))
    draws = [groups.get(name, {}) for name in DRAWS]
    stored = groups["counts"]
    kind = next(kind for kind, names in COUNTS.items() if set(names) == set(stored))
    counts = kind(tuple(record["categories"]), *(stored[name] for name in COUNTS[kind]))
    return result_of(record, counts, Draws(*draws))


def _tree(result: Comparison) -> DataTree:
    """Add the counts and the record to the draws, and leave out what changes by itself."""
    import xarray as xr

    groups = {name: _cleaned(node.to_dataset()) for name, node in result.tree.children.items()}
    groups["counts"] = xr.Dataset(
        {
            name: (tuple(f"{name}_{axis}" for axis in range(values.ndim)), values)
            for name, values in _counts(result.counts).items()
        }
    )
    record = np.frombuffer(json.dumps(record_of(result), sort_keys=True).encode("ascii"), np.uint8)
    groups["stanoff"] = xr.Dataset({"record": ("byte", record)})
    tree = xr.DataTree.from_dict(dict(groups))
    tree.attrs.update({name: _storable(value) for name, value in result.tree.attrs.items()})
    return tree


def _counts(counts: AnyCounts) -> dict[str, Any]:
    return {name: getattr(counts, name) for name in COUNTS[type(counts)]}


def _cleaned(group: Dataset) -> Dataset:
    group.attrs.pop("created_at", None)
    names = {
        name: [_storable(value) for value in values.to_numpy().tolist()]
        for name, values in group.coords.items()
        if values.dtype.kind in "UO"
    }
    return group.assign_coords(names)


def _storable(value: Any) -> Any:
    """Replace what a text in HDF5 cannot hold; the record has it as it is."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def _encoding(variable: Variable) -> dict[str, Any]:
    if variable.dtype.kind not in "biuf":
        return {}
    if variable.nbytes < LEAST_COMPRESSED:
        return {"_FillValue": None}
    return {"_FillValue": None, "zlib": True, "complevel": 1, "shuffle": True}


def _arrays(group: Dataset) -> dict[str, Any]:
    return {str(name): np.ascontiguousarray(values) for name, values in group.data_vars.items()}


def _check_seal(file: Path) -> None:
    size = file.stat().st_size
    with file.open("rb") as content:
        start = content.read(len(_HDF5))
        content.seek(max(0, size - _SEAL_SIZE))
        seal = _SEALED.fullmatch(content.read())
    if start != _HDF5 and not seal:
        raise StanoffError(f"{file} is not a result of stanoff.")
    if not seal:
        raise StanoffError(f"{file} is cut short or damaged, or stanoff did not write it.")
    if _digest(file, size - 64 - 1) != seal[2]:
        raise StanoffError(f"{file} is damaged: its content is not what its checksum tells.")
    if int(seal[1]) > FORMAT:
        raise StanoffError(
            f"{file} has format {int(seal[1])}, but this stanoff reads only up to {FORMAT}: "
            "get a newer one."
        )


def _digest(file: Path, size: int) -> bytes:
    """Hash the first bytes of a file, as hexadecimal digits."""
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while size > 0 and (block := content.read(min(size, _BLOCK))):
            digest.update(block)
            size -= len(block)
    return digest.hexdigest().encode()
