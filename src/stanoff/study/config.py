"""A study: many comparisons out of one small TOML file."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints, ValidationError

from stanoff._lib.arguments import check_choice
from stanoff._lib.files import read_bytes
from stanoff.data.readers import check_columns
from stanoff.errors import InputError, StanoffError, invalid, nearest
from stanoff.options import DATA, FIT, QUESTION, SAMPLING, select
from stanoff.question import Question, Sampling
from stanoff.question import check_population as check_population_of

DATA_KEYS = tuple(name for name in DATA if name not in ("pos_label", "labels", "cv"))
NOT_COLUMNS = ("unmatched", "folds", "repeats", "n_train", "n_test", "metric", "paired")
# A study has one measure or several, one model or several, and its data are tables.
NOT_OF_STUDIES = ("measure", "model", "data", "executor", "progress")
OPTION_KEYS = tuple(name for name in FIT if name not in NOT_OF_STUDIES)
# Those of the gallery, which is not imported for it: seaborn takes longer than a finished study.
FIGURES = (
    *("forest", "posterior", "factor", "joint", "mosaic"),
    *("roc", "roc_difference", "precision_recall", "reliability", "trace"),
)
CONTEST_FIGURES = ("scores", "matrix", "ranks")
FIGURE_FORMATS = ("svg", "pdf", "png")
TEXT = "a text that is not empty"
LIST = "a list that is not empty"
RENAMED = {"measure": "measures", "model": "models"}  # parameters, and the keys of a study
MENTION = re.compile(r"\b([a-z_]+)=(?:'([^']*)'|(?=[\s,;:.)]|$))")  # of a parameter of Python
RULES = {  # in plainer words than pydantic's, by its types of errors
    **{"missing": TEXT, "string_type": TEXT, "string_pattern_mismatch": TEXT},
    **{"tuple_type": LIST, "too_short": LIST, "dict_type": "a table", "model_type": "a table"},
}

Text = Annotated[str, StringConstraints(pattern=r"\S")]
Texts = Annotated[tuple[Text, ...], Field(min_length=1)]


class DataSet(BaseModel, frozen=True, extra="allow"):
    """Where labels, scores or values are, and what they mean.

    Its other keys are options of :func:`stanoff.compare`: ``id``, ``item``, ``cluster`` and so on;
    ``prediction`` is also the column of predictions in every one of several files.
    """

    __pydantic_extra__: dict[str, Text | Texts | bool | int] = Field(init=False)

    name: str = Field("", description="what it is called, needed where there are several")
    file: Text | Texts = Field(
        description="where the labels, scores or values are, relative to the study; a list of "
        "files, one per classifier, is joined by `id`, and `prediction` is the column in each"
    )
    truth: Text | None = Field(None, description="the column of true labels; values have none")
    truth_file: Text | None = Field(
        None, description="the file of the true labels, if it is another one"
    )
    pos_label: Any = Field(None, description="the positive label, by default that of the study")
    labels: Annotated[tuple[Any, ...], Field(min_length=1)] | None = Field(
        None, description="the categories to average over, by default those of the study"
    )

    def model_post_init(self, context: Any) -> None:
        """Check that a layout has all its columns."""
        check_keys("data.", self.options, [*DataSet.model_fields, *DATA_KEYS])
        if isinstance(self.file, tuple):
            self.need("id", "prediction")
        elif self.is_long:
            row = "fold" if "fold" in self.options else "item"
            self.need(row, "system", "value" if "value" in self.options else "prediction")

    def need(self, *keys: str) -> None:
        """Refuse a table that lacks some keys."""
        for key in keys:
            if not getattr(self, key, None):
                raise invalid(f"data.{key}", TEXT, getattr(self, key, None))

    @property
    def options(self) -> dict[str, Any]:
        """How the table is laid out, as :func:`stanoff.compare` takes it."""
        return dict(self.__pydantic_extra__)

    @property
    def is_long(self) -> bool:
        """Whether a row is about one system."""
        return not {"system", "prediction", "value"}.isdisjoint(self.options)

    @property
    def files(self) -> tuple[str, ...]:
        """All of them, also that of the true labels."""
        files = self.file if isinstance(self.file, tuple) else (self.file,)
        return files if self.truth_file is None else (*files, self.truth_file)

    @property
    def columns(self) -> dict[str, Any]:
        """The columns that are named, by their keys; the true labels and systems are not."""
        return {key: column for key, column in self.options.items() if key not in NOT_COLUMNS}

    def check_columns(self, classifiers: tuple[str, ...]) -> None:
        """Refuse columns that the files do not have; no label is read."""
        columns = dict(self.columns)
        if isinstance(self.file, tuple):
            if len(self.file) != len(classifiers):
                rule = f"one file, or {len(classifiers)}: one per classifier, in their order"
                raise invalid("data.file", rule, list(self.file))
            checks = [(file, "id", columns["id"]) for file in self.files]
            checks += [(file, "prediction", columns["prediction"]) for file in self.file]
        else:
            columns.pop("id", None)
            columns |= {} if self.is_long else {"classifiers": classifiers}
            checks = [(self.file, key, names) for key, names in columns.items()]
        if self.truth is not None and (self.truth_file or not isinstance(self.file, tuple)):
            checks.append((self.files[-1], "truth", self.truth))
        for file, key, names in checks:
            check_columns(file, key, [names] if isinstance(names, str) else names)


class Study(BaseModel, frozen=True, extra="allow"):
    """What is compared with what, by what, and how; the keys of the TOML file are its fields.

    Its other keys are options of :func:`stanoff.compare`: ``rope``, ``prior``, ``seed`` and so on.
    """

    title: Text = Field(description="what stands on top, by default the name of the file")
    data: Annotated[tuple[DataSet, ...], Field(min_length=1)] = Field(
        description="the table of the data, or `[[data]]` for several"
    )
    classifiers: Texts | None = Field(
        None,
        description="columns of predictions, scores or values, or in long format systems: all "
        "pairs are compared, three or more also in a contest; this or `pairs`",
    )
    pairs: Annotated[tuple[tuple[Text, Text], ...], Field(min_length=1)] | None = Field(
        None, description="a list of pairs of them; this or `classifiers`"
    )
    names: dict[str, Text] = Field(
        default_factory=dict, description="a table: columns, and what to call them"
    )
    measures: Texts = Field(("f1",), description="a list of measures; also `measure`, of one")
    models: Texts | None = Field(
        None,
        description="a list of models, or of `.stan` files relative to the study; by default what "
        "suits the data",
    )
    figures: tuple[str, ...] = Field(
        (*FIGURES, *CONTEST_FIGURES),
        description=f"which of {', '.join(FIGURES)}; of contests {', '.join(CONTEST_FIGURES)}; by "
        "default all that apply",
    )
    figure_formats: tuple[str, ...] = Field(("svg",), description="a list out of svg, pdf, png")
    rows: Literal["all", "averages"] = Field(
        "all", description="rows of tables for people: all, or averages alone; by default all"
    )
    latex: Literal["compact", "longtable"] = Field(
        "compact",
        description="tables in LaTeX: compact ones that float, or longtable ones that go over "
        "several pages, in a document of one column; by default compact",
    )
    out: Text | None = Field(None, description="the folder to write to, if `--out` names none")

    def model_post_init(self, context: Any) -> None:
        """Check what concerns several keys."""
        allowed = [*Study.model_fields, *OPTION_KEYS, "measure", "pos_label", "labels"]
        check_keys("", self.options, allowed)
        if (self.pairs is None) == (self.classifiers is None):
            number = "neither" if self.pairs is None else "both"
            raise invalid("classifiers", "given, or pairs, but not both", number)
        if len(self.columns) < max(2, len(self.classifiers or ())):
            raise invalid("classifiers", "two different columns or more", [*self.columns])
        if any(a == b for a, b in self.all_pairs):
            raise invalid("pairs", "made of two different columns", [*self.all_pairs])
        check_different("pairs", self.all_pairs)
        check_different("names", list(self.systems.values()))
        names = {"names": self.columns, "figures": (*FIGURES, *CONTEST_FIGURES)}
        for key, known in (names | {"figure_formats": FIGURE_FORMATS}).items():
            for value in getattr(self, key):
                check_choice(key, value, known)
        check_different("models", self.models or ())
        check_different("measures", [question.measure.label for question in self.questions])
        measure = self.questions[0].measure
        check_population_of(self.options.get("population"), measure)
        if any(question.measure.reads != measure.reads for question in self.questions):
            rule = "all of labels, of scores or of values: a study reads its columns one way"
            raise invalid("measures", rule, list(self.measures))
        assert self.samplings  # they check themselves
        for data in self.data:
            data.need(*(["name"] if len(self.data) > 1 else []))
            if measure.reads != "values":
                data.need("truth")
            elif data.truth is not None:
                raise invalid("data.truth", "left out: values need no true labels", data.truth)
        check_different("data.name", [data.name for data in self.data])

    @property
    def options(self) -> dict[str, Any]:
        """How is judged and drawn, as :func:`stanoff.compare` takes it."""
        return dict(self.__pydantic_extra__ or {})

    @property
    def all_pairs(self) -> tuple[tuple[str, str], ...]:
        """Columns of predictions, two by two."""
        return self.pairs or tuple(combinations(self.classifiers or (), 2))

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of predictions."""
        return tuple(dict.fromkeys(name for pair in self.all_pairs for name in pair))

    @property
    def systems(self) -> dict[str, str]:
        """What the columns are called in the report."""
        return {column: self.names.get(column, column) for column in self.columns}

    @property
    def has_contests(self) -> bool:
        """Whether all classifiers are judged in one contest, too."""
        return len(self.classifiers or ()) > 2

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """One question per measure; they differ in nothing else."""
        options = select(self.options, QUESTION)
        return tuple(Question.read(measure=name, **options) for name in self.measures)

    @cached_property
    def samplings(self) -> tuple[Sampling, ...]:
        """One sampling per model; they differ in nothing else."""
        options = {"seed": 1} | select(self.options, SAMPLING)
        return tuple(Sampling.read(model=name, **options) for name in self.models or (None,))


