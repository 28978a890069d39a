"""Results on disk: a NetCDF file that ArviZ reads, sealed with a checksum.

The draws are stored with an axis for the systems, and beside them psi and delta as in
``Comparison.tree``, or the scores of all systems of a contest. Then come the arrays of the data,
and in JSON all else that a result consists of. The last line of the file, which readers of NetCDF
do not look at, has the version of this format and the SHA-256 hash of everything before the hash.

A compact file has only what it takes to judge the fit again: of Stan's draws the cells, of exact
draws nothing but their hash. They are drawn again when the file is read, which is as quick as
reading them, and the hash tells whether they are the same to the last digit.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stanoff._lib import files
from stanoff._lib.arguments import as_path
from stanoff.data.types import AVERAGES, Data
from stanoff.engines.draws import Draws, Variables, stacked
from stanoff.errors import InputError, StanoffError
from stanoff.fit import drawn_again
from stanoff.inference.scores import Scores
from stanoff.models import Model
from stanoff.models.base import SHARED_DIMS
from stanoff.results.comparison import Comparison
from stanoff.results.contest import Contest
from stanoff.store.reading import (
    Group,
    check_data,
    check_draws,
    check_record,
    check_scores,
    groups_of,
    json_of,
)
from stanoff.store.records import Record, data_of_record, fit_of, record_of, upgraded
from stanoff.store.tree import data_tree

if TYPE_CHECKING:
    from xarray import Dataset, DataTree, Variable

FORMAT = 3
LEAST_COMPRESSED = 4096  # bytes; what is smaller would take more
NAMED = ("psi_A", "psi_B", "delta")
ALL_SCORES = "scores"  # of a contest, with the rows that its question has
Result = Comparison | Contest
_HDF5 = b"\x89HDF\r\n\x1a\n"
_SEAL = b"\nstanoff result, format %06d, sha256 "
_SEALED = re.compile(rb"\nstanoff result, format (\d{6}), sha256 ([0-9a-f]{64})\n")
_SEAL_SIZE = len(_SEAL % 0) + 64 + 1
_BLOCK = 2**20


def save(result: Result, path: str | os.PathLike[str], *, compact: bool = False) -> Path:
    """Write a result to a NetCDF file; the same result gives the same bytes.

    Parameters
    ----------
    result : Comparison or Contest
        What is kept.
    path : str or path
        Where to; the usual ending is ``.nc``.
    compact : bool
        Leave out what is not needed to judge the fit again.
    """
    with _no_locks_of_dask():
        return files.write_bytes(path, _content(result, compact))


@contextmanager
def _no_locks_of_dask() -> Iterator[None]:
    """Keep xarray from asking the scheduler of a Dask client for a lock: files are ours alone."""
    if "dask" not in sys.modules:
        yield
        return
    import dask

    with dask.config.set(scheduler="synchronous"):
        yield


def _content(result: Result, compact: bool) -> bytes:
    tree = _compact_tree(result) if compact else _tree(result)
    encoding = {
        f"/{name}": {
            str(variable): _encoding(node.variables[variable]) for variable in node.variables
        }
        for name, node in tree.children.items()
    }
    # In memory: HDF5 crashes where a file must not grow.
    content = bytes(tree.to_netcdf(None, engine="h5netcdf", encoding=encoding)) + _SEAL % FORMAT
    digest = hashlib.sha256(content).hexdigest().encode()
    return content + digest + b"\n"


def load(path: str | os.PathLike[str]) -> Any:
    """Read a result that its ``save`` has written.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Comparison or Contest
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
    file = as_path("path", path)
    try:
        _check_seal(file)
        return _read(file)
    except OSError as error:
        raise StanoffError(f"{file} cannot be read: {error.strerror or error}.") from error
    except StanoffError as error:
        if not isinstance(error, InputError):
            raise
        raise _incomplete(file, error) from error
    except Exception as error:  # whatever a file that is no result makes of its readers
        raise _incomplete(file, error) from error


def _incomplete(file: Path, error: Exception) -> StanoffError:
    told = str(error).rstrip(".") or type(error).__name__
    return StanoffError(f"{file} is not a complete result of stanoff: {told}.")


def _read(file: Path) -> Result:
    groups = groups_of(file)
    record = json_of(groups)
    arrays = groups.get("data") or groups["counts"]
    if "question" not in record:
        record = upgraded(record, arrays)
    check_record(record)
    data = data_of_record(record, arrays)
    check_data(data)
    if "compact" in record:
        return _read_compact(record, data, groups)
    stats = groups.get("sample_stats", {})
    if record["pair"] is None:
        psi = groups["posterior"].pop(ALL_SCORES)
        draws = Draws(groups["posterior"], groups.get("prior", {}), stats)
        check_draws(draws)
        fit, question = fit_of(record, data, draws)
        check_scores(psi, draws.posterior, len(data.systems))
        return Contest(fit, question, psi)
    posterior, scores = _split(groups.get("posterior", {}), record)
    prior, prior_scores = _split(groups.get("prior", {}), record)
    draws = Draws(posterior, prior, stats)
    check_draws(draws)
    fit, question = fit_of(record, data, draws)
    rows = len(data.categories) + (len(AVERAGES) if question.average else 0)
    for found, drawn in ((scores, posterior), (prior_scores, prior)):
        if found is not None:
            check_scores(found.delta, drawn, rows)
    assert scores is not None
    a, b = record["pair"]
    return Comparison(fit, question, (a, b), scores, prior_scores)


