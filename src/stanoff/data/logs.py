"""What other programs write, known by its content, as tables with an id per row.

The columns are ``id`` and, as far as there are any, ``truth`` and ``prediction``; then one per
score, by the name that the program has for it.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow

from stanoff.errors import InputError

ZSTD = 93  # the method of compression in a ZIP that Python 3.14 is the first to know
LM_EVAL = {"doc_id", "target", "resps", "filtered_resps"}
IR_MEASURES = {"query_id", "measure", "value"}
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # inspect_ai: correct, partial, incorrect, none
HEADS = re.compile(r"header\.json|_journal/start\.json|summaries\.json|_journal/summaries/.*")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
VALUE = r"(?P<value>\S+)"
TREC_EVAL = re.compile(rf"(?=.{{22}})(?P<measure>\S+)\s*[\t ](?P<topic>\S+)\s+{VALUE}\s*")
BY_QUERY = re.compile(rf"(?P<topic>[^\t]+)\t(?P<measure>[^\t]*[A-Za-z][^\t]*)\t{VALUE}\s*")

Log = tuple[pd.DataFrame, tuple[str, ...]]  # a row per item, and what to know about them


def read_log(path: str, start: str) -> Log | None:
    """Read a log of a program that is known, or return None.

    Parameters
    ----------
    path : str
        A file.
    start : str
        How it begins.
    """
    if start.startswith("PK") and Path(path).suffix == ".eval":
        return _inspect_archive(path)
    try:
        if re.match(r'\s*\{\s*"version":\s*\d+,\s*"status":', start) and '"eval"' in start:
            with open_unpacked(path) as file:
                return _inspect(json.load(file), path)
        keys = _first_keys(path) if start.startswith("{") else set()
        if keys >= LM_EVAL:
            return _lm_eval(list(_records(path)), path)
        if keys == IR_MEASURES:
            return _by_topic((r["query_id"], r["measure"], r["value"]) for r in _records(path)), ()
        return _values_per_topic(path, start)
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        message = f"{type(error).__name__}: {error}"
        raise InputError(f"{path} looks like a log, but cannot be read: {message}.") from None


def open_unpacked(path: str) -> Any:
    """Open a file, which may be packed."""
    return pyarrow.input_stream(path, compression="detect")


def _lines(path: str) -> Iterator[str]:
    with open_unpacked(path) as file:
        yield from io.TextIOWrapper(file, encoding="utf-8")


def _records(path: str) -> Iterator[Any]:
    return (json.loads(line) for line in _lines(path) if line.strip())


def _first_keys(path: str) -> set[str]:
    """Return the names of the first record, if the file has a JSON record per line."""
    try:
        return set(next(_records(path)))
    except (ValueError, RecursionError):
        return set()


# lm-evaluation-harness: samples_*.jsonl.


def _lm_eval(samples: list[dict[str, Any]], path: str) -> Log:
    filters = list(dict.fromkeys(sample.get("filter", "none") for sample in samples))
    notes: tuple[str, ...] = ()
    if len(filters) > 1:
        notes = (f"{path} has the filters {', '.join(filters)}: the first is taken.",)
    rows = []
    for sample in samples:
        if sample.get("filter", "none") == filters[0]:
            raw = {"doc_id": sample["doc_id"], "target": sample["target"]}
            row = {"id": raw["doc_id"], "truth": str(raw["target"])} | _lm_eval_answer(sample)
            scores = {name: sample.get(name) for name in sample.get("metrics", ())}
            numbers = {k: v for k, v in scores.items() if isinstance(v, (int, float))}
            rows.append(row | numbers | raw)
    return pd.DataFrame(rows), notes


def _lm_eval_answer(sample: Mapping[str, Any]) -> dict[str, str]:
    """Return what was answered: the text, or the choice with the highest likelihood."""
    answers = sample["filtered_resps"]
    if answers and isinstance(answers[0], str):
        return {"prediction": answers[0]}
    if not all(isinstance(answer, list) and len(answer) == 2 for answer in answers):
        return {}
    best = max(range(len(answers)), key=lambda i: float(answers[i][0]))
    arguments = sample["arguments"]  # by name, or in older versions a list of pairs
    pairs = arguments.values() if isinstance(arguments, Mapping) else arguments
    choices = [str(pair["arg_1" if isinstance(pair, Mapping) else 1]).strip() for pair in pairs]
    target = str(sample["target"])
    by_number = target.isdigit() and int(target) < len(answers) and target not in choices
    return {"prediction": str(best) if by_number else choices[best]}


# inspect_ai: .json and .eval.


def _inspect_archive(path: str) -> Log:
    try:
        with zipfile.ZipFile(path) as archive:
            members: dict[str, Any] = {
                n: _member(archive, n) for n in archive.namelist() if HEADS.match(n)
            }
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None
    head = members.pop("_journal/start.json", None)
    head = members.pop("header.json", head)
    if head is None or not members:
        raise InputError(f"{path} is not a log of inspect_ai, or has no samples.")
    whole = members.get("summaries.json")
    parts = [whole] if whole else [members[name] for name in sorted(members)]
    return _inspect(head | {"samples": [sample for part in parts for sample in part]}, path)


def _member(archive: zipfile.ZipFile, name: str) -> Any:
    """Read a member of a ZIP as JSON; what Python cannot unpack Arrow does."""
    info = archive.getinfo(name)
    if info.compress_type != ZSTD:
        return json.loads(archive.read(name))
    with Path(str(archive.filename)).open("rb") as file:
        file.seek(info.header_offset + 26)
        file.seek(info.header_offset + 30 + sum(struct.unpack("<HH", file.read(4))))
        packed = file.read(info.compress_size)
    return json.loads(pyarrow.decompress(packed, info.file_size, codec="zstd", asbytes=True))


def _inspect(log: Mapping[str, Any], path: str) -> Log:
    samples = log.get("samples") or []
    if not samples:
        raise InputError(f"{path} has no samples.")
    rows = []
    for sample in samples:
        target = sample["target"]
        target = target[0] if isinstance(target, list) and len(target) == 1 else target
        truth = target if isinstance(target, str) else json.dumps(target)
        row = {"id": sample["id"], "truth": truth, "prediction": None}
        for name, score in (sample.get("scores") or {}).items():
            value = score.get("value")
            row[name] = GRADES.get(value, value) if isinstance(value, str) else value
            if row["prediction"] is None:
                row["prediction"] = score.get("answer")
        rows.append(row | {"epoch": sample.get("epoch", 1)})
    status = log.get("status", "success")
    unfinished = f"{path} ended with the status {status}: not all samples may be in it."
    return pd.DataFrame(rows), () if status == "success" else (unfinished,)


# trec_eval -q and ir_measures: a value per topic and measure.


def _values_per_topic(path: str, start: str) -> Log | None:
    for pattern in (TREC_EVAL, BY_QUERY):
        matches = [pattern.fullmatch(line) for line in start.splitlines()[:5]]
        if not matches or not all(m and NUMBER.fullmatch(m["value"]) for m in matches):
            continue
        rows = []
        for number, line in enumerate(_lines(path), start=1):
            match = pattern.fullmatch(line)
            if match is None:
                raise InputError(f"{path} cannot be read: line {number} is {line[:80].strip()!r}.")
            rows.append((match["topic"], match["measure"], match["value"]))
        return _by_topic(rows), ()
    return None


def _by_topic(rows: Iterable[tuple[Any, Any, Any]]) -> pd.DataFrame:
    """Turn (topic, measure, value) to one row per topic, without the averages over all."""
    values: dict[str, dict[str, float]] = {}
    for topic, measure, value in rows:
        if topic != "all":
            values.setdefault(str(topic), {})[measure] = float(value)
    return pd.DataFrame([{"id": topic} | measures for topic, measures in values.items()])