def read_study(path: str | os.PathLike[str]) -> Study:
    """Read a study and check all that can be checked before anything is fitted.

    Paths in it are relative to the file. Of its data only the headings are read. An
    :class:`~stanoff.errors.InputError` names the file.

    Parameters
    ----------
    path : str or path
        A TOML file.
    """
    file = Path(path)
    try:
        content = tomllib.loads(read_bytes(file).decode("utf-8"))
    except RecursionError:
        raise InputError(f"{file} is nested too deeply.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} is not a TOML file: {error}.") from None
    try:
        study = Study.model_validate(_with_defaults(content, file))
        for data in study.data:
            data.check_columns(study.columns)
    except ValidationError as error:
        raise InputError(f"{file}: {_validation_in_words(error)}") from None
    except StanoffError as error:
        raise InputError(f"{file}: {in_words_of_toml(error)}") from error
    return study


def to_toml(study: Study) -> str:
    """Write the TOML that makes a study, with names of files without their folders."""
    fields = study.model_dump(exclude_defaults=True, exclude={"out"})
    for table in (fields, *fields["data"]):
        for key in table.keys() & {"file", "truth_file", "models"}:
            table[key] = _without_folders(table[key])
    return "".join(f"{key} = {_toml_value(value)}\n" for key, value in fields.items())


