"""Scores of the test folds of cross-validations: training sets overlap, so that they correlate.

Two scores of one cross-validation have the correlation rho = n_test / (n_test + n_train), 1/k of k
folds, by Nadeau and Bengio (2003): it is fixed, and not learned from the scores. They are read from
what scikit-learn returned, from arrays and from tables.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, islice, pairwise, takewhile
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.arguments import as_systems, check_bool, check_choice, check_int
from stanoff.data import items
from stanoff.data.counting import check_enough, check_lengths, missing_rows
from stanoff.data.items import ItemValues, Values, as_numbers
from stanoff.data.notes import names_no_system
from stanoff.data.pivot import no_rows
from stanoff.data.readers import database, fetch, open_table, translate_errors
from stanoff.data.types import Array, system_roles
from stanoff.errors import InputError, invalid, unknown

ROW = "row"  # what tells the rows of a wide table apart

Codes = NDArray[np.int64]
Options = Mapping[str, Any]

MIN_FOLDS = 4  # with fewer the posterior has no standard deviation
MAX_FOLDS = 20  # of one repeat; more are rare, and may be several repeats
KEYS = ["dataset", "repeat", "fold"]
DESIGN = ("folds", "repeats", "cv", "n_train", "n_test")
FOLD_OPTIONS = ("fold", "repeat", *DESIGN, "metric", "paired")
ALLOWED = (*FOLD_OPTIONS, "dataset", "system", "value", "unmatched")
DOCUMENTS, MAX_SPLITS = 840, 10_000  # that a splitter splits to show how
TEST = "test_"  # how the keys of scores begin
FIRST = "split0_test_"  # those of cv_results_
NEGATED = "neg_"  # how scikit-learn names losses that it turns round
NAMELESS = ("None", "value", "score", "values", "scores")  # metrics that say nothing
AVERAGED = "Every data set counts by its mean score: engine='stan' learns how well that is known."
ADVICE = "say how the folds were made: folds= and repeats=, cv=, or n_train= and n_test="


@dataclass(frozen=True, eq=False)
class FoldValues(Values):
    """The scores of every system on the test folds of one cross-validation.

    Attributes
    ----------
    values : ndarray
        The scores (system, resample); a resample is a test fold of a repeat.
    dataset, repeat, fold : ndarray
        The numbers of the data set, the repeat and the fold of each resample.
    test_share : ndarray
        n_test / (n_test + n_train), the correlation of two folds (data set).
    dataset_names : ndarray
        What the data sets are called; a name of nothing where there is one only.
    """

    dataset: Codes
    repeat: Codes
    fold: Codes
    test_share: Array
    dataset_names: NDArray[np.str_]

    unit = "test fold"

    def __post_init__(self) -> None:
        object.__setattr__(self, "dataset_names", np.asarray(self.dataset_names, dtype=str))

    @property
    def resamples(self) -> int:
        """How many scores each system has, over all data sets (n)."""
        return int(self.values.shape[1])

    @cached_property
    def repeats(self) -> Codes:
        """How often the cross-validation was repeated (data set)."""
        frame = pd.DataFrame({"dataset": self.dataset, "repeat": self.repeat})
        return np.asarray(frame.groupby("dataset")["repeat"].nunique(), dtype=np.int64)

    @property
    def rho(self) -> float:
        """The correlation of two test folds of one data set."""
        return float(self.test_share[0])

    @property
    def observed(self) -> Array:
        """The mean score of each system; every data set weighs the same."""
        return np.asarray(self.means.mean(axis=1))

    @property
    def means(self) -> Array:
        """The mean score of each system in each data set (system, data set)."""
        return average_by_dataset(self.values, self.dataset)

    @property
    def scorer(self) -> str:
        """What the scores are, in the words of scikit-learn: accuracy, neg_log_loss ..."""
        return self.source.get("scorer", "score")

    @property
    def metric(self) -> str:
        """What the values are, once losses are turned round."""
        return self.scorer.removeprefix(NEGATED)

    @property
    def negated(self) -> bool:
        """Whether the scores were losses with the other sign, and less is better."""
        return self.scorer.startswith(NEGATED)

    def format_count(self, n: int) -> str:
        """Describe the cross-validation."""
        repeats = int(self.repeats[0])
        folds, left = divmod(n, repeats)
        if left or abs(folds * self.rho - 1) > 0.05:  # random splits, or some are left out
            return super().format_count(n)
        often = f" repeated {repeats} times" if repeats > 1 else ""
        return f"{folds}-fold cross-validation{often}"


def average_by_dataset(values: Array, dataset: Codes) -> Array:
    """Return the means (system, data set) of values (system, row)."""
    return np.stack([np.bincount(dataset, row) for row in values]) / np.bincount(dataset)


@dataclass(frozen=True, eq=False)
class UnpairedFolds(FoldValues):
    """Scores of systems that were not tested on the same folds; there are as many of each."""

    paired = False

    def constant(self, a: int, b: int) -> bool:
        """Return whether the scores of both systems never vary."""
        both = self.values[[a, b]]
        return all(items.never_varies(row, both) for row in both)


@dataclass(frozen=True, eq=False)
class DatasetFolds(FoldValues):
    """Scores of several data sets, each with folds, repeats and a test share of its own."""

    @property
    def rho(self) -> float:
        """Refused: every data set has its own."""
        raise InputError("Every data set has a test share of its own.")

    def format_count(self, n: int) -> str:
        """Say how many scores there are, of how many data sets."""
        return f"{super(FoldValues, self).format_count(n)} of {len(self.test_share):,} data sets"

    def average(self) -> ItemValues:
        """Return one score per data set, as Demsar (2006) has them."""
        columns = dict(zip(self.systems, self.means, strict=True))
        scores = items.build_items(columns, dataset=self.dataset_names, systems=self.systems)
        return replace(scores, source=self.source, notes=(*self.notes, AVERAGED, *scores.notes))


@dataclass(frozen=True)
class Design:
    """What the caller says of how the folds were made.

    Attributes
    ----------
    test_share : float
        n_test / (n_test + n_train).
    folds, repeats : int or None
        How many there are; None where it is not known, as of random splits.
    label : str
        What an error shall call it.
    """

    test_share: float
    folds: int | None = None
    repeats: int | None = None
    label: str = ""


def build_folds(
    values: Array,
    systems: tuple[str, ...],
    design: Design | None = None,
    columns: pd.DataFrame | None = None,
    *,
    paired: bool = True,
    unmatched: str = "raise",
    source: Mapping[str, str] | None = None,
) -> FoldValues:
    """Check scores of folds, and put them together in the order of data sets and repeats.

    Parameters
    ----------
    values : ndarray
        The scores (system, row); NaN where there is none.
    systems : tuple of str
        What the systems are called.
    design : Design, optional
        What the caller says of the folds.
    columns : DataFrame, optional
        What the rows are about, as far as it is known: ``dataset``, ``repeat``, ``fold`` and
        ``test_share``. Without ``fold`` they are in the order of ``RepeatedKFold``.
    paired : bool
        Whether the rows of all systems are about the same folds.
    unmatched : str
        ``"drop"`` to leave out rows that lack a score, which are refused otherwise.
    source
        As in :class:`stanoff.data.types.Data`.

    Examples
    --------
    >>> scores = np.array([[0.8, 0.9, 0.7, 0.9], [0.7, 0.9, 0.8, 0.6]])
    >>> build_folds(scores, ("a", "b"), Design(0.5, 2, 2)).repeats.tolist()
    [2]
    """
    columns = pd.DataFrame(index=range(values.shape[1])) if columns is None else columns
    rows, names = _number_rows(columns, design)
    _check_rows(rows, names, columns, design)
    folds = rows.groupby("dataset")["fold"].nunique()
    shares = (1 / folds).where(folds > 1, 0.0)
    if "test_share" in columns:
        shares = columns["test_share"].groupby(rows["dataset"]).mean()
    elif design is not None:
        shares[:] = design.test_share
    rows = rows.sort_values(KEYS, kind="stable")
    values = values[:, rows.index]
    complete, notes = _find_complete(values, systems, unmatched == "drop")
    values, rows = values[:, complete], rows[complete]
    if not paired:
        if len(names) > 1:
            raise invalid("paired", "None with several data sets", False)
        notes.append("The systems had folds of their own: on the same ones less is needed.")
    scorer = (source or {}).get("scorer", "")
    if scorer.startswith(NEGATED):
        values = 0.0 - values
        loss = scorer.removeprefix(NEGATED)
        notes.append(f"{scorer} was turned round: {loss} is shown, of which less is better.")
    kind = DatasetFolds if len(names) > 1 else FoldValues if paired else UnpairedFolds
    arrays: dict[str, Any] = {key: rows[key].to_numpy(dtype=np.int64) for key in KEYS}
    arrays["test_share"] = shares.to_numpy(dtype=np.float64)
    arrays["dataset_names"] = np.array(names)
    metadata: dict[str, Any] = {"systems": systems, "source": source or {}, "notes": tuple(notes)}
    data = kind(("1",), values, **arrays, **metadata)
    if kind is not DatasetFolds:
        advice = " RepeatedKFold(n_splits=10, n_repeats=3) gives 30."
        check_enough(data.resamples, MIN_FOLDS, "test folds", advice)
        if all(data.constant(0, system) for system in range(1, len(systems))):
            items.refuse_constant(data, 0, 1)
    return data


def _number_rows(columns: pd.DataFrame, design: Design | None) -> tuple[pd.DataFrame, list[str]]:
    """Give data sets, repeats and folds numbers, row by row; name data sets."""
    if "repeat" in columns and "fold" not in columns:
        raise invalid("repeat", "None without fold=, which names the folds", "a column")
    rows = pd.DataFrame(0, columns.index, KEYS)
    names = [""]
    for role in rows:
        if role in columns:
            rows[role], labels = pd.factorize(columns[role])
            names = [str(label) for label in labels] if role == "dataset" else names
    if "fold" not in columns and design is None and {"dataset", "test_share"}.isdisjoint(columns):
        raise _ask(len(rows))
    size = (design.folds if design is not None else None) or max(len(rows), 1)
    # Every test fold may have a number of its own, whatever the repeat.
    if "fold" not in columns or ("repeat" not in columns and rows["fold"].max() >= size):
        position = rows.groupby("dataset").cumcount()
        rows["repeat"], rows["fold"] = position // size, position % size
    return rows, names


def _ask(n: int) -> InputError:
    """Ask how so many scores came about; the same number may mean one thing or another."""
    readings = [f"{n}-fold cross-validation"]
    readings += [f"{k} folds repeated {n // k} times" for k in (10, 5) if n % k == 0 and n > k]
    doubt = f" ({' or '.join(readings)}?)" if len(readings) > 1 else ""
    return InputError(f"There are {n:,} scores of every system{doubt}: {ADVICE}.")


def _check_rows(
    rows: pd.DataFrame, names: list[str], columns: pd.DataFrame, design: Design | None
) -> None:
    """Refuse folds that occur twice, repeats with other folds, and numbers that do not fit."""
    repeated = rows.duplicated(KEYS)
    if repeated.any():
        advice = ": name the column of the repeats in repeat=, or that of the data sets in dataset="
        where = " in the same repeat" if "repeat" in columns else advice
        raise InputError(f"fold {columns['fold'][repeated].iloc[0]} occurs more than once{where}.")
    sizes = rows.groupby(KEYS[:2])["fold"].nunique()
    for code, name in enumerate(names):
        of_dataset = f" of data set {name}" if len(names) > 1 else ""
        of_repeats = sizes.xs(code).to_numpy()
        folds, repeats = int(of_repeats.min()), len(of_repeats)
        if of_repeats.max() > folds:
            sizes_differ = f"those{of_dataset} have {folds} to {of_repeats.max()}"
            raise InputError(f"Every repeat must have the same folds, but {sizes_differ}.")
        if design is None:
            if repeats == 1 and folds > MAX_FOLDS and "test_share" not in columns:
                raise _ask(folds)
            continue
        expected = design.folds or folds, design.repeats or repeats
        if expected != (folds, repeats):
            means = f"{expected[0]} folds and {expected[1]} repeats, {np.prod(expected):,} scores"
            there = f"there are {folds * repeats:,}{of_dataset} of every system"
            raise InputError(f"{design.label} means {means}; {there}.")


def _find_complete(
    values: Array, systems: tuple[str, ...], drop: bool
) -> tuple[NDArray[np.bool_], list[str]]:
    """Find the rows in which every system has a score; refuse others, or leave them out."""
    missing = np.isnan(values)
    complete = np.asarray(~missing.any(axis=0), dtype=np.bool_)
    if complete.all():
        return complete, []
    failed = [
        f"{name} has none in {lost} of {values.shape[1]:,} test folds"
        for name, lost in zip(systems, missing.sum(axis=1), strict=True)
        if lost
    ]
    listed = "; ".join(failed[:3])
    if not complete.any():
        raise InputError(f"No test fold has a score of every system: {listed}.")
    if drop:
        return complete, [f"Test folds without a score were left out: {listed}."]
    raise InputError(
        f"{listed}: a fold is missing, or a fit failed (scikit-learn then gives NaN, see "
        "error_score=). Mend it, or pass unmatched='drop' to leave these folds out."
    )


# What the caller has: scikit-learn's objects, arrays and tables.


def is_cross_validation(inputs: Sequence[Any], options: Options, *, labels: bool = False) -> bool:
    """Return whether scores of folds are meant: by an option, or by what scikit-learn returned.

    Parameters
    ----------
    inputs : sequence
        What was passed without a name.
    options : mapping
        The options of the layout.
    labels : bool
        Whether there are true labels, so that ``fold=`` is about predictions.

    Examples
    --------
    >>> is_cross_validation([{"test_score": [0.7, 0.8]}], {}), is_cross_validation([[0, 1]], {})
    (True, False)
    """
    if labels:
        return False
    if any(options.get(name) is not None for name in FOLD_OPTIONS):
        return True
    within = [x for data in inputs if isinstance(data, Mapping) for x in data.values()]
    return any(_has_scores(data) or _is_search(data) for data in [*inputs, *within])


def load_cross_validation(data: Any, systems: Sequence[Any] | None, options: Options) -> FoldValues:
    """Read the scores of the folds of two systems, or of any number.

    Parameters
    ----------
    data : mapping, data frame or path
        What ``cross_validate`` returned for each system, scores by system, ``cv_results_``, or a
        table.
    systems : sequence, optional
        Which columns or candidates are compared; by default all.
    options : mapping
        Those of the layout that were given.

    Examples
    --------
    >>> rf, svm = {"test_score": [0.8, 0.9, 0.7, 0.9]}, {"test_score": [0.7, 0.9, 0.8, 0.6]}
    >>> named = {"rf": rf, "svm": svm}
    >>> load_cross_validation(named, None, {"folds": 2, "repeats": 2}).observed.round(3).tolist()
    [0.825, 0.75]
    """
    check_options(options, ALLOWED, "None for scores of folds")
    if _has_scores(data):
        advice = "pass compare(cv_a, cv_b), or contest({'rf': cv_rf, 'svm': cv_svm})"
        raise InputError(f"This is what cross_validate returned for one system: {advice}.")
    design: Design | None = None
    source: Mapping[str, str] = {}
    if _is_search(data) or isinstance(data, Mapping):
        check_options(options, {*ALLOWED} - {"system", "value"}, "None where no table has columns")
        scores, metric, splits = _read_objects(data, systems, options)
        design = _design_of_splits(splits, "indices") if splits else None
        columns = {str(name): _as_scores(str(name), values) for name, values in scores.items()}
        check_lengths({name: len(values) for name, values in columns.items()})
        rows = _rows_of_arrays(len(next(iter(columns.values()))), options)
    else:
        columns, rows, source = _read_table(data, systems, options)
        metric = options.get("metric") or options.get("value")
    scorer = str(metric).removeprefix(TEST)
    return build_folds(
        np.stack(list(columns.values())),
        as_systems(list(columns)),
        read_design(options, None if "dataset" in rows else len(rows)) or design,
        rows,
        paired=check_bool("paired", options.get("paired", True)),
        unmatched=check_choice("unmatched", options.get("unmatched", "raise"), ("raise", "drop")),
        source={**source, **({} if scorer in NAMELESS else {"scorer": scorer})},
    )


def check_options(options: Options, allowed: Collection[str], rule: str) -> None:
    """Refuse options of other layouts."""
    for name, value in options.items():
        if name not in allowed:
            raise invalid(name, rule, value)


def read_design(options: Options, n: int | None = None) -> Design | None:
    """Read how the folds were made: by counts, by a splitter, or by the sizes of the sets.

    Parameters
    ----------
    options : mapping
        ``folds``, ``repeats``, ``cv``, ``n_train`` and ``n_test``, as far as they are given.
    n : int, optional
        How many scores there are, where their number says how often the folds are repeated.

    Examples
    --------
    >>> read_design({"folds": 10, "repeats": 3}).test_share, read_design({"cv": 5}).folds
    (0.1, 5)
    """
    used = [name for name in ("folds", "cv", "n_test") if options.get(name) is not None]
    if len(used) > 1:
        raise invalid(used[1], f"None where {used[0]}= is given", options[used[1]])
    if "repeats" in options and used != ["folds"]:
        raise invalid("repeats", "given together with folds=", options["repeats"])
    if ("n_train" in options) != ("n_test" in options):
        raise InputError("n_train= and n_test= go together: the share of the test set is needed.")
    if used == ["folds"]:
        folds = check_int("folds", options["folds"], least=2)
        repeats = options.get("repeats")
        if repeats is not None:
            repeats = check_int("repeats", repeats)
        elif n is not None and n % folds == 0:
            repeats = n // folds
        label = f"folds={folds}" + (f" and repeats={repeats}" if repeats else "")
        return Design(1 / folds, folds, repeats, label)
    if used == ["cv"]:
        return _read_splitter(options["cv"])
    if used == ["n_test"] and not isinstance(options["n_test"], str):
        n_train, n_test = (check_int(name, options[name]) for name in ("n_train", "n_test"))
        return Design(n_test / (n_test + n_train), label=f"n_train={n_train}, n_test={n_test}")
    return None


def _read_splitter(cv: Any) -> Design:
    """Read a splitter of scikit-learn, the number of folds, or the splits themselves."""
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        folds = check_int("cv", int(cv), least=2)
        return Design(1 / folds, folds, 1, f"cv={folds}")
    if isinstance(cv, (list, tuple)):
        return _design_of_splits(cv, f"cv of {len(cv)} splits")
    sizes = [getattr(cv, name, None) for name in ("train_size", "test_size")]
    whole = [size for size in sizes if isinstance(size, (int, np.integer))]
    if len(whole) == 1:
        raise InputError(f"How many documents {cv} had is not known: pass n_train= and n_test=.")
    n = int(sum(whole)) or DOCUMENTS
    try:  # any documents show how the splitter splits; few splitters need classes or groups
        with warnings.catch_warnings(action="ignore"):
            splits = list(islice(cv.split(np.zeros(n), np.arange(n) % 2, np.arange(n)), MAX_SPLITS))
    except (AttributeError, TypeError, ValueError):
        splits = []
    n_train = [len(train) for train, _ in splits]
    if not n_train or len(n_train) == n or np.ptp(n_train) > 0.1 * n:
        rule = f"a number of folds, a KFold, RepeatedKFold or ShuffleSplit, or else {ADVICE}"
        raise invalid("cv", rule, cv)
    return _design_of_splits(splits, type(cv).__name__)


def _design_of_splits(splits: Sequence[Any], label: str) -> Design:
    """Find the share of the test sets, and how many make one repeat: all documents were tested."""
    try:
        sizes = np.array([[len(train), len(test)] for train, test in splits], dtype=np.float64)
    except (TypeError, ValueError):
        raise invalid("cv", "pairs of training and test indices", type(splits).__name__) from None
    tests = [np.asarray(test) for _, test in splits]
    documents = len(np.unique(np.concatenate(tests)))
    [ends] = np.nonzero(np.cumsum(sizes[:, 1]) == documents)
    folds = int(ends[0]) + 1 if len(ends) else len(tests)
    if len(tests) % folds or len(np.unique(np.concatenate(tests[:folds]))) < documents:
        folds = len(tests)
    share = float((sizes[:, 1] / sizes.sum(axis=1)).mean())
    return Design(round(share, 12), folds, len(tests) // folds, label)


def _has_scores(data: Any) -> bool:
    """Return whether this is what ``cross_validate`` returned, or a data frame of it."""
    is_frame = isinstance(data, pd.DataFrame) and "fit_time" in data
    return (isinstance(data, Mapping) or is_frame) and bool(_metrics(data, TEST))


def _is_search(data: Any) -> bool:
    """Return whether this is ``cv_results_``, or a data frame of it."""
    is_mapping = isinstance(data, (Mapping, pd.DataFrame))
    return is_mapping and "params" in data and bool(_metrics(data, FIRST))


def _metrics(data: Any, prefix: str) -> list[str]:
    """Return the metrics of which there are scores."""
    return [str(key).removeprefix(prefix) for key in data if str(key).startswith(prefix)]


def select_metric(names: Sequence[str], metric: Any) -> str:
    """Return which of the scores is meant; several must be told apart by ``metric=``."""
    if metric is not None:
        return check_choice("metric", str(metric).removeprefix(TEST), names)
    if len(names) > 1:
        raise InputError(f"There are several scores: pass metric=, one of {', '.join(names)}.")
    return names[0]


def _read_objects(
    data: Any, systems: Sequence[Any] | None, options: Options
) -> tuple[dict[str, Any], Any, list[Any]]:
    """Return the scores by system, which metric they are, and the splits where these are there."""
    metric = options.get("metric")
    if _is_search(data):
        metric = select_metric(_metrics(data, FIRST), metric)
        keys = (f"split{i}_test_{metric}" for i in count())
        columns = [data[key] for key in takewhile(lambda key: key in data, keys)]
        candidates = dict(zip(_name_candidates(data), np.stack(columns, axis=1), strict=True))
        return _select(candidates, systems), metric, []
    named = _select(data, systems)
    dicts = {name: scores for name, scores in named.items() if _has_scores(scores)}
    if not dicts:
        return named, metric, []
    for name, scores in named.items():
        if name not in dicts:
            rule = "a dictionary of cross_validate, as the others are"
            raise invalid(str(name), rule, type(scores).__name__)
    first, *others = dicts.values()
    shared = [key for key in _metrics(first, TEST) if all(TEST + key in x for x in others)]
    if not shared:
        raise InputError("The dictionaries of cross_validate have no score in common.")
    metric = select_metric(shared, metric)
    indices = {name: scores["indices"] for name, scores in dicts.items() if "indices" in scores}
    if options.get("paired", True):
        for a, b in pairwise(indices):
            tests, others = indices[a]["test"], indices[b]["test"]
            if len(tests) != len(others) or not all(map(np.array_equal, tests, others)):
                advice = "pass the same splitter with a random_state to both, or paired=False"
                raise InputError(f"{a} and {b} were not tested on the same folds: {advice}.")
    folds: Any = next(iter(indices.values()), {"train": [], "test": []})
    splits = list(zip(folds["train"], folds["test"], strict=True))
    return {name: scores[TEST + metric] for name, scores in dicts.items()}, metric, splits


def _select(named: Mapping[str, Any], systems: Sequence[Any] | None) -> dict[str, Any]:
    """Take some systems out of all, in this order."""
    for system in systems or ():
        if system not in named:
            raise unknown("systems", system, list(map(str, named)))
    return {name: named[name] for name in systems or named}


def _name_candidates(data: Any) -> list[str]:
    """Call candidates by the parameters in which they differ, or by a data frame's own names."""
    if isinstance(data, pd.DataFrame):
        index = data.index
        if index.is_unique and index.inferred_type == "string":
            return [str(name) for name in index]
    candidates = [dict(params) for params in data["params"]]
    keys = dict.fromkeys(key for params in candidates for key in params)
    varied = [key for key in keys if len({repr(params.get(key)) for params in candidates}) > 1]
    names = [
        ", ".join(f"{key}={params[key]}" for key in varied if key in params)
        for params in candidates
    ]
    return names if len(set(names)) == len(names) else [str(params) for params in candidates]


