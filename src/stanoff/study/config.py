"""A study: many comparisons out of one small TOML file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from stanoff.data.layouts import MORE
from stanoff.errors import InputError, StanoffError, invalid, unknown
from stanoff.measures import Measure
from stanoff.question import (
    QUESTION_OPTIONS,
    SAMPLING_OPTIONS,
    Question,
    Sampling,
    check_population,
)

JUDGING = tuple(name for name in QUESTION_OPTIONS if name != "measure")
NOT_SHARED = ("model", "data", "executor", "progress")  # data of a study are its tables
DRAWING = tuple(name for name in SAMPLING_OPTIONS if name not in NOT_SHARED)
KEYS = (
    *(
        "title",
        "out",
        "classifiers",
        "pairs",
        "names",
        "measure",
        "measures",
        "models",
        "pos_label",
    ),
    *("positive", "labels", "figures", "figure_formats", "data", *JUDGING, *DRAWING),
)
LAYOUT = ("truth_file", "id", "item", "system", "prediction", "value", *MORE, "unmatched")
DATA_KEYS = ("name", "file", "truth", "pos_label", "labels", *LAYOUT)
# Those of the gallery, which is not imported for it: seaborn takes longer than a finished study.
FIGURES = (
    *("forest", "posterior", "factor", "joint", "mosaic"),
    *("roc", "roc_difference", "precision_recall", "reliability", "trace"),
)
CONTEST_FIGURES = ("scores", "matrix", "ranks")
FIGURE_FORMATS = ("svg", "pdf", "png")


@dataclass(frozen=True)
class DataSet:
    """Where labels are, and what they mean.

    Attributes
    ----------
    name : str
        What it is called in the report; empty where there is only one that needs no name.
    file : str or tuple of str
        Where the labels are; several files, one per classifier, are joined by id.
    truth : str or None
        The column of the true ones; values have none.
    pos_label, labels : optional
        As in :func:`stanoff.compare`.
    layout : mapping
        How they are laid out: ``id``, ``item``, ``system``, ``value``, ``cluster``, ``dataset``,
        ``per``, ``unmatched`` as in :func:`stanoff.compare`, ``truth_file``, and ``prediction``,
        the column of predictions in long format or in every one of several files.
    """

    name: str
    file: str | tuple[str, ...]
    truth: str | None
    pos_label: Any = None
    labels: tuple[Any, ...] | None = None
    layout: Mapping[str, str] = field(default_factory=dict)

    @property
    def files(self) -> tuple[str, ...]:
        """All of them, also that of the true labels."""
        some = self.file if isinstance(self.file, tuple) else (self.file,)
        return (*some, self.layout["truth_file"]) if "truth_file" in self.layout else some


@dataclass(frozen=True)
class Study:
    """What is compared with what, by what, and how.

    Attributes
    ----------
    title : str
        What stands on top of the report.
    data : tuple of DataSet
        What the pairs are compared on.
    pairs : tuple
        Columns of predictions, two by two.
    together : bool
        Whether all of them are judged in one contest, too.
    names : mapping
        What the columns are called in the report.
    questions : tuple of Question
        One per measure; they differ in nothing else.
    samplings : tuple of Sampling
        One per model; they differ in nothing else.
    figures, figure_formats : tuple of str
        Which figures are drawn, and as what they are saved.
    out : Path, optional
        Where the report goes, if the file says so.
    """

    title: str
    data: tuple[DataSet, ...]
    pairs: tuple[tuple[str, str], ...]
    names: Mapping[str, str]
    questions: tuple[Question, ...]
    samplings: tuple[Sampling, ...]
    together: bool = False
    figures: tuple[str, ...] = (*FIGURES, *CONTEST_FIGURES)
    figure_formats: tuple[str, ...] = ("svg",)
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
    except RecursionError:
        raise InputError(f"{file} is nested too deeply.") from None
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
    pairs = _pairs(given)
    known = list(dict.fromkeys(name for pair in pairs for name in pair))
    out = _text(given, "out") if "out" in given else None
    questions = _questions(given)
    return Study(
        title=_text(given, "title") if "title" in given else file.stem,
        data=_data(given, file.parent, questions[0].measure.kind),
        pairs=pairs,
        names=_names(given.get("names", {}), known),
        questions=questions,
        samplings=_samplings(given, file.parent, questions[0].measure),
        together=len(given.get("classifiers", ())) > 2,
        figures=_chosen(given, "figures", (*FIGURES, *CONTEST_FIGURES)),
        figure_formats=_chosen(given, "figure_formats", FIGURE_FORMATS, ("svg",)),
        out=None if out is None else file.parent / out,
    )


def _only(given: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for key in given:
        if key not in known:
            raise unknown(what, key, known)


def _data(given: Mapping[str, Any], folder: Path, kind: str) -> tuple[DataSet, ...]:
    """Read one table of data, or several that have names; what they do not say, the study does."""
    if "positive" in given and "pos_label" in given:
        raise invalid("pos_label", "given once: positive means the same", given["pos_label"])
    tables = given.get("data", {})
    several = isinstance(tables, list) and len(tables) > 1
    tables = tables if isinstance(tables, list) else [tables]
    if not tables or not all(isinstance(table, Mapping) for table in tables):
        keys = "the key file" if kind == "values" else "the keys file and truth"
        raise invalid("data", f"a table with {keys}, or several", given["data"])
    found = []
    for table in tables:
        _only(table, DATA_KEYS, "key of data")
        labels = table if "labels" in table else given
        layout = {key: _text(table, key, f"data.{key}") for key in LAYOUT if key in table}
        if kind == "values" and "truth" in table:
            raise invalid("data.truth", "left out: values need no true labels", table["truth"])
        if "truth_file" in layout:
            layout["truth_file"] = str(folder / layout["truth_file"])
        found.append(
            DataSet(
                name=_text(table, "name", "data.name") if several or "name" in table else "",
                file=_file(table, folder),
                truth=None if kind == "values" else _text(table, "truth", "data.truth"),
                pos_label=table.get("pos_label", given.get("pos_label", given.get("positive"))),
                labels=tuple(_list(labels, "labels")) if "labels" in labels else None,
                layout=layout,
            )
        )
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise invalid("data.name", "different for different data sets", names)
    return tuple(found)


def _file(table: Mapping[str, Any], folder: Path) -> str | tuple[str, ...]:
    """Read one file, or a list of them that are joined by id."""
    if not isinstance(table.get("file"), list):
        return str(folder / _text(table, "file", "data.file"))
    for key in ("id", "prediction"):
        _text(table, key, f"data.{key}")
    return tuple(str(folder / name) for name in _texts(table, "file"))


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
    if "measure" in given and "measures" in given:
        raise invalid("measure", "left out where measures are given", given["measure"])
    names = _texts(given, "measures") if "measures" in given else ("f1",)
    if "measure" in given:
        names = (_text(given, "measure"),)
    shared = {key: given[key] for key in JUDGING if key in given}
    questions = tuple(Question.read(measure=name, **shared) for name in names)
    if len({question.measure.label for question in questions}) < len(names):
        raise invalid("measures", "different from each other", list(names))
    if len({question.measure.kind for question in questions}) > 1:
        rule = "all of labels, of scores or of values: a study reads its columns one way"
        raise invalid("measures", rule, list(names))
    return questions


def _samplings(given: Mapping[str, Any], folder: Path, measure: Measure) -> tuple[Sampling, ...]:
    """Draw every model in the same way; without a list of models, the one that suits the data."""
    shared = {key: given[key] for key in DRAWING if key in given}
    check_population(shared.get("population"), measure)
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


def _chosen(
    given: Mapping[str, Any], key: str, known: tuple[str, ...], default: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Read a list of known names, which may be empty; by default those, or all."""
    names = given.get(key, default or known)
    if not isinstance(names, list | tuple):
        raise invalid(key, "a list of names", names)
    for name in names:
        if name not in known:
            raise unknown(key, name, known)
    return tuple(dict.fromkeys(names))


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

    for data in study.data:
        if isinstance(data.file, tuple):
            if len(data.file) != len(study.names):
                rule = f"one file, or {len(study.names)}: one per classifier, in their order"
                raise invalid("data.file", rule, list(data.file))
            for file in data.files:
                check_columns(file, "id", [data.layout["id"]])
            for file in data.file:
                check_columns(file, "prediction", [data.layout["prediction"]])
        elif {"system", "prediction", "value"} & set(data.layout):
            label = "value" if "value" in data.layout else "prediction"
            for key in ("item", "system", label):
                check_columns(data.file, key, [_text(data.layout, key, f"data.{key}")])
        else:
            check_columns(data.file, "classifiers", list(study.names))
        for key in ("item", *MORE):
            if key in data.layout and not isinstance(data.file, tuple):
                check_columns(data.file, key, [data.layout[key]])
        truth_is_here = "truth_file" in data.layout or not isinstance(data.file, tuple)
        if data.truth is not None and truth_is_here:
            check_columns(data.files[-1], "truth", [data.truth])
