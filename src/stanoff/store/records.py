"""All that a result consists of besides its arrays, as plain JSON and back again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stanoff.data.types import Data, data_of
from stanoff.engines.draws import Draws
from stanoff.engines.provenance import Provenance
from stanoff.errors import InputError
from stanoff.fit import Fit
from stanoff.measures import (
    MEASURES,
    SCORES,
    VALUES,
    Array,
    Confusion,
    Measure,
    ScoreMeasure,
    at_prevalence,
)
from stanoff.measures.scores import CALLABLE
from stanoff.models import MODELS, Model
from stanoff.models.base import no_theorem
from stanoff.models.declared import Program
from stanoff.models.own import OwnModel, model_of
from stanoff.models.priors import Prior, Priors
from stanoff.question import Question
from stanoff.results.comparison import Comparison

if TYPE_CHECKING:
    from stanoff.results.base import Result

Record = dict[str, Any]


def record_of(result: Result) -> Record:
    """Gather what is not an array; numbers that JSON lacks become texts."""
    fit, question = result.fit, result.question
    priors = fit.prior if isinstance(fit.prior, tuple) else (fit.prior,)
    record = {
        "data": {
            "kind": type(fit.data).__name__,
            "categories": fit.data.categories,
            "systems": fit.data.systems,
            "source": dict(fit.data.source),
            "notes": fit.data.notes,
        },
        "pair": result.pair if isinstance(result, Comparison) else None,  # None: all systems
        "model": _record_of_model(fit.model),
        "engine": fit.engine,
        "seed": fit.seed,
        "prior": [asdict(prior) for prior in priors],
        "question": _repr_blocks(question) | {"measure": _record_of_measure(result)},
        "sampler_warnings": fit.sampler_warnings,
        "provenance": asdict(fit.provenance),
    }
    return _plain(record)  # type: ignore[no-any-return]


def upgraded(record: Record, arrays: Mapping[str, Any]) -> Record:
    """Turn a record of format 1 into one of this format."""
    kinds = {"pos": "PairedCounts", "cells_A": "UnpairedCounts", "rows": "ConfusionCounts"}
    kind = next(kind for name, kind in kinds.items() if name in arrays)
    new = {name: value for name, value in record.items() if name in _SHARED}
    measure = dict(record["measure"])
    if "diverges" in measure:
        measure["prior_density_infinite_at_zero"] = measure.pop("diverges")
    return new | {
        "data": {"kind": kind, "categories": record["categories"], "systems": record["names"]},
        "pair": [0, 1],
        "question": {
            "measure": measure,
            "average": record["average"],
            "rope": record["rope"],
            "hdi_prob": record["hdi"],
        },
    }


_SHARED = ("model", "engine", "seed", "prior", "sampler_warnings", "provenance")


def data_of_record(record: Record, arrays: Mapping[str, Any]) -> Data:
    """Put the data together again."""
    told = record["data"]
    return data_of(
        told["kind"],
        arrays,
        categories=tuple(told["categories"]),
        systems=tuple(told["systems"]),
        source=told.get("source", {}),
        notes=tuple(told.get("notes", ())),
    )


def fit_of(record: Record, data: Data, draws: Draws) -> tuple[Fit, Question]:
    """Put a fit and the question that was asked of it together again."""
    told, asked = record["provenance"], record["question"]
    sources = tuple((name, text) for name, text in told["sources"])
    measure = _measure_of(asked["measure"], data)
    fit = Fit(
        data=data,
        model=_knowing(_model_of(record["model"]), measure, asked["measure"]),
        prior=_prior_of(record["prior"]),
        engine=record["engine"],
        seed=record["seed"],
        draws=draws,
        sampler_warnings=tuple(record["sampler_warnings"]),
        provenance=Provenance(**(told | {"sources": sources})),
    )
    low, high = asked["rope"]
    question = Question(**(asked | {"measure": measure, "rope": (float(low), float(high))}))
    return fit, question


def _repr_blocks(question: Question) -> Record:
    return {part.name: getattr(question, part.name) for part in fields(question)}


def _record_of_model(model: Model) -> Record:
    if not isinstance(model, OwnModel):
        return {"name": model.name}
    declared = model.program_of
    return {
        "name": model.name,
        "file": str(model.file),
        "inputs": declared.inputs,
        "outputs": declared.outputs,
        "data": dict(model.given),
    }


def _model_of(record: Record) -> Model:
    if "file" in record:
        path = Path(record["file"])
        program = Program(path, record["inputs"], record["outputs"], (), ())
        return model_of(program, record.get("data"))
    if record["name"] not in MODELS:
        raise ValueError(f"its model {record['name']!r} is not known here")
    return MODELS[record["name"]]


def _prior_of(record: list[Record]) -> Priors:
    priors = [
        Prior(
            **(
                weights
                | {name: tuple(weights[name]) for name in ("kappa", "items") if weights.get(name)}
            )
        )
        for weights in record
    ]
    return priors[0] if len(priors) == 1 else (priors[0], priors[1])


def _record_of_measure(result: Result) -> Record:
    measure, cells = result.measure, result.data.cells
    record: Record = _of_scores(result, measure) | {
        "name": measure.name,
        "formula": measure.formula,
        "code": measure.code,
        "higher_is_better": measure.higher_is_better,
        "range": measure.range,
        "beta": measure.beta,
        "zero_division": measure.zero_division,
        "prevalence": measure.prevalence,
    }
    if measure.kind != "scores" and measure.code is None:
        # Python code cannot be stored: keep what it said.
        theorem = result.model.prior_density_infinite_at_zero
        record["prior_density_infinite_at_zero"] = theorem(measure, result.prior, result.data)
        if cells is not None:
            record["observed"] = _undecided(measure, cells.astype(np.float64))
            record["pooled"] = _undecided(measure, cells.mean(axis=-2))
    return record


def _of_scores(result: Result, measure: Measure) -> Record:
    """Return what only measures of scores have; of a function also what it said of the data."""
    if not isinstance(measure, ScoreMeasure):
        return {}
    record: Record = {"kind": measure.kind, "clip": measure.clip}
    if measure.computed_from == CALLABLE:
        every = result.model.observed_scores(result.data, measure, result.average)
        record["observed"] = every.tolist()
    return record


def _score_measure_of(record: Record) -> ScoreMeasure:
    low, high = record["range"]
    clip, prevalence = record.get("clip"), record["prevalence"]
    known = SCORES.get(record["name"])
    if known is None:
        refuse: Any = _not_registered(record["name"])
        known = ScoreMeasure(record["name"], refuse, record["formula"])
    return replace(
        known,
        formula=record["formula"],
        higher_is_better=record["higher_is_better"],
        range=(float(low), float(high)),
        beta=float(record["beta"]),
        zero_division=float(record["zero_division"]),
        prevalence=None if prevalence is None else float(prevalence),
        clip=None if clip is None else float(clip),
        observed=tuple(map(tuple, record["observed"])) if _is_told(record) else None,
    )


def _is_told(record: Record) -> bool:
    """Return whether what the data had is kept of a function that is not here."""
    return record["name"] not in SCORES and "observed" in record


def _measure_of(record: Record, data: Data) -> Measure:
    if record.get("kind") == "scores":
        return _score_measure_of(record)
    coded = {measure.code: measure for measure in MEASURES.values() if measure.code is not None}
    known = coded.get(record["code"]) or (MEASURES | VALUES).get(record["name"])
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
        kind=data.kind,
        of_documents=known.of_documents if known else None,
    )
    if measure.code is not None or data.cells is None:
        return measure
    scores = np.array(record["observed"], dtype=np.float64)
    cells = data.cells.astype(np.float64)
    if known and np.array_equal(scores, _undecided(measure, cells), equal_nan=True):
        return measure
    pooled = np.array(record.get("pooled", [math.nan] * len(cells)), dtype=np.float64)
    return replace(measure, function=_remembered(measure, scores, pooled, cells))


def _knowing(model: Model, measure: Measure, record: Record) -> Model:
    """Let a model remember what it had found out about a measure that is not here."""
    theorem = model.prior_density_infinite_at_zero
    every = [*MEASURES.values(), *SCORES.values(), *VALUES.values()]
    here = any(known.function is measure.function for known in every)
    if theorem is no_theorem or here:
        return model

    def prior_density_infinite_at_zero(asked: Measure, prior: Priors, data: Data) -> bool | None:
        if asked.function is measure.function:
            found: bool | None = record["prior_density_infinite_at_zero"]
            return found
        return theorem(asked, prior, data)

    return replace(model, prior_density_infinite_at_zero=prior_density_infinite_at_zero)


def _undecided(measure: Measure, cells: Array) -> Array:
    """Return the scores of observed cells, NaN where they are 0/0."""
    return replace(measure, zero_division=math.nan)(cells)


def _not_registered(name: str) -> Callable[[Confusion], Array]:
    def refuse(*cells: Any) -> Array:
        raise InputError(
            f"The measure {name!r} is not registered here, or not the one that the result was "
            "saved with: its draws are kept, but nothing else can be judged by it."
        )

    return refuse


def _remembered(
    measure: Measure, scores: Array, pooled: Array, cells: Array
) -> Callable[[Confusion], Array]:
    """Stand in for a function that is not here: it knows the scores of what was observed."""
    together = cells.mean(axis=-2)
    if measure.prevalence is not None:
        cells, together = (at_prevalence(part, measure.prevalence) for part in (cells, together))
    refuse = _not_registered(measure.name)

    def look_up(asked: Confusion) -> Array:
        given = np.stack([asked.tp, asked.fp, asked.fn, asked.tn], axis=-1)
        each = zip(cells, scores, strict=True)
        for known, values in ((cells, scores), (together, pooled), *each):
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
