"""What cross-validation returns, as scores of folds: scikit-learn's objects, arrays and tables."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import count, islice, pairwise, takewhile
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.arguments import as_systems, check_bool, check_choice, check_int
from stanoff.data.answers import read_answers
from stanoff.data.counting import check_lengths
from stanoff.data.folds import ADVICE, Design, FoldTable, FoldValues, build_folds
from stanoff.data.items import as_numbers
from stanoff.errors import InputError, invalid, unknown

Array = NDArray[np.float64]
Options = Mapping[str, Any]

FOLD_OPTIONS = (
    *("fold", "repeat", "folds", "repeats", "cv"),
    *("n_train", "n_test", "metric", "paired"),
)
ALLOWED = (*FOLD_OPTIONS, "dataset", "system", "value", "unmatched")
KEYS = ("dataset", "repeat", "fold")
DOCUMENTS, MAX_SPLITS = 840, 10_000  # that a splitter splits to show how
TEST = "test_"  # how the keys of scores begin
FIRST = "split0_test_"  # those of cv_results_
OTHER_FOLDS = (
    "{} and {} were not tested on the same folds: pass the same splitter with a random_state to "
    "both, or paired=False to compare them all the same."
)


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
    objects = list(inputs)
    for data in inputs:
        if isinstance(data, Mapping):
            objects += data.values()
    return any(_has_scores(data) or _is_search(data) for data in objects)


def load_cross_validation(
    data: Any, second: Any, systems: Sequence[Any] | None, options: Options
) -> FoldValues:
    """Read the scores of the folds of two systems, or of any number.

    Parameters
    ----------
    data : mapping, data frame or path
        What ``cross_validate`` returned for each system, scores by system, ``cv_results_``, or a
        table.
    second : optional
        The scores of B, if ``data`` has those of A.
    systems : sequence, optional
        Which columns or candidates are compared; by default all.
    options : mapping
        Those of the layout that were given.

    Examples
    --------
    >>> rf, svm = {"test_score": [0.8, 0.9, 0.7, 0.9]}, {"test_score": [0.7, 0.9, 0.8, 0.6]}
    >>> load_cross_validation(rf, svm, None, {"folds": 2, "repeats": 2}).observed.round(3).tolist()
    [0.825, 0.75]
    """
    for name, value in options.items():
        if name not in ALLOWED:
            raise invalid(name, "None for scores of folds", value)
    if second is not None:
        names = [getattr(scores, "name", None) for scores in (data, second)]
        names = names if all(names) and names[0] != names[1] else ["A", "B"]
        data = dict(zip(names, (data, second), strict=True))
    if _has_scores(data):
        raise InputError(
            "This is what cross_validate returned for one system: pass compare(cv_a, cv_b), or "
            "contest({'rf': cv_rf, 'svm': cv_svm})."
        )
    if _is_search(data) or isinstance(data, Mapping):
        named, metric, splits = _read_objects(data, systems, options)
        table = _table_of_arrays(named, metric, splits, options)
    else:
        table = _read_table(data, systems, options)
    return build_folds(table)


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
    sizes: list[Any] = [getattr(cv, name, None) for name in ("train_size", "test_size")]
    n_whole = sum(isinstance(size, (int, np.integer)) for size in sizes)
    if n_whole == 1:
        raise InputError(f"How many documents {cv} had is not known: pass n_train= and n_test=.")
    n = int(np.sum(sizes)) if n_whole else DOCUMENTS
    try:  # any documents show how the splitter splits; few splitters need classes or groups
        with warnings.catch_warnings(action="ignore"):
            all_splits = cv.split(np.zeros(n), np.arange(n) % 2, np.arange(n))
            splits = list(islice(all_splits, MAX_SPLITS))
        n_train = [len(train) for train, _ in splits]
    except (AttributeError, TypeError, ValueError):
        n_train = []
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


# scikit-learn's objects and arrays.


def _has_scores(data: Any) -> bool:
    """Return whether this is what ``cross_validate`` returned, or a data frame of it."""
    is_frame = isinstance(data, pd.DataFrame) and "fit_time" in data
    return (isinstance(data, Mapping) or is_frame) and any(
        str(key).startswith(TEST) for key in data
    )


def _is_search(data: Any) -> bool:
    """Return whether this is ``cv_results_``, or a data frame of it."""
    is_mapping = isinstance(data, (Mapping, pd.DataFrame))
    return is_mapping and "params" in data and any(str(key).startswith(FIRST) for key in data)


def _select_metric(names: Sequence[str], metric: Any) -> str:
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
        metrics = [str(key)[len(FIRST) :] for key in data if str(key).startswith(FIRST)]
        metric = _select_metric(metrics, metric)
        keys = (f"split{i}_test_{metric}" for i in count())
        columns = [data[key] for key in takewhile(lambda key: key in data, keys)]
        values = np.stack(columns, axis=1)
        candidates = dict(zip(_name_candidates(data), values, strict=True))
        return _select(candidates, systems), metric, []
    named = _select(data, systems)
    dicts = {name: scores for name, scores in named.items() if _has_scores(scores)}
    if not dicts:
        return named, metric, []
    if len(dicts) < len(named):
        other = next(name for name in named if name not in dicts)
        rule = "a dictionary of cross_validate, as the others are"
        raise invalid(str(other), rule, type(named[other]).__name__)
    shared = [
        str(key).removeprefix(TEST)
        for key in next(iter(dicts.values()))
        if str(key).startswith(TEST) and all(key in scores for scores in dicts.values())
    ]
    if not shared:
        raise InputError("The dictionaries of cross_validate have no score in common.")
    metric = _select_metric(shared, metric)
    indices = {name: scores["indices"] for name, scores in dicts.items() if "indices" in scores}
    if options.get("paired", True):
        _compare_folds(indices)
    splits = [
        split
        for folds in list(indices.values())[:1]
        for split in zip(folds["train"], folds["test"], strict=True)
    ]
    return {name: scores[TEST + metric] for name, scores in dicts.items()}, metric, splits


def _select(named: Mapping[str, Any], systems: Sequence[Any] | None) -> dict[str, Any]:
    """Take some systems out of all, in this order."""
    for system in systems or ():
        if system not in named:
            raise unknown("systems", system, list(map(str, named)))
    return {name: named[name] for name in systems or named}


def _compare_folds(indices: Mapping[str, Any]) -> None:
    """Refuse systems that were tested on other folds, where ``return_indices=True`` tells."""
    for first, other in pairwise(indices):
        tests, other_tests = indices[first]["test"], indices[other]["test"]
        if len(tests) != len(other_tests) or not all(map(np.array_equal, tests, other_tests)):
            raise InputError(OTHER_FOLDS.format(first, other))


def _table_of_arrays(
    named: Mapping[str, Any], metric: Any, splits: Sequence[Any], options: Options
) -> FoldTable:
    """Put the scores of each system together, which may have columns of their folds beside them."""
    for name in ("system", "value"):
        if name in options:
            raise invalid(name, "None where no table has columns", options[name])
    systems = as_systems(list(named))
    columns = {str(name): _as_scores(str(name), scores) for name, scores in named.items()}
    sizes = {name: len(scores) for name, scores in columns.items()}
    check_lengths(sizes)
    n = sizes[systems[0]]
    rows = pd.DataFrame(index=range(n))
    for name in KEYS:
        if name in options:
            if isinstance(options[name], str) or np.shape(options[name]) != (n,):
                raise invalid(
                    name, "an entry for each score, where no table has columns", options[name]
                )
            rows[name] = np.asarray(options[name])
    design = _design_of_splits(splits, "indices") if splits else None
    return _describe(np.stack(list(columns.values())), systems, rows, metric, options, design)


def _describe(
    values: Array,
    systems: tuple[str, ...],
    rows: pd.DataFrame,
    metric: Any,
    options: Options,
    design: Design | None = None,
    source: Mapping[str, str] | None = None,
) -> FoldTable:
    """Add what the options say of the scores."""
    n = None if "dataset" in rows else len(rows)
    scorer = str(metric).removeprefix(TEST)
    meaningless = metric is None or scorer in ("value", "score", "values", "scores")
    unmatched = check_choice("unmatched", options.get("unmatched", "raise"), ("raise", "drop"))
    return FoldTable(
        values,
        systems,
        rows,
        design=read_design(options, n) or design,
        paired=check_bool("paired", options.get("paired", True)),
        drop=unmatched == "drop",
        source={**(source or {}), **({} if meaningless else {"scorer": scorer})},
    )


def _as_scores(name: str, values: Any) -> Array:
    """Read scores, of which some may be NaN: failed fits are refused later."""
    if isinstance(values, Mapping):
        rule = "an array of scores, or a dictionary of cross_validate with a test_score"
        raise invalid(name, rule, sorted(map(str, values)))
    scores = pd.Series(values) if np.ndim(values) == 1 else values
    if not isinstance(scores, pd.Series):
        return as_numbers(name, values)  # which says what is wrong
    numbers = np.full(len(scores), np.nan)
    is_there = scores.notna().to_numpy()
    numbers[is_there] = as_numbers(name, scores[is_there])
    return numbers


def _name_candidates(data: Any) -> list[str]:
    """Call candidates by the parameters in which they differ, or by a data frame's own names."""
    if (
        isinstance(data, pd.DataFrame)
        and data.index.is_unique
        and data.index.inferred_type == "string"
    ):
        return [str(name) for name in data.index]
    candidates = [dict(params) for params in data["params"]]
    keys = dict.fromkeys(key for params in candidates for key in params)
    varied = [key for key in keys if len({repr(params.get(key)) for params in candidates}) > 1]
    names = [
        ", ".join(f"{key}={params[key]}" for key in varied if key in params)
        for params in candidates
    ]
    return names if len(set(names)) == len(names) else [str(params) for params in candidates]


def _read_table(data: Any, systems: Sequence[Any] | None, options: Options) -> FoldTable:
    """Read a table with a column per system, or with a row per system and fold."""
    keys = {name: options[name] for name in KEYS if name in options}
    sizes = {name: options.get(name) for name in ("n_train", "n_test")}
    keys |= {name: column for name, column in sizes.items() if isinstance(column, str)}
    if "value" in options and "fold" not in options:
        raise InputError("Say which column is 'fold': pass fold=.")
    answers = read_answers(data, keys, systems, options)
    advice = ": name the columns of the repeats and of the data sets in repeat= and dataset="
    wide = answers.pivot(answers.keys, ["system"], advice)
    values = np.stack([_as_scores(name, wide[name]) for name in answers.systems])
    rows = wide.index.to_frame(index=False)
    if "n_test" in rows:
        n_train, n_test = (as_numbers(name, rows[name]) for name in ("n_train", "n_test"))
        rows["test_share"] = n_test / (n_test + n_train)
    metric = options.get("metric") or options.get("value")
    return _describe(values, answers.systems, rows, metric, options, source=answers.source)
