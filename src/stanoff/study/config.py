"""A study: many comparisons out of one small TOML file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from stanoff.errors import InputError, StanoffError, invalid, unknown
from stanoff.plots.gallery import GALLERY
from stanoff.question import Drawing, Judging, Question, Sampling

JUDGING = tuple(name for name in Judging.__annotations__ if name != "measure")
DRAWING = tuple(name for name in Drawing.__annotations__ if name not in ("model", "progress"))
KEYS = (
    *("title", "out", "classifiers", "pairs", "names", "measures", "models", "pos_label"),
    *("positive", "labels", "figures", "data", *JUDGING, *DRAWING),
)
DATA_KEYS = ("file", "truth")


@dataclass(frozen=True)
class Study:
    """What is compared with what, by what, and how.

    Attributes
    ----------
    title : str
        What stands on top of the report.
    file, truth : str
        Where the labels are, and the column of the true ones.
    pairs : tuple
        Columns of predictions, two by two.
    names : mapping
        What the columns are called in the report.
    questions : tuple of Question
        One per measure; they differ in nothing else.
    samplings : tuple of Sampling
        One per model; they differ in nothing else.
    pos_label, labels : optional
        As in :func:`stanoff.compare`.
    figures : tuple of str
        Which figures are drawn.
    out : Path, optional
        Where the report goes, if the file says so.
    """

    title: str
    file: str
    truth: str
    pairs: tuple[tuple[str, str], ...]
    names: Mapping[str, str]
    questions: tuple[Question, ...]
    samplings: tuple[Sampling, ...]
    pos_label: Any = None
    labels: tuple[Any, ...] | None = None
    figures: tuple[str, ...] = tuple(GALLERY)
    out: Path | None = None


def read_study(path: str | os.PathLike[str]) -> Study:
    """Read a study and check all that can be checked before anything is fitted.

    Paths in it are relative to the file.

    Parameters
    ----------
    path : str or path
        A TOML file.
    """
    file = Path(path)
    try:
        given = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} is not a TOML file: {error}.") from None
    try:
        study = _study(given, file)
        _check_columns(study)
    except StanoffError as error:
        raise InputError(f"{file}: {error}") from error
    return study


def _study(given: Mapping[str, Any], file: Path) -> Study:
    _only(given, KEYS, "key")
    data = given.get("data", {})
    if not isinstance(data, Mapping):
        raise invalid("data", "a table with the keys file and truth", data)
    _only(data, DATA_KEYS, "key of data")
    pairs = _pairs(given)
    known = list(dict.fromkeys(name for pair in pairs for name in pair))
    if "positive" in given and "pos_label" in given:
        raise invalid("pos_label", "given once: positive means the same", given["pos_label"])
    out = _text(given, "out") if "out" in given else None
    return Study(
        title=_text(given, "title") if "title" in given else file.stem,
        file=str(file.parent / _text(data, "file", "data.file")),
        truth=_text(data, "truth", "data.truth"),
        pairs=pairs,
        names=_names(given.get("names", {}), known),
        questions=_questions(given),
        samplings=_samplings(given, file.parent),
        pos_label=given.get("pos_label", given.get("positive")),
        labels=tuple(_list(given, "labels")) if "labels" in given else None,
        figures=_figures(given.get("figures", list(GALLERY))),
        out=None if out is None else file.parent / out,
    )


def _only(given: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for key in given:
        if key not in known:
            raise unknown(what, key, known)


def _pairs(given: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    if ("pairs" in given) == ("classifiers" in given):
        told = "both" if "pairs" in given else "neither"
        raise invalid("classifiers", "given, or pairs, but not both", told)
    if "classifiers" in given:
        names = _texts(given, "classifiers")
        if len(names) < 2 or len(set(names)) < len(names):
            raise invalid("classifiers", "two different columns or more", list(names))
        return tuple(combinations(names, 2))
    pairs = []
    for pair in _list(given, "pairs"):
        fine = isinstance(pair, list) and len(pair) == 2 and all(isinstance(n, str) for n in pair)
        if not fine or pair[0] == pair[1] or tuple(pair) in pairs:
            raise invalid("pairs", "made of different pairs of two different columns", pair)
        pairs.append((pair[0], pair[1]))
    return tuple(pairs)


def _questions(given: Mapping[str, Any]) -> tuple[Question, ...]:
    """Ask for every measure, with the same average, ROPE and HDI."""
    names = _texts(given, "measures") if "measures" in given else ("f1",)
    shared = {key: given[key] for key in JUDGING if key in given}
    questions = tuple(Question.read(measure=name, **shared) for name in names)
    if len({question.measure.label for question in questions}) < len(names):
        raise invalid("measures", "different from each other", list(names))
    return questions


def _samplings(given: Mapping[str, Any], folder: Path) -> tuple[Sampling, ...]:
    """Draw every model in the same way; without a list of models, the one that suits the data."""
    shared = {key: given[key] for key in DRAWING if key in given}
    shared.setdefault("seed", 1)
    if "models" not in given:
        return (Sampling.read(**shared),)
    names = _texts(given, "models")
    found = [folder / name if name.endswith(".stan") else name for name in names]
    if len(set(found)) < len(found):
        raise invalid("models", "different from each other", list(names))
    return tuple(Sampling.read(model=name, **shared) for name in found)


def _names(given: Any, known: list[str]) -> dict[str, str]:
    if not isinstance(given, Mapping) or not all(isinstance(n, str) for n in given.values()):
        raise invalid("names", "a table of columns and what to call them", given)
    for column in given:
        if column not in known:
            raise unknown("names", column, known)
    called = {column: given.get(column, column) for column in known}
    if len(set(called.values())) < len(called):
        raise invalid("names", "different for different columns", list(called.values()))
    return called


def _figures(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise invalid("figures", "a list of names", given)
    for name in given:
        if name not in GALLERY:
            raise unknown("figures", name, GALLERY)
    return tuple(given)


def _text(given: Mapping[str, Any], key: str, called: str = "") -> str:
    value = given.get(key)
    if not isinstance(value, str) or not value.strip():
        raise invalid(called or key, "a text that is not empty", value)
    return value


def _list(given: Mapping[str, Any], key: str) -> list[Any]:
    value = given[key]
    if not isinstance(value, list) or not value:
        raise invalid(key, "a list that is not empty", value)
    return value


def _texts(given: Mapping[str, Any], key: str) -> tuple[str, ...]:
    for value in (values := _list(given, key)):
        if not isinstance(value, str) or not value:
            raise invalid(key, "a list of texts", value)
    return tuple(values)


def _check_columns(study: Study) -> None:
    from stanoff.data.files import check_columns

    check_columns(study.file, "truth", [study.truth])
    check_columns(study.file, "classifiers", list(study.names))
