"""All that a result consists of besides its arrays, as plain JSON and back again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from stanoff.errors import InputError
from stanoff.measures import MEASURES, Array, Cells, Measure, shifted
from stanoff.models import MODELS, AnyCounts, Model
from stanoff.own_models import OwnModel, Program, model_of
from stanoff.posterior import Draws
from stanoff.priors import Prior, Priors
from stanoff.provenance import Provenance
from stanoff.result import Comparison

Record = dict[str, Any]


def record_of(result: Comparison) -> Record:
    """Gather what is not an array; numbers that JSON lacks become texts."""
    priors = result.prior if isinstance(result.prior, tuple) else (result.prior,)
    record = {
        "names": result.names,
        "categories": result.counts.categories,
        "model": _record_of_model(result.model),
        "engine": result.engine,
        "seed": result.seed,
        "prior": [asdict(prior) for prior in priors],
        "measure": _record_of_measure(result),
        "average": result.average,
        "rope": result.rope_used,
        "hdi": result.hdi_used,
        "sampler_warnings": result.sampler_warnings,
        "provenance": asdict(result.provenance),
    }
    return _plain(record)  # type: ignore[no-any-return]


def result_of(record: Record, counts: AnyCounts, draws: Draws) -> Comparison:
    """Put a result together again."""
    a, b = record["names"]
    low, high = record["rope"]
    told = record["provenance"]
    sources = tuple((name, text) for name, text in told["sources"])
    measure = _measure_of(record["measure"], counts)
    return Comparison(
        counts=counts,
        names=(a, b),
        model=_knowing(_model_of(record["model"]), measure, record["measure"]),
        engine=record["engine"],
        seed=record["seed"],
        prior=_prior_of(record["prior"]),
        measure_used=measure,
        average=record["average"],
        rope_used=(float(low), float(high)),
        hdi_used=float(record["hdi"]),
        draws=draws,
        sampler_warnings=tuple(record["sampler_warnings"]),
        provenance=Provenance(**(told | {"sources": sources})),
    )


def _record_of_model(model: Model) -> Record:
    if not isinstance(model, OwnModel) or model.declared is None:
        return {"name": model.name}
    declared = model.declared
    return {
        "name": model.name,
        "file": str(model.file),
        "inputs": declared.inputs,
        "outputs": declared.outputs,
    }


def _model_of(record: Record) -> Model:
    if "file" in record:
        path = Path(record["file"])
        return model_of(Program(path, record["inputs"], record["outputs"], (), ()))
    if record["name"] not in MODELS:
        raise ValueError(f"its model {record['name']!r} is not known here")
    return MODELS[record["name"]]


def _prior_of(record: list[Record]) -> Priors:
    priors = [Prior(**(weights | {"kappa": tuple(weights["kappa"])})) for weights in record]
    return priors[0] if len(priors) == 1 else (priors[0], priors[1])


def _record_of_measure(result: Comparison) -> Record:
    measure = result.measure_used
    record: Record = {
        "name": measure.name,
        "formula": measure.formula,
        "code": measure.code,
        "higher_is_better": measure.higher_is_better,
        "range": measure.range,
        "beta": measure.beta,
        "zero_division": measure.zero_division,
        "prevalence": measure.prevalence,
    }
    if measure.code is None:  # Python code cannot be stored, so keep what it said
        record["observed"] = [_undecided(measure, cells) for cells in _observed(result.counts)]
        record["diverges"] = bool(result.model.diverges(measure, result.prior))
    return record


def _measure_of(record: Record, counts: AnyCounts) -> Measure:
    coded = {measure.code: measure for measure in MEASURES.values() if measure.code is not None}
    known = coded.get(record["code"]) or MEASURES.get(record["name"])
    low, high = record["range"]
    prevalence = record["prevalence"]
    measure = Measure(
        name=record["name"],
        function=known.function if known else _not_registered(record["name"]),
        formula=record["formula"],
        code=record["code"],
        higher_is_better=record["higher_is_better"],
        range=(float(low), float(high)),
        beta=float(record["beta"]),
        zero_division=float(record["zero_division"]),
        prevalence=None if prevalence is None else float(prevalence),
    )
    if measure.code is not None:
        return measure
    scores = [np.array(values, dtype=np.float64) for values in record["observed"]]
    now = [_undecided(measure, cells) for cells in _observed(counts)] if known else []
    if now and np.array_equal(scores, now, equal_nan=True):
        return measure
    return replace(measure, function=_remembered(measure, scores, counts))


def _knowing(model: Model, measure: Measure, record: Record) -> Model:
    """Let a model remember what it had found out about a measure that is not here."""
    if any(known.function is measure.function for known in MEASURES.values()):
        return model

    def diverges(asked: Measure, prior: Priors) -> bool:
        if asked.function is measure.function:
            return bool(record["diverges"])
        return model.diverges(asked, prior)

    return replace(model, diverges=diverges)


def _observed(counts: AnyCounts) -> tuple[Array, Array]:
    return counts.cells_A.astype(np.float64), counts.cells_B.astype(np.float64)


def _undecided(measure: Measure, cells: Array) -> Array:
    """Return the scores of observed cells, NaN where they are 0/0."""
    return replace(measure, zero_division=math.nan)(cells)


def _not_registered(name: str) -> Callable[[Cells], Array]:
    def refuse(cells: Cells) -> Array:
        raise InputError(
            f"The measure {name!r} is not registered here, or not the one that the result was "
            "saved with: its draws are kept, but nothing else can be judged by it."
        )

    return refuse


def _remembered(
    measure: Measure, scores: list[Array], counts: AnyCounts
) -> Callable[[Cells], Array]:
    """Stand in for a function that is not here: it knows the scores of what was observed."""
    cells = _observed(counts)
    if measure.prevalence is not None:
        cells = shifted(cells[0], measure.prevalence), shifted(cells[1], measure.prevalence)
    refuse = _not_registered(measure.name)

    def look_up(asked: Cells) -> Array:
        given = np.stack([asked.tp, asked.fp, asked.fn, asked.tn], axis=-1)
        for known, values in zip(cells, scores, strict=True):
            if np.array_equal(given, known):
                return np.where(np.isnan(values), asked.zero_division, values)
        return refuse(asked)

    return look_up


def _plain(value: Any) -> Any:
    """Turn tuples and arrays into lists, and numbers that JSON lacks into texts."""
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(part) for part in value]
    if isinstance(value, (np.integer, np.bool_)):
        return value.item()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    return value
