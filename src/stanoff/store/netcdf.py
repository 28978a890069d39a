"""Results as a tree that ArviZ reads, in memory and on disk: a NetCDF file.

Its groups are the draws with psi and delta beside them (``posterior``, ``prior``), what the sampler
said (``sample_stats``), what was observed and given, and what the model would draw, which only
ArviZ reads; ``data`` has the arrays of the data. An attribute of
the file has, as JSON, everything that is not an array: a :class:`Record`.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stanoff._lib.arguments import as_path
from stanoff._lib.files import read_bytes, write_bytes
from stanoff.data.types import data_of
from stanoff.engines.diagnostics import check_surroundings
from stanoff.engines.draws import Draws, Variables, stacked
from stanoff.engines.sampling import Provenance
from stanoff.errors import InputError, StanoffError
from stanoff.fit import Fit
from stanoff.inference.scores import Scores
from stanoff.measures import VALUES, Measure, ScoreMeasure
from stanoff.measures.registry import registered
from stanoff.models import MODELS, Model
from stanoff.models.base import COORDS, SHARED_DIMS
from stanoff.models.custom import CustomModel, Program
from stanoff.models.priors import Prior, as_prior
from stanoff.question import Question
from stanoff.store.predictive import MAX_LOG_LIKELIHOOD, predictive_groups
from stanoff.text.run_again import run_again

if TYPE_CHECKING:
    from xarray import Dataset, DataTree, Variable

    from stanoff.results.base import Result

FORMAT = 4
ATTRIBUTE = "stanoff_record"
GROUP = "group_{}"  # of the documents
MIN_COMPRESSED = 4096  # bytes; what is smaller would take more
FITTED = ("psi", "delta")  # of a program that scores by itself
HDF5 = b"\x89HDF\r\n\x1a\n"
REMEMBERED = ("observed", "warnings", "prior_density_infinite_at_zero")
COORDINATES = ("category", "truth")  # names of dimensions that variables of a data block have, too
ROWS_OF_PAIR = ("psi_A", "psi_B", "delta", "observed_A", "observed_B")


def to_datatree(result: Result) -> DataTree:
    """Gather the draws of a comparison or contest, and what they say of the documents.

    The groups are posterior, prior, sample_stats, observed_data and constant_data; of models that
    say how documents came about also log_likelihood, log_prior, posterior_predictive and
    prior_predictive. Where an average is asked for, scores and differences have a row per category
    and average. A contest has delta of every pair, unless these are very many.
    """
    check_surroundings()
    from arviz_base import from_dict

    posterior, prior = _draws(result)
    predictive = predictive_groups(result)
    apart = {name for group in predictive.values() for name in group.own}
    stan_data = result.model.stan_data(result.data, result.prior)
    observed = {name: np.asarray(stan_data[name]) for name in result.model.observed}
    scores = {"observed": result.observed}
    if result.is_pair:
        scores = dict(zip(("observed_A", "observed_B"), result.observed, strict=True))
        scores = {name: row for name, row in scores.items() if not np.isnan(row).all()}
    groups: dict[str, Variables] = {
        "posterior": {name: values for name, values in posterior.items() if name not in apart},
        "prior": {name: values for name, values in prior.items() if name not in apart},
        "sample_stats": result.fit.draws.sample_stats,
        "observed_data": observed | scores,
        "constant_data": _constant_data(result, stan_data),
    }
    for name, group in predictive.items():
        groups[name] = {**groups.get(name, {}), **group.variables}
    names = {"category": result.data.categories, "system": result.data.systems}
    coords: dict[str, Sequence[Any]] = {**COORDS, **names, "row": result.categories}
    new_coords = {name: n for group in predictive.values() for name, n in group.coords.items()}
    dims: dict[str, Sequence[str]] = {**SHARED_DIMS, **result.model.dims}
    dims |= {  # a program of the user's may get one category without its dimension
        name: names
        for name, names in result.data.dims.items()
        if np.ndim(stan_data.get(name, 0)) == len(names)
    }
    dims["log_lik"] = [*new_coords]
    if result.is_pair:
        dims |= dict.fromkeys(ROWS_OF_PAIR, ("row" if result.average else "category",))
    else:
        coords["pair"] = [" - ".join(names) for names in combinations(result.names, 2)]
        dims |= {"psi": ("system", "row"), "delta": ("pair", "row")}
    tree = from_dict(
        {name: dict(variables) for name, variables in groups.items() if variables},
        coords={name: list(values) for name, values in {**coords, **new_coords}.items()},
        dims={name: list(names) for name, names in dims.items()},
    )
    for node in (tree, tree["posterior"]):
        node.attrs.update(_attrs(result))
    for name, group in predictive.items():
        dataset = tree[name].to_dataset()
        if group.step > 1:  # say which of the draws they are
            dataset = dataset.assign_coords(draw=np.arange(dataset.sizes["draw"]) * group.step)
        for dim in group.coords:
            dataset = dataset.assign_coords(group=(dim, list(group.labels)))
        tree[name] = dataset
    return tree


def _draws(result: Any) -> tuple[Variables, Variables]:
    """Return posterior and prior with the scores that the question is about."""
    if result.is_pair:
        return result.draws.posterior, result.draws.prior
    prior = dict(result.fit.draws.prior)
    if prior:
        psi = result.model.scores(prior, result.measure, result.average)
        prior |= _scores_of_all(psi)
    return {**result.fit.draws.posterior, **_scores_of_all(result.psi)}, prior


def _scores_of_all(psi: NDArray[np.float64]) -> Variables:
    """Name the scores of all systems, and the differences of all pairs."""
    first, second = np.triu_indices(psi.shape[2], 1)
    if psi[:, :, 0].size * len(first) > MAX_LOG_LIKELIHOOD:
        return {"psi": psi}
    with np.errstate(invalid="ignore"):  # both infinite
        return {"psi": psi, "delta": psi[:, :, first] - psi[:, :, second]}


def _constant_data(result: Result, stan_data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers that were given to the model beside what was observed."""
    numbers = {name: np.asarray(value) for name, value in stan_data.items()}
    return {
        f"{name}_of_row" if name in COORDINATES else name: values
        for name, values in numbers.items()
        if name not in (*result.model.observed, "prior_only", "simulate")
        and values.dtype.kind in "iuf"
        and values.size
    }