def _as_scores(name: str, values: Any) -> Array:
    """Read scores, of which some may be NaN: failed fits are refused later."""
    if isinstance(values, Mapping):
        rule = "an array of scores, or a dictionary of cross_validate with a test_score"
        raise invalid(name, rule, sorted(map(str, values)))
    if np.ndim(values) != 1:
        return as_numbers(name, values)  # which says what is wrong
    scores = pd.Series(values)
    numbers = np.full(len(scores), np.nan)
    is_there = scores.notna().to_numpy()
    numbers[is_there] = as_numbers(name, scores[is_there])
    return numbers


def _rows_of_arrays(n: int, options: Options) -> pd.DataFrame:
    """Return what the scores are about, by columns beside them."""
    rows = pd.DataFrame(index=range(n))
    for name in KEYS:
        if name in options:
            if isinstance(options[name], str) or np.shape(options[name]) != (n,):
                rule = "an entry for each score, where no table has columns"
                raise invalid(name, rule, options[name])
            rows[name] = np.asarray(options[name])
    return rows


def _read_table(
    data: Any, systems: Sequence[Any] | None, options: Options
) -> tuple[dict[str, Array], pd.DataFrame, Mapping[str, str]]:
    """Read a table with a column per system, or with a row per system and fold."""
    keys = {name: options[name] for name in KEYS if name in options}
    sizes = {name: options.get(name) for name in ("n_train", "n_test")}
    keys |= {name: column for name, column in sizes.items() if isinstance(column, str)}
    if "value" in options and "fold" not in options:
        raise InputError("Say which column is 'fold': pass fold=.")
    answers = read_answers(data, keys, systems, options)
    advice = ": name the columns of the repeats and of the data sets in repeat= and dataset="
    wide = answers.pivot(answers.keys, ["system"], advice)
    rows = wide.index.to_frame(index=False)
    if "n_test" in rows:
        n_train, n_test = (as_numbers(name, rows[name]) for name in ("n_train", "n_test"))
        rows["test_share"] = n_test / (n_test + n_train)
    return {name: _as_scores(name, wide[name]) for name in answers.systems}, rows, answers.source