def _without_folders(path: Any) -> Any:
    return Path(path).name if isinstance(path, str) else [_without_folders(p) for p in path]


def _toml_value(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (
            f"{json.dumps(key, ensure_ascii=False)} = {_toml_value(v)}" for key, v in value.items()
        )
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml_value, value))}]"
    return json.dumps(value, ensure_ascii=False)  # texts, numbers and flags are as in JSON


def _with_defaults(content: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Find files beside the study, and give data sets what stands on top of it."""
    fields: dict[str, Any] = {"title": file.stem, **content}
    for key, other in (("positive", "pos_label"), ("measure", "measures")):
        if key in fields and other in fields:
            raise invalid(key, f"left out where {other} is given", fields[key])
    if "positive" in fields:
        fields["pos_label"] = fields.pop("positive")
    if "measure" in fields:
        fields["measures"] = [fields.pop("measure")]
    shared = {key: fields.pop(key) for key in ("pos_label", "labels") if key in fields}
    tables = fields.get("data", {})
    tables = tables if isinstance(tables, list) else [tables]
    fields["data"] = [shared | t if isinstance(t, dict) else t for t in tables]
    for table in (fields, *(t for t in fields["data"] if isinstance(t, dict))):
        for key in table.keys() & {"out", "file", "truth_file", "models"}:
            table[key] = _in_folder(file.parent, table[key], programs=key == "models")
    return fields


def _in_folder(folder: Path, value: Any, *, programs: bool) -> Any:
    """Take a path, or several, as relative to a folder; names of models are no paths."""
    if isinstance(value, list):
        return [_in_folder(folder, path, programs=programs) for path in value]
    is_path = isinstance(value, str) and value.strip() and (not programs or ".stan" in value)
    return str(folder / value) if is_path else value


def check_keys(prefix: str, keys: Iterable[str], allowed: Sequence[str]) -> None:
    """Refuse keys that a study does not have."""
    for key in (key for key in keys if key not in allowed):
        near = nearest(key, list(allowed))
        hint = f"Did you mean {near!r}?" if near else f"There are {', '.join(allowed)}."
        raise InputError(f"A study has no key {prefix + key!r}. {hint}")


def check_different(key: str, values: Sequence[Any]) -> None:
    """Refuse values that are there twice."""
    if len(set(values)) < len(values):
        raise invalid(key, "different from each other", list(values))


def _validation_in_words(error: ValidationError) -> str:
    """Say what is wrong with the first key that is."""
    first = error.errors()[0]
    if first["type"] == "value_error":  # of our own checks
        return in_words_of_toml(first["ctx"]["error"])
    path = [key for key in first["loc"] if isinstance(key, str)]
    key = ".".join(path[:2] if path[0] == "data" else path[:1])
    rule = RULES.get(first["type"], first["msg"].removeprefix("Input should be "))
    value = None if first["type"] == "missing" else first["input"]
    return in_words_of_toml(invalid(key, rule, value))


def in_words_of_toml(error: Exception) -> str:
    """Word an error by the keys of a study and the values of TOML, not by parameters of Python.

    Examples
    --------
    >>> in_words_of_toml(invalid("measure", "None where there are folds", True))
    "The key 'measures' must be left out where there are folds. Got true instead."
    >>> in_words_of_toml(InputError("There are 20 labels: pass pos_label= to judge one."))
    'There are 20 labels: set pos_label to judge one.'
    """
    text = str(error)
    if isinstance(error, InputError) and error.parameter and error.rule:
        key = RENAMED.get(error.parameter, error.parameter)
        rule = re.sub(r"^None\b", "left out", error.rule)
        value = {"True": "true", "False": "false"}.get(error.value, error.value)
        got = "It is missing" if error.value == "None" else f"Got {value} instead"
        text = f"The key {key!r} must be {rule}. {got}.{error.hint}"
    text = re.sub(rf"\bpass (?={MENTION.pattern})", "set ", text)
    return MENTION.sub(lambda m: f"{m[1]} = '{m[2]}'" if m[2] else m[1], text)
