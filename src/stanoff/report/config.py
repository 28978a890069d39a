"""A study: many comparisons out of one small TOML file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from stanoff import measures, models
from stanoff.counts import AVERAGES
from stanoff.decision import as_probability, as_rope
from stanoff.errors import InputError, StanoffError, invalid, unknown
from stanoff.fitting import ENGINES, MOST_SEED
from stanoff.priors import Prior
from stanoff.report.gallery import CAPTIONS

PRIORS = {"uniform": Prior.uniform, "jeffreys": Prior.jeffreys, "perks": Prior.perks}
KEYS = (
    *("title", "out", "seed", "rope", "hdi", "classifiers", "pairs", "names", "measures", "models"),
    *("average", "positive", "labels", "beta", "prevalence", "zero_division", "prior"),
    *("engine", "draws", "chains", "warmup", "figures", "data"),
)
DATA_KEYS = ("file", "truth")


@dataclass(frozen=True)
class Study:
    """What is compared with what, by what, and how.

    Attributes
    ----------
    title : what stands on top of the report
    file, truth : where the labels are, and the column of the true ones
    pairs : columns of predictions, two by two
    names : what the columns are called in the report
    measures, models : each pair is judged by each measure under each model
    rope, hdi, seed : as in :func:`stanoff.compare`
    judging : the options of the measures: beta, zero_division, prevalence
    fitting : the options of :func:`stanoff.compare` that change what is fitted
    prior : the name of the prior
    figures : which figures are drawn
    out : where the report goes, if the file tells
    """

    title: str
    file: str
    truth: str
    pairs: tuple[tuple[str, str], ...]
    names: Mapping[str, str]
    measures: tuple[str, ...]
    models: tuple[str, ...]
    rope: tuple[float, float]
    hdi: float
    seed: int
    judging: Mapping[str, Any] = field(default_factory=dict)
    fitting: Mapping[str, Any] = field(default_factory=dict)
    prior: str = "uniform"
    figures: tuple[str, ...] = tuple(CAPTIONS)
    out: Path | None = None


def read_study(path: str | os.PathLike[str]) -> Study:
    """Read a study and check all that can be checked before anything is fitted.

    Paths in it are relative to the file.

    Parameters
    ----------
    path : a TOML file
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
    judging = {
        "beta": _number(given, "beta", 1.0),
        "zero_division": _number(given, "zero_division", 0.0),
        "prevalence": _number(given, "prevalence", None),
    }
    fitting = {
        "pos_label": given.get("positive"),
        "labels": _list(given, "labels") if "labels" in given else None,
        "average": _one_of(given, "average", AVERAGES),
        "engine": _one_of(given, "engine", ENGINES),
        **{key: _whole(given, key, least) for key, least in LEAST.items()},
    }
    out = _text(given, "out") if "out" in given else None
    return Study(
        title=_text(given, "title") if "title" in given else file.stem,
        file=str(file.parent / _text(data, "file", "data.file")),
        truth=_text(data, "truth", "data.truth"),
        pairs=pairs,
        names=_names(given.get("names", {}), known),
        measures=_measures(given, judging),
        models=_models(given, file.parent),
        rope=as_rope(given.get("rope", 0.05)),
        hdi=as_probability("hdi", given.get("hdi", 0.95)),
        seed=_seed(given.get("seed", 1)),
        judging=judging,
        fitting={key: value for key, value in fitting.items() if value is not None},
        prior=_one_of(given, "prior", tuple(PRIORS)) or "uniform",
        figures=_figures(given.get("figures", list(CAPTIONS))),
        out=None if out is None else file.parent / out,
    )


LEAST = {"draws": 4, "chains": 1, "warmup": 1}


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


def _measures(given: Mapping[str, Any], judging: Mapping[str, Any]) -> tuple[str, ...]:
    names = _texts(given, "measures") if "measures" in given else ("f1",)
    labels = [measures.get(name, **judging).label for name in names]
    if len(set(labels)) < len(labels):
        raise invalid("measures", "different from each other", list(names))
    return names


def _models(given: Mapping[str, Any], folder: Path) -> tuple[str, ...]:
    names = _texts(given, "models") if "models" in given else ("paired",)
    found = [str(folder / name) if name.endswith(".stan") else name for name in names]
    if len(set(found)) < len(found):
        raise invalid("models", "different from each other", list(names))
    for name in found:
        models.get(name)
    return tuple(found)


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
        if name not in CAPTIONS:
            raise unknown("figures", name, CAPTIONS)
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


def _one_of(given: Mapping[str, Any], key: str, known: tuple[str, ...]) -> str | None:
    value = given.get(key)
    if value is not None and value not in known:
        raise unknown(key, value, known)
    return value


def _number(given: Mapping[str, Any], key: str, default: float | None) -> float | None:
    value = given.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float, type(None))):
        raise invalid(key, "a number", value)
    return value


def _whole(given: Mapping[str, Any], key: str, least: int) -> int | None:
    value = given.get(key)
    if value is not None and (type(value) is not int or value < least):
        raise invalid(key, f"a whole number >= {least}", value)
    return value


def _seed(seed: Any) -> int:
    if type(seed) is not int or not 0 <= seed <= MOST_SEED:
        raise invalid("seed", f"a whole number from 0 to {MOST_SEED}", seed)
    return int(seed)


def _check_columns(study: Study) -> None:
    from stanoff.datafiles import check_columns

    check_columns(study.file, "truth", [study.truth])
    check_columns(study.file, "classifiers", list(study.names))