@dataclass(frozen=True, eq=False)
class Answers:
    """What systems answered.

    Attributes
    ----------
    rows : DataFrame
        A row per answer: its ``system``, its ``value``, and the keys that were asked for; of a wide
        table also the number of its ``row`` there.
    systems : tuple of str
        What the systems are called.
    source : mapping
        Where the columns are from.
    from_file : bool
        Whether they are from a file, in which texts may be numbers.
    """

    rows: pd.DataFrame
    systems: tuple[str, ...]
    source: Mapping[str, str]
    from_file: bool

    @property
    def keys(self) -> list[str]:
        """The columns that say what an answer is about."""
        return [str(name) for name in self.rows if name not in ("system", "value")]

    def pivot(self, index: list[str], columns: list[str], advice: str = "") -> pd.DataFrame:
        """Return the answers (index, columns), the systems in their order, NaN where is none.

        Parameters
        ----------
        index, columns : list of str
            Keys; the first of the columns is ``system``.
        advice : str
            What to do about several answers to the same.
        """
        repeated = self.rows[self.rows.duplicated([*index, *columns])]
        for first in repeated.head(1).to_dict("records"):
            where = ", ".join(f"{name} {first[name]}" for name in (*columns[1:], *index))
            raise InputError(f"{first['system']} has several values of {where}{advice}.")
        wide = self.rows.set_index([*index, *columns])["value"].unstack(columns)
        order = pd.Categorical(wide.columns.get_level_values(0), self.systems).argsort(
            kind="stable"
        )
        return pd.DataFrame(wide.iloc[:, order])