def _attrs(result: Any) -> dict[str, Any]:
    attrs = {name: getattr(result, name) for name in ("engine", "seed")}
    attrs |= {"model": result.model.name, "measure": result.measure.label}
    attrs |= {"rope": list(result.rope), "hdi_prob": result.hdi_prob}
    provenance, library = result.provenance, "cmdstanpy" if result.engine == "stan" else "stanoff"
    attrs["inference_library"] = library
    attrs["inference_library_version"] = provenance.versions.get(library, "")
    arguments = {name: x for name, x in provenance.settings.items() if name != "output_dir"}
    attrs["tuning_steps"] = arguments.get("warmup", 0)
    attrs["arguments"] = json.dumps(arguments, sort_keys=True)
    if result.is_pair:
        attrs["name_A"], attrs["name_B"] = result.names
    return attrs


@dataclass(frozen=True)
class Record:
    """What a result consists of besides its arrays; Pydantic checks it when it is read.

    The fields of the question stand beside these, and it checks them itself. ``measure`` has no
    function, which is found by its code or name. ``program`` is what a Stan program of the user's
    own declares, and the data that came with it. ``remembered`` has what a measure of the user's
    own said, since its function is not stored.
    """

    data: str
    categories: tuple[str, ...]
    systems: tuple[str, ...]
    source: dict[str, Any]
    notes: tuple[str, ...]
    pair: tuple[int, int] | None  # None: all systems
    model: str
    program: dict[str, Any] | None
    engine: Literal["stan", "exact"]
    seed: int
    prior: tuple[dict[str, Any], ...]
    measure: dict[str, Any]
    sampler_warnings: tuple[str, ...]
    provenance: Provenance
    remembered: dict[str, Any]
    groups: tuple[str, ...]


OF_DATA = ("categories", "systems", "source", "notes")
OF_FIT = ("engine", "seed", "sampler_warnings", "provenance")
OF_MEASURE = (
    *("name", "formula", "code", "higher_is_better", "range", "beta", "zero_division"),
    *("prevalence", "kind", "clip"),
)
OF_QUESTION = tuple(f.name for f in fields(Question) if f.name != "measure")


class Saved(NamedTuple):
    """What a file holds: the fit, the question, and the scores of two systems or of all.

    Attributes
    ----------
    scores : tuple
        Of a contest the scores of all systems; of a comparison the indices of the two systems,
        their scores under the posterior, and under the prior.
    remembered : dict
        What a measure of the user's own said, by the name of the result's attribute.
    groups : mapping
        The same of groups of the documents, by their names.
    """

    fit: Fit
    question: Question
    scores: tuple[Any, ...]
    remembered: dict[str, Any]
    groups: Mapping[str, Saved]


def save(result: Result, path: str | os.PathLike[str], *, log_likelihood: bool = False) -> Path:
    """Write a result to a NetCDF file; the same result gives the same bytes.

    Parameters
    ----------
    result : Comparison or Contest
        What is kept.
    path : str or path
        Where to; the usual ending is ``.nc``.
    log_likelihood : bool
        Keep that of every document, too, if the tree has it.
    """
    tree = _to_tree(result, log_likelihood)
    encoding = {
        node.path: {str(key): _encoding(node.variables[key]) for key in node.variables}
        for node in tree.descendants
    }
    # In memory: HDF5 crashes where a file must not grow.
    with (
        _without_dask_locks(),
        tree.to_netcdf(None, engine="h5netcdf", encoding=encoding) as content,
    ):
        return write_bytes(path, bytes(content))