def _read_compact(record: Record, data: Data, groups: dict[str, Group]) -> Result:
    """Put the fit together from what was kept, and ask it the same question again."""
    draws = Draws(*(groups.get(name, {}) for name in ("posterior", "prior", "sample_stats")))
    fit, question = fit_of(record, data, draws)
    if not record["compact"]:
        check_draws(draws)
    else:
        fit = replace(fit, draws=drawn_again(fit, question.measure))
        if _digest_of(fit.draws) != record["compact"]:
            raise ValueError("drawn again, its draws are other ones on this machine")
    if record["pair"] is None:
        return Contest.from_fit(fit, question)
    a, b = (fit.data.systems[place] for place in record["pair"])
    return Comparison.from_fit(fit, a, b, question)


def _split(
    group: dict[str, NDArray[Any]], record: Record
) -> tuple[dict[str, NDArray[Any]], Scores | None]:
    """Part the variables of a model from the scores of its systems."""
    if not group:
        return {}, None
    endings = ["", *(f"_{name}" for name in AVERAGES)]
    names = {f"{name}{ending}" for name in NAMED for ending in endings}
    own = stacked({name: values for name, values in group.items() if name not in names})
    parts = {name: [] for name in NAMED}  # type: dict[str, list[NDArray[Any]]]
    for ending in endings:
        if f"delta{ending}" in group:
            delta = group[f"delta{ending}"]
            for name in NAMED:
                values = group.get(f"{name}{ending}", np.full_like(delta, np.nan))
                parts[name].append(values.reshape(*values.shape[:2], -1))
    psi_A, psi_B, delta = (np.concatenate(parts[name], axis=-1) for name in NAMED)
    scores = Scores(np.stack([psi_A, psi_B], axis=2), delta)
    systems, average = record["data"]["systems"], record["question"]["average"]
    if "cells" not in own and _all_told(systems, average):
        straight = record["pair"] == [0, 1]
        own["delta"] = delta if straight else -delta
        if not np.isnan(psi_A).all():
            own["psi"] = scores.psi if straight else scores.psi[:, :, ::-1]
    return own, scores


def _all_told(systems: Sequence[str], average: str | None) -> bool:
    """Return whether psi and delta of two systems are all that a model has of these."""
    return len(systems) == 2 and average is None


def _tree(result: Result) -> DataTree:
    """Gather all draws, and the scores of the systems by their names."""
    drawn = result.fit.draws
    if isinstance(result, Contest):
        posterior = {**drawn.posterior, ALL_SCORES: result.psi}
        groups: dict[str, Variables] = {"posterior": posterior, "prior": dict(drawn.prior)}
    else:
        groups = _named(result)
    groups["sample_stats"] = dict(drawn.sample_stats)
    return _sealed(result, groups, record_of(result))


def _named(result: Comparison) -> dict[str, Variables]:
    """Put psi and delta of two systems beside the variables of their model."""
    averages = AVERAGES if result.average else ()
    drawn, categories = result.fit.draws, len(result.data.categories)
    few = _all_told(result.data.systems, result.average)
    groups: dict[str, Variables] = {}
    for name, variables, scores in (
        ("posterior", drawn.posterior, result.scores),
        ("prior", drawn.prior, result.prior_scores),
    ):
        told = {"psi", "delta"} if few or "cells" in variables else {"delta"}
        kept = {key: values for key, values in variables.items() if key not in told}
        groups[name] = kept | (scores.named(categories, averages) if scores else {})
    return groups


def _compact_tree(result: Result) -> DataTree:
    """Gather the draws that scores are made of, or the hash of those that can be drawn again."""
    drawn, record = result.fit.draws, record_of(result)
    if result.engine == "exact" and not result.fit.is_part:
        return _sealed(result, {}, record | {"compact": _digest_of(drawn)})
    groups: dict[str, Variables] = {"sample_stats": {"diverging": drawn.sample_stats["diverging"]}}
    for name, variables in (("posterior", drawn.posterior), ("prior", drawn.prior)):
        needed = _scored(result.model, variables)
        groups[name] = {key: values for key, values in variables.items() if key in needed}
    return _sealed(result, groups, record | {"compact": ""})


def _scored(model: Model, variables: Variables) -> set[str]:
    """Name the variables that scores are made of, and those that no category has to itself."""
    if model.file is not None or "cells" not in variables:  # a program may score by itself
        return set(variables)
    dims = {**SHARED_DIMS, **model.dims}
    few = {name for name, values in variables.items() if values.ndim == 2}
    kept = {name for name in dims if "category" not in dims[name]} - {"psi", *model.as_fitted}
    return {"cells"} | few | kept


def _digest_of(draws: Draws) -> str:
    digest = hashlib.sha256()
    for group in (draws.posterior, draws.prior):
        for name, values in sorted(group.items()):
            digest.update(f"{name}{values.shape}{values.dtype}".encode())
            digest.update(np.ascontiguousarray(values).data)
    return digest.hexdigest()


def _sealed(result: Result, groups: dict[str, Variables], told: Record) -> DataTree:
    """Add the data and the record to the draws, and leave out what changes by itself."""
    import xarray as xr

    tree = data_tree(result, groups)
    stored = {name: _cleaned(node.to_dataset()) for name, node in tree.children.items()}
    stored["data"] = xr.Dataset(
        {
            name: (tuple(f"{name}_{axis}" for axis in range(values.ndim)), values)
            for name, values in result.data.arrays().items()
        }
    )
    record = np.frombuffer(json.dumps(told, sort_keys=True).encode("ascii"), np.uint8)
    stored["stanoff"] = xr.Dataset({"record": ("byte", record)})
    sealed = xr.DataTree.from_dict(dict(stored))
    sealed.attrs.update({name: _storable(value) for name, value in tree.attrs.items()})
    return sealed


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
