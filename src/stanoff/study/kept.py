"""What was made before: it is read again where nothing has changed that it depends on.

Beside every fit lies a record of each comparison or contest that was made of it: what the overview
shows, a hash of all that it depends on, and the hashes of its page, its figures and its fit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import stanoff
from stanoff._lib.files import write_text
from stanoff.data.files import data_paths
from stanoff.engines.programs import program_hash, stan_folder
from stanoff.engines.provenance import gather
from stanoff.engines.sampling import select_engine
from stanoff.errors import StanoffError
from stanoff.measures import Measure
from stanoff.models import MODELS
from stanoff.question import Question, Sampling
from stanoff.study.config import DataSet, Study
from stanoff.study.outcomes import Outcome, outcome_of

CODE = (".py", ".html", ".css", ".js", ".stan", ".stanfunctions")
DRAWERS = ("matplotlib", "seaborn", "scipy", "pandas", "arviz-stats")


def recalled(record: Path, key: str, out: Path) -> Outcome | None:
    """Return what was made before; None if it depends on what has changed, or a file has.

    Parameters
    ----------
    record : Path
        Where :func:`keep` has put it.
    key : str
        What :func:`key_of` says now.
    out : Path
        The folder of the study.
    """
    try:
        told = json.loads(record.read_text("utf-8"))
        kept = json.loads(told["kept"])
        if told["sha256"] != _sha256(told["kept"].encode()) or not key or kept["key"] != key:
            return None
        for name, digest in kept["files"].items():
            if _sha256((out / name).read_bytes()) != digest:
                return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return outcome_of(kept["outcome"])


def keep(outcome: Outcome, files: Sequence[Path], record: Path, key: str, out: Path) -> None:
    """Write down an outcome and the hashes of its files.

    Parameters
    ----------
    outcome : Outcome
        What was made.
    files : sequence of Path
        Its files, which lie in ``out``.
    record : Path
        Where to.
    key : str
        What :func:`key_of` said.
    out : Path
        The folder of the study.
    """
    hashes = {path.relative_to(out).as_posix(): _sha256(path.read_bytes()) for path in files}
    kept = json.dumps({"key": key, "files": hashes, "outcome": outcome.record()}, sort_keys=True)
    write_text(record, json.dumps({"kept": kept, "sha256": _sha256(kept.encode())}))


def key_of(
    study: Study,
    data: DataSet,
    systems: tuple[tuple[str, ...], tuple[str, ...]],
    sampling: Sampling,
    question: Question,
) -> str:
    """Hash all that a page and its figures depend on; empty where that cannot be told.

    Parameters
    ----------
    study : Study
        What is studied.
    data : DataSet
        One of the study's.
    systems : tuple
        The columns that are shown, and those that were fitted together.
    sampling, question : Sampling, Question
        Those of the study.
    """
    first = study.questions[0]  # a program may tell nothing but what it was asked first
    if not (_is_built_in(first.measure) and _is_built_in(question.measure)):
        return ""
    try:
        labels = [_labels(file) for file in data.files]
    except (StanoffError, OSError):
        return ""  # whoever reads them will say why
    model, common = sampling.model, next(iter(MODELS.values()))
    engine, _ = select_engine(model or common, sampling.engine)
    own = model is not None and model.file is not None
    parts = {
        "labels": labels,
        "data": asdict(_without_folder(data)),
        "systems": [[(column, study.names[column]) for column in some] for some in systems],
        "questions": [[repr(asked), asked.measure.label] for asked in (question, first)],
        "sampling": repr(replace(sampling, model=None, progress=False)),
        "model": model and model.name,
        "program": program_hash(model.stan_file) if own and model else None,
        "figures": [study.figures, study.figure_formats],
        "engine": engine,
        "versions": dict(gather(common, engine, {}).versions),
        "code": _code(),
    }
    return _sha256(json.dumps(parts, sort_keys=True, default=repr).encode())


def _without_folder(data: DataSet) -> DataSet:
    """Forget where files lie: that makes no difference to what is made of them."""
    layout = {
        key: Path(told).name if key == "truth_file" else told for key, told in data.layout.items()
    }
    return replace(data, file=tuple(Path(file).name for file in data.files), layout=layout)


def _is_built_in(measure: Measure) -> bool:
    """Return whether stanoff's own code computes it; what other code does may change unseen."""
    return str(measure.function.__module__).partition(".")[0] == "stanoff"


def _labels(pattern: str) -> list[Any]:
    """Hash the files of a data set, with the dates that pages show."""
    told = []
    for path in map(Path, data_paths(pattern)):
        facts = path.stat()
        told.append([path.name, int(facts.st_mtime), _content(path, facts.st_mtime_ns)])
    return told


@lru_cache(maxsize=64)
def _content(path: Path, modified: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def _code() -> str:
    """Hash the code that draws: stanoff's own, and which versions it draws with."""
    digest = hashlib.sha256(repr([version(name) for name in DRAWERS]).encode())
    for folder in (Path(stanoff.__file__).parent, stan_folder()):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in CODE):
            digest.update(path.relative_to(folder).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
