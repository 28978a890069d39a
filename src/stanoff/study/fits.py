"""Fits that are kept: what was fitted before, from the same counts and the same way, is read."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path
from typing import Any

from stanoff import models
from stanoff._lib.arguments import as_systems
from stanoff.api import load
from stanoff.data.observed import count, count_systems
from stanoff.data.types import Data
from stanoff.engines.provenance import gather
from stanoff.engines.sampling import select_engine
from stanoff.errors import StanoffError
from stanoff.fit import Fit, fit
from stanoff.question import Question, Sampling
from stanoff.results.comparison import Comparison
from stanoff.results.contest import Contest
from stanoff.store.netcdf import save
from stanoff.study.config import DataSet, Study


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fit that is kept.

    Attributes
    ----------
    result : Comparison or Contest
        The systems, judged by the first measure of the study.
    file : Path
        Where it is kept.
    reused : bool
        Whether it was read rather than made.
    """

    result: Comparison | Contest
    file: Path
    reused: bool


def fitted(
    study: Study, data: DataSet, systems: tuple[str, ...], sampling: Sampling, store: Path
) -> Fitted:
    """Fit a model to a pair of systems or to more, or read what was fitted before.

    Parameters
    ----------
    study : Study
        What is studied.
    data : DataSet
        One of the study's.
    systems : tuple of str
        Columns of predictions.
    sampling : Sampling
        One of the study's.
    store : Path
        The beginning of the file's name; a hash and ``.nc`` follow.
    """
    question = study.questions[0].for_model(sampling.model)
    counted = _counted(study, data, systems, question)
    if "file" in counted.source:  # where the study lies makes no difference to what it says
        told = ", ".join(dict.fromkeys(Path(file).name for file in data.files))
        counted = replace(counted, source={**counted.source, "file": told})
    key = _key(counted, question, sampling)
    file = store.with_name(f"{store.name}-{key[:16]}.nc")
    try:
        return Fitted(_described(load(file), counted), file, reused=True)
    except StanoffError:
        pass  # not there, or damaged
    made = fit(counted, question, sampling)
    result = _asked(made, question)
    for old in store.parent.glob(f"{escape(store.name)}-{'[0-9a-f]' * 16}.nc"):
        old.unlink()
    save(result, file)
    return Fitted(result, file, reused=False)


def _counted(study: Study, data: DataSet, systems: tuple[str, ...], question: Question) -> Data:
    """Count what two systems said, or more; or gather their scores."""
    chosen: dict[str, Any] = {"pos_label": data.pos_label, "labels": data.labels}
    layout: dict[str, Any] = dict(data.layout)
    gold = layout.pop("truth_file", None)
    chosen |= {"truth": (gold, data.truth) if gold else data.truth}
    chosen |= {"average": question.average, "kind": question.measure.kind}
    names = tuple(study.names[column] for column in systems)
    where: Any = data.file
    if isinstance(data.file, tuple):  # one per system
        places = [list(study.names).index(column) for column in systems]
        where = tuple(data.file[place] for place in places)
        systems = (layout.pop("prediction"),) * len(systems)
    if len(systems) == 2:
        counted = count(where, a=systems[0], b=systems[1], **layout, **chosen)
    else:
        counted = count_systems(where, systems=systems, **layout, **chosen)
    return replace(counted, systems=as_systems(names))


def _asked(made: Fit, question: Question) -> Comparison | Contest:
    names = made.data.systems
    return made.between(*names, question) if len(names) == 2 else made.contest(question)


def _described(result: Comparison | Contest, counted: Data) -> Comparison | Contest:
    """Say where the labels come from now; the same ones may have moved."""
    data = replace(result.data, source=counted.source, notes=counted.notes)
    return replace(result, fit=replace(result.fit, data=data))


def _key(data: Data, question: Question, sampling: Sampling) -> str:
    """Hash everything that a fit depends on; ROPE, HDI and most measures are chosen afterwards."""
    model = sampling.model or models.for_data(data)
    engine, _ = select_engine(model, sampling.engine)
    origin = gather(model, engine, {})
    parts: dict[str, Any] = {
        "data": [type(data).__name__, data.categories, data.systems],
        "model": model.name,
        "program": origin.program,
        "versions": dict(origin.versions),
        "engine": engine,
        "sampling": repr(replace(sampling, model=None, progress=False)),
        "average": question.average,
        # A program of the user's own may tell nothing but the score that it was asked for; weights
        # of documents are kept as the measure that was asked for.
        "measure": question.measure.label if model.file or data.kind == "scores" else None,
    }
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
    for name, values in data.arrays().items():
        digest.update(f"{name}{values.shape}".encode())
        digest.update(values.tobytes())
    return digest.hexdigest()