def read_answers(
    data: Any, keys: Mapping[str, Any], systems: Sequence[Any] | None, options: Mapping[str, Any]
) -> Answers:
    """Read a table with a column per system, or with a row per answer.

    Parameters
    ----------
    data : data frame or path
        The table.
    keys : mapping
        Further columns, by the roles that they play.
    systems : sequence, optional
        The columns of the systems, or in long format their names; by default all.
    options : mapping
        Those of the layout; with ``system`` and ``value`` (or ``prediction``) it is long.

    Examples
    --------
    >>> table = pd.DataFrame({"fold": [1, 2], "rf": [0.8, 0.9], "svm": [0.7, 0.9]})
    >>> read_answers(table, {"fold": "fold"}, None, {}).rows["system"].tolist()
    ['rf', 'rf', 'svm', 'svm']
    """
    value = options.get("value", options.get("prediction"))
    is_long = value is not None or "system" in options
    if systems is not None and None in systems:
        raise InputError("Say which systems are compared: pass a= and b=, or systems=.")
    with ExitStack() as stack:
        table = open_table(data, stack.enter_context(database()), stack)
        stack.enter_context(translate_errors(table.title))
        if is_long:
            columns = {**keys, "system": options.get("system"), "value": value}
        else:
            if systems is None:
                others = [c for c in table.names if c not in keys.values()]
                systems = [c for c in others if not names_no_system(c)]
            roles = dict(zip(system_roles(len(systems)), systems, strict=True))
            columns = {**keys, **roles}
        rows = fetch(table.pick(columns).frame)
    if not len(rows):
        raise no_rows(table.title)
    for role in [*keys, *(["system"] if is_long else [])]:
        missing_rows(f"{role}=", rows[role].isna(), "entry")
    names = None if systems is None else list(map(str, systems))
    if is_long:
        rows["system"] = rows["system"].astype(str)
        occurring = list(dict.fromkeys(rows["system"]))
        names = names or occurring
        for name in names:
            check_choice("systems", name, occurring)
        rows = rows[rows["system"].isin(names)]
    else:
        rows[ROW] = range(len(rows))
        rows = rows.melt(id_vars=[*keys, ROW], var_name="system")
        rows["system"] = rows["system"].map(dict(zip(roles, names or (), strict=True)))
    source = dict(table.source) | {role: str(name) for role, name in columns.items()}
    return Answers(rows, as_systems(names), source, bool(table.file))