@contextmanager
def _without_dask_locks() -> Iterator[None]:
    """Keep xarray from asking the scheduler of a Dask client for a lock: the bytes are ours."""
    if "dask" not in sys.modules:
        yield
        return
    import dask

    with dask.config.set(scheduler="synchronous"):
        yield


def read(path: str | os.PathLike[str]) -> Saved:
    """Read what :func:`save` has written.

    Raises
    ------
    StanoffError
        If the file cannot be read, or is no complete result.
    """
    import xarray as xr

    file, content = as_path("path", path), read_bytes(path)
    if not content.startswith(HDF5):
        raise StanoffError(f"{file} is not a result of stanoff.")
    options: Any = {"engine": "h5netcdf", "mask_and_scale": False, "decode_times": False}
    try:
        with _without_dask_locks(), xr.open_datatree(io.BytesIO(content), **options) as tree:
            return _from_tree(tree)
    except MemoryError:
        raise
    except Exception as error:  # whatever a damaged or foreign file makes of its readers
        lines = str(error).splitlines() or [type(error).__name__]
        reason = " ".join(line.strip() for line in lines[:4]).rstrip(".")
        message = f"{file} is damaged, or not a result of this version of stanoff: {reason}."
        raise StanoffError(message) from error


def _to_tree(result: Result, log_likelihood: bool) -> DataTree:
    """Gather the tree, the data and the record; leave out what changes by itself."""
    import xarray as xr

    groups = {
        name: _storable_group(node.to_dataset())
        for name, node in result.tree.children.items()
        if log_likelihood or name != "log_likelihood"
    }
    for name in ("posterior", "prior"):
        fitted = _not_in_tree(result, name)
        if fitted:
            groups[f"fitted_{name}"] = _plain_group(fitted)
    groups["data"] = _plain_group(result.data.arrays())
    stored = xr.DataTree.from_dict(dict(groups))
    stored.attrs.update({name: _storable(value) for name, value in result.tree.attrs.items()})
    stored.attrs["run_again"] = _storable(run_again(result))
    stored.attrs[ATTRIBUTE] = json.dumps(
        _record(result), sort_keys=True, default=lambda x: x.tolist()
    )
    for index, group in enumerate(result.groups.values()):
        stored[GROUP.format(index)] = _to_tree(group, log_likelihood)
    return stored


def _not_in_tree(result: Result, name: str) -> Variables:
    """Return the variables of the fit that cannot be had from the tree."""
    variables: Variables = getattr(result.fit.draws, name)
    stored = set(result.tree[name].data_vars) if name in result.tree.children else set()
    stored -= set(FITTED)
    if "cells" in variables:  # all scores are computed from them
        stored |= set(FITTED)
        if result.is_pair and variables["cells"].shape[2] == 2:
            stored.add("cells")  # cells_A and cells_B
    return {key: values for key, values in variables.items() if key not in stored}


def _plain_group(variables: Variables) -> Dataset:
    """Put arrays into a group for ourselves alone: the record has the names."""
    import xarray as xr

    return xr.Dataset(
        {
            name: (tuple(f"{name}_{axis}" for axis in range(values.ndim)), values)
            for name, values in variables.items()
        }
    )


def _record(result: Result) -> dict[str, Any]:
    fit, measure = result.fit, result.measure
    program = None
    if isinstance(fit.model, CustomModel):
        declared = fit.model.program
        program = {"file": str(fit.model.stan_file), "data": fit.model.user_data}
        program |= {"inputs": dict(declared.inputs), "outputs": dict(declared.outputs)}
    remembered = {}
    if measure.code is None and measure.name not in VALUES:
        remembered = {name: getattr(result, name, None) for name in REMEMBERED}
    return {
        "format": FORMAT,
        "data": type(fit.data).__name__,
        **{name: getattr(fit.data, name) for name in OF_DATA},
        "source": dict(fit.data.source),
        "pair": getattr(result, "pair", None),
        "model": fit.model.name,
        "program": program,
        **{name: getattr(fit, name) for name in OF_FIT},
        "provenance": asdict(fit.provenance),
        "prior": [asdict(p) for p in (fit.prior if isinstance(fit.prior, tuple) else [fit.prior])],
        "measure": {name: getattr(measure, name, None) for name in OF_MEASURE},
        **{name: getattr(result.question, name) for name in OF_QUESTION},
        "remembered": remembered,
        "groups": list(result.groups),
    }


