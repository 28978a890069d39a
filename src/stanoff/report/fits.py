"""Fits that are kept: what was fitted before, from the same input and the same way, is read."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from stanoff import models
from stanoff.datafiles import data_paths
from stanoff.errors import StanoffError
from stanoff.provenance import gather
from stanoff.report.config import PRIORS, Study
from stanoff.result import Comparison


def fitted(study: Study, pair: tuple[str, str], model: str, store: Path) -> tuple[Comparison, bool]:
    """Fit a model to a pair of classifiers, or read what was fitted before; tell which.

    Parameters
    ----------
    study : what is studied
    pair : two columns of predictions
    model : a model of the study
    store : the beginning of the file's name; a hash and ``.nc`` follow
    """
    from stanoff.comparison import compare
    from stanoff.saving import load

    key = _key(study, pair, model)
    file = store.with_name(f"{store.name}-{key[:16]}.nc")
    try:
        return load(file), True
    except StanoffError:
        pass  # not there, or damaged
    result = compare(
        study.file,
        truth=study.truth,
        a=pair[0],
        b=pair[1],
        names=(study.names[pair[0]], study.names[pair[1]]),
        measure=study.measures[0],
        model=model,
        prior=PRIORS[study.prior](),
        rope=study.rope,
        hdi=study.hdi,
        seed=study.seed,
        **study.judging,
        **study.fitting,
    )
    for old in store.parent.glob(f"{_literal(store.name)}-{'[0-9a-f]' * 16}.nc"):
        old.unlink()
    result.save(file)
    return result, False


def _literal(name: str) -> str:
    from glob import escape

    return escape(name)


def _key(study: Study, pair: tuple[str, str], model: str) -> str:
    """Hash everything that a fit depends on; ROPE, HDI and most measures are chosen afterwards."""
    chosen = models.get(model)
    engine = study.fitting.get("engine") or ("stan" if chosen.program else "exact")
    origin = gather(chosen, engine, {})
    parts: dict[str, Any] = {
        "data": [_hash_of_file(Path(path)) for path in data_paths(study.file)],
        "columns": [study.truth, *pair],
        "names": [study.names[column] for column in pair],
        "model": chosen.name,
        "program": origin.program,
        "versions": dict(origin.versions),
        "engine": engine,
        "seed": study.seed,
        "prior": study.prior,
        "fitting": dict(study.fitting),
        "judging": dict(study.judging),
        # A program of the user's own may tell nothing but the score that it was asked for.
        "measure": study.measures[0] if model.endswith(".stan") else None,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _hash_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
