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
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow

from stanoff.errors import InputError

MAX_LINE = 2**24  # characters of a first record
ZSTD = 93  # the method of compression in a ZIP that Python 3.14 is the first to know
LM_EVAL = {"doc_id", "target", "resps", "filtered_resps"}
IR_MEASURES = {"query_id", "measure", "value"}
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # inspect_ai: correct, partial, incorrect, none
NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
TREC_EVAL = re.compile(r"(?=.{22})(\S+)\s*[\t ](\S+)\s+(\S+)\s*")
BY_QUERY = re.compile(rf"([^\t]+)\t([^\t]*[A-Za-z][^\t]*)\t({NUMBER})\s*")

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
            with _open(path) as file:
                return _inspect(json.load(file), path)
        keys = _first_keys(path, start)
        if keys >= LM_EVAL:
            return _lm_eval(_json_lines(path), path)
        if keys == IR_MEASURES:
            rows = ((r["query_id"], r["measure"], r["value"]) for r in _json_lines(path))
            return _by_topic(rows), ()
        return _values_per_topic(path, start)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        message = f"{type(error).__name__}: {error}"
        raise InputError(f"{path} looks like a log, but cannot be read: {message}.") from None


def open_unpacked(path: str) -> Any:
    """Open a file, which may be packed."""
    return pyarrow.input_stream(path, compression="detect")


def _open(path: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(open_unpacked(path), encoding="utf-8")


def _first_keys(path: str, start: str) -> set[str]:
    """Return the names of the first record, if the file has a JSON record per line."""
    if not start.startswith("{"):
        return set()
    with _open(path) as file:
        try:
            return set(json.loads(file.readline(MAX_LINE)))
        except (ValueError, RecursionError):
            return set()


def _json_lines(path: str) -> list[dict[str, Any]]:
    with _open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


# lm-evaluation-harness: samples_*.jsonl.


def _lm_eval(samples: list[dict[str, Any]], path: str) -> Log:
    filters = list(dict.fromkeys(sample.get("filter", "none") for sample in samples))
    notes: tuple[str, ...] = ()
    if len(filters) > 1:
        samples = [sample for sample in samples if sample.get("filter") == filters[0]]
        notes = (f"{path} has the filters {', '.join(filters)}: the first is taken.",)
    rows = []
    for sample in samples:
        scores = {name: sample[name] for name in sample.get("metrics", ()) if name in sample}
        numbers = {k: v for k, v in scores.items() if isinstance(v, (int, float))}
        answer = _lm_eval_answer(sample)
        raw = {"doc_id": sample["doc_id"], "target": sample["target"]}
        rows.append({"id": raw["doc_id"], "truth": str(raw["target"])} | answer | numbers | raw)
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
            names = archive.namelist()
            members = [n for n in names if n == "summaries.json"] or sorted(
                n for n in names if n.startswith("_journal/summaries/")
            )
            head = [n for n in ("header.json", "_journal/start.json") if n in names]
            if not members or not head:
                raise InputError(f"{path} is not a log of inspect_ai, or has no samples.")
            samples = [s for n in members for s in _member(archive, n, path)]
            [header] = _member(archive, head[0], path)
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None
    return _inspect(header | {"samples": samples}, path)


def _member(archive: zipfile.ZipFile, name: str, path: str) -> list[dict[str, Any]]:
    """Read a member of a ZIP as JSON; what Python cannot unpack Arrow does."""
    info = archive.getinfo(name)
    if info.compress_type != ZSTD:
        content = archive.read(name)
    else:
        with Path(path).open("rb") as file:
            file.seek(info.header_offset + 26)
            file.seek(info.header_offset + 30 + sum(struct.unpack("<HH", file.read(4))))
            packed = file.read(info.compress_size)
        content = pyarrow.decompress(packed, info.file_size, codec="zstd", asbytes=True)
    records = json.loads(content)
    return records if isinstance(records, list) else [records]


def _inspect(log: Mapping[str, Any], path: str) -> Log:
    samples = log.get("samples") or []
    if not samples:
        raise InputError(f"{path} has no samples.")
    rows = []
    for sample in samples:
        row = {"id": sample["id"], "truth": _target(sample["target"]), "prediction": None}
        for name, score in (sample.get("scores") or {}).items():
            value = score.get("value")
            row[name] = GRADES.get(value, value) if isinstance(value, str) else value
            if row["prediction"] is None:
                row["prediction"] = score.get("answer")
        rows.append(row | {"epoch": sample.get("epoch", 1)})
    status = log.get("status", "success")
    unfinished = f"{path} ended with the status {status}: not all samples may be in it."
    return pd.DataFrame(rows), () if status == "success" else (unfinished,)


def _target(target: Any) -> str:
    label = target[0] if isinstance(target, list) and len(target) == 1 else target
    return label if isinstance(label, str) else json.dumps(label)


# trec_eval -q and ir_measures: a value per topic and measure.


def _values_per_topic(path: str, start: str) -> Log | None:
    lines = start.splitlines()[:5]
    for pattern, (topic, measure, value) in ((TREC_EVAL, (2, 1, 3)), (BY_QUERY, (1, 2, 3))):
        matches = [pattern.fullmatch(line) for line in lines]
        if not lines or not all(m and re.fullmatch(NUMBER, m[value]) for m in matches):
            continue
        rows = []
        for number, line in enumerate(_open(path).read().splitlines(), start=1):
            match = pattern.fullmatch(line)
            if match is None:
                raise InputError(f"{path} cannot be read: line {number} is {line[:80]!r}.")
            rows.append((match[topic], match[measure], match[value]))
        return _by_topic(rows), ()
    return None


def _by_topic(rows: Iterable[tuple[Any, Any, Any]]) -> pd.DataFrame:
    """Turn (topic, measure, value) to one row per topic, without the averages over all."""
    values: dict[str, dict[str, float]] = {}
    for topic, measure, value in rows:
        if topic != "all":
            values.setdefault(str(topic), {})[measure] = float(value)
    return pd.DataFrame([{"id": topic} | measures for topic, measures in values.items()])