def _storable_group(group: Dataset) -> Dataset:
    """Leave out the time, and what a text in HDF5 cannot hold: the record has the names."""
    group.attrs = {name: value for name, value in group.attrs.items() if name != "created_at"}
    names = {
        name: (values.dims, [_storable(value) for value in values.to_numpy().tolist()])
        for name, values in group.coords.items()
        if values.dtype.kind in "UOT"
    }
    return group.assign_coords(names)


def _storable(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return value.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def _encoding(variable: Variable) -> dict[str, Any]:
    if variable.dtype.kind not in "biuf":
        return {}
    if variable.nbytes < MIN_COMPRESSED:
        return {"_FillValue": None}
    compressed = {"zlib": True, "complevel": 1, "shuffle": True, "fletcher32": True}
    return {"_FillValue": None, **compressed}


def _from_tree(tree: DataTree) -> Saved:
    """Read a result, and those of groups of its documents."""
    from pydantic import TypeAdapter

    content = json.loads(tree.attrs[ATTRIBUTE])
    if content["format"] > FORMAT:
        raise ValueError(f"it has format {content['format']}, and {FORMAT} is the newest known")
    record = TypeAdapter(Record).validate_python(content)
    question = Question(_measure(record.measure), **{name: content[name] for name in OF_QUESTION})
    arrays = {
        str(name): {str(key): np.array(values) for key, values in node.data_vars.items()}
        for name, node in tree.children.items()
    }
    data = data_of(record.data, arrays["data"], **{name: getattr(record, name) for name in OF_DATA})
    expected = (len(data.systems), len(data.categories), 4)
    if data.cells is not None and data.cells.shape != expected:
        raise ValueError(f"its counts do not match its {len(data.categories)} categories")
    posterior, prior = arrays["posterior"], arrays.get("prior", {})
    scores: tuple[Any, ...]
    if record.pair is None:
        scores = (posterior["psi"],)
        for group, name in product((posterior, prior), FITTED):
            group.pop(name, None)
    else:
        scores = record.pair, _take_scores(posterior), _take_scores(prior)
        if scores[1] is None or max(record.pair) >= len(data.systems):
            raise ValueError("it has no scores of two of its systems")
        posterior, prior = (dict(stacked(group)) for group in (posterior, prior))
    posterior |= arrays.get("fitted_posterior", {})
    prior |= arrays.get("fitted_prior", {})
    priors = tuple(Prior(**weights) for weights in record.prior)
    fit = Fit(
        data=data,
        model=_model(record),
        prior=as_prior(priors if len(priors) > 1 else priors[0]),
        draws=Draws(posterior, prior, arrays.get("sample_stats", {})),
        **{name: getattr(record, name) for name in OF_FIT},
    )
    remembered = dict(record.remembered)
    if remembered:
        remembered["observed"] = np.array(remembered["observed"], dtype=np.float64)
        remembered["warnings"] = tuple(remembered["warnings"])
    children = [tree.children[GROUP.format(index)] for index in range(len(record.groups))]
    groups = dict(zip(record.groups, map(_from_tree, children), strict=True))
    return Saved(fit, question, scores, remembered, groups)


def _take_scores(group: dict[str, NDArray[Any]]) -> Scores | None:
    """Take psi and delta of the categories and averages out of a group."""
    psi_A, psi_B, delta = (group.pop(name, None) for name in ("psi_A", "psi_B", "delta"))
    if delta is None:
        return None
    unknown = np.full_like(delta, np.nan)  # a program may generate a difference alone
    psi = [unknown if scores is None else scores for scores in (psi_A, psi_B)]
    return Scores(np.stack(psi, axis=2), delta)


def _model(record: Record) -> Model:
    if record.program is not None:
        file, inputs, outputs = (record.program[name] for name in ("file", "inputs", "outputs"))
        return CustomModel(Program(Path(file), inputs, outputs, (), ()), record.program["data"])
    if record.model not in MODELS:
        raise ValueError(f"its model {record.model!r} is not known here")
    return MODELS[record.model]


def _measure(record: dict[str, Any]) -> Measure:
    """Find a measure by its code or name, and give it its settings again."""
    # a program of the user's own may have another name for it
    key = "name" if record["code"] is None else "code"
    same = [m for m in registered().values() if m.code == record["code"]]
    measure = next((m for m in same if getattr(m, key) == record[key]), None)
    if measure is None:
        kind = ScoreMeasure if record["kind"] in ("scores", "numbers") else Measure
        measure = kind(record["name"], _Unregistered(record["name"]), record["formula"])
    settings = {name: value for name, value in record.items() if hasattr(measure, name)}
    return replace(measure, **settings | {"range": tuple(record["range"])})


class _Unregistered(str):
    """The name of a measure that nobody has registered here, in place of its function."""

    def __call__(self, *arguments: Any) -> Any:
        raise InputError(
            f"The measure {str(self)!r} is not registered here: register the measure to judge anew."
        )
