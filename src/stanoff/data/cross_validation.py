"""What cross-validation returns, as scores of folds: scikit-learn's objects, arrays and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stanoff._lib.arguments import as_systems, check_bool, check_choice, check_int
from stanoff.data.folds import ADVICE, Design, FoldTable, FoldValues, build_folds
from stanoff.data.items import as_numbers
from stanoff.data.notes import names_no_system
from stanoff.data.readers import database, fetch, open_table, translate_errors
from stanoff.data.types import system_roles
from stanoff.errors import InputError, invalid, unknown

Array = NDArray[np.float64]
Options = Mapping[str, Any]

FOLD_OPTIONS = (
    *("fold", "repeat", "folds", "repeats", "cv"),
    *("n_train", "n_test", "metric", "paired"),
)
ALLOWED = (*FOLD_OPTIONS, "dataset", "system", "value", "unmatched")
TEST = "test_"  # how the keys of scores begin
SPLIT = "split{}_test_{}"  # those of cv_results_
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
        data = {"A": data, "B": second}
    if _is_search(data):
        table = _read_search(data, systems, options)
    elif _has_scores(data):
        raise InputError(
            "This is what cross_validate returned for one system: pass compare(cv_a, cv_b), or "
            "contest({'rf': cv_rf, 'svm': cv_svm})."
        )
    elif isinstance(data, Mapping):
        table = _read_scores(_select(data, systems), options)
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
    ways = ("folds", "cv", "n_test")
    given = [name for name in ways if options.get(name) is not None]
    if len(given) > 1:
        raise invalid(given[1], f"None where {given[0]}= is given", options[given[1]])
    if "repeats" in options and given != ["folds"]:
        raise invalid("repeats", "given together with folds=", options["repeats"])
    if ("n_train" in options) != ("n_test" in options):
        raise InputError("n_train= and n_test= go together: the share of the test set is needed.")
    if given == ["folds"]:
        folds = check_int("folds", options["folds"], least=2)
        repeats = options.get("repeats")
        if repeats is None:
            repeats = n // folds if n is not None and n % folds == 0 else None
        else:
            repeats = check_int("repeats", repeats)
        label = f"folds={folds}" + (f" and repeats={repeats}" if repeats else "")
        return Design(1 / folds, folds, repeats, label)
    if given == ["cv"]:
        return _read_splitter(options["cv"])
    if given == ["n_test"] and not isinstance(options["n_test"], str):
        n_train, n_test = (check_int(name, options[name]) for name in ("n_train", "n_test"))
        return Design(n_test / (n_test + n_train), label=f"n_train={n_train}, n_test={n_test}")
    return None


def _read_splitter(cv: Any) -> Design:
    """Read a splitter of scikit-learn, the number of folds, or the splits themselves."""
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        folds = check_int("cv", int(cv), least=2)
        return Design(1 / folds, folds, 1, f"cv={folds}")
    name = type(cv).__name__
    if isinstance(cv, (list, tuple)):
        return Design(float(_share_of_splits(cv)[0]), None, None, f"cv of {len(cv)} splits")
    arguments = getattr(cv, "cvargs", {})
    n_splits = getattr(cv, "n_splits", arguments.get("n_splits"))
    if not hasattr(cv, "get_n_splits") or n_splits is None or hasattr(cv, "max_train_size"):
        rule = f"a number of folds, a KFold, RepeatedKFold or ShuffleSplit, or else {ADVICE}"
        raise invalid("cv", rule, cv)
    if hasattr(cv, "train_size"):
        return Design(_share_of_shuffle(cv), int(n_splits), 1, name)
    return Design(1 / n_splits, int(n_splits), int(getattr(cv, "n_repeats", 1)), name)


def _share_of_shuffle(cv: Any) -> float:
    """Return the test share of a ShuffleSplit, whose sizes are shares or numbers."""
    test, train = cv.test_size, cv.train_size
    default = getattr(cv, "_default_test_size", 0.1)
    given = [size for size in (test, train) if size is not None]
    whole = [isinstance(size, (int, np.integer)) for size in given]
    if any(whole) and not (all(whole) and len(given) == 2):
        raise InputError(f"How many documents {cv} had is not known: pass n_train= and n_test=.")
    if test is None:
        test = default if train is None else 1 - train
    if train is None:
        train = 1 - test
    return float(test / (test + train))


def _share_of_splits(splits: Sequence[Any]) -> Array:
    """Return the share of the test set, averaged over splits, for each of them."""
    try:
        sizes = np.array([[len(train), len(test)] for train, test in splits], dtype=np.float64)
    except (TypeError, ValueError):
        raise invalid("cv", "pairs of training and test indices", type(splits).__name__) from None
    return np.full(len(sizes), (sizes[:, 1] / sizes.sum(axis=1)).mean())


# scikit-learn's objects and arrays.


def _has_scores(data: Any) -> bool:
    """Return whether this is what ``cross_validate`` returned."""
    return isinstance(data, Mapping) and any(
        isinstance(key, str) and key.startswith(TEST) for key in data
    )


def _is_search(data: Any) -> bool:
    """Return whether this is ``cv_results_``, or a data frame of it."""
    is_mapping = isinstance(data, (Mapping, pd.DataFrame))
    return is_mapping and "params" in data and any(str(key).startswith("split0_") for key in data)


def _select_metric(known: Sequence[str], metric: Any) -> str:
    """Return which of the scores is meant; several must be told apart by ``metric=``."""
    names = [name.removeprefix(TEST) for name in known]
    if metric is not None:
        return check_choice("metric", str(metric).removeprefix(TEST), names)
    if len(names) > 1:
        raise InputError(f"There are several scores: pass metric=, one of {', '.join(names)}.")
    return names[0]


def _select(named: Mapping[str, Any], systems: Sequence[Any] | None) -> Mapping[str, Any]:
    """Take some systems out of all, in this order."""
    for system in systems or ():
        if system not in named:
            raise unknown("systems", system, list(map(str, named)))
    return named if systems is None else {name: named[name] for name in systems}


def _read_scores(named: Mapping[str, Any], options: Options) -> FoldTable:
    """Read a dictionary of ``cross_validate``, or an array of scores, of each system."""
    for name in ("fold", "repeat", "dataset", "system", "value"):
        if name in options:
            raise invalid(name, "None where no table has columns", options[name])
    systems = as_systems(list(named))
    metric = options.get("metric")
    dicts = {name: scores for name, scores in named.items() if _has_scores(scores)}
    if dicts:
        if len(dicts) < len(named):
            other = next(name for name in named if name not in dicts)
            rule = "a dictionary of cross_validate, as the others are"
            raise invalid(str(other), rule, type(named[other]).__name__)
        shared = [
            key
            for key in next(iter(dicts.values()))
            if str(key).startswith(TEST) and all(key in scores for scores in dicts.values())
        ]
        if not shared:
            raise InputError("The dictionaries of cross_validate have no score in common.")
        metric = _select_metric(shared, metric)
        named = {name: scores[TEST + metric] for name, scores in dicts.items()}
    columns = [_as_scores(str(name), scores) for name, scores in named.items()]
    sizes = [len(column) for column in columns]
    if len(set(sizes)) > 1:
        listed = ", ".join(f"{n} of {name}" for name, n in zip(systems, sizes, strict=True))
        raise InputError(f"Every system must have as many scores; there are {listed}.")
    paired = check_bool("paired", options.get("paired", True))
    splits = [scores["indices"] for scores in dicts.values() if "indices" in scores]
    share = None
    if splits:
        share = _share_of_splits(list(zip(splits[0]["train"], splits[0]["test"], strict=True)))
        if paired:
            _compare_folds(dicts)
    return FoldTable(
        np.stack(columns),
        systems,
        test_share=share,
        design=read_design(options, sizes[0]) or _design_of_indices(splits),
        paired=paired,
        drop=_drops(options),
        source=_name_scorer(metric),
    )


def _name_scorer(metric: Any) -> dict[str, str]:
    return {} if metric is None or metric == "score" else {"scorer": str(metric)}


def _drops(options: Options) -> bool:
    return check_choice("unmatched", options.get("unmatched", "raise"), ("raise", "drop")) == "drop"


def _as_scores(name: str, values: Any) -> Array:
    """Read scores, of which some may be NaN: failed fits are refused later."""
    if isinstance(values, Mapping):
        rule = "an array of scores, or a dictionary of cross_validate with a test_score"
        raise invalid(name, rule, sorted(map(str, values)))
    array = np.asarray(values)
    if array.ndim == 1 and array.dtype.kind in "fiub":
        return array.astype(np.float64)
    return as_numbers(name, values)


def _compare_folds(dicts: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse systems that were tested on other folds, where ``return_indices=True`` tells."""
    first, *others = [name for name, scores in dicts.items() if "indices" in scores]
    tests = dicts[first]["indices"]["test"]
    for other in others:
        mine = dicts[other]["indices"]["test"]
        same = len(mine) == len(tests)
        if not same or not all(map(np.array_equal, mine, tests)):
            raise InputError(OTHER_FOLDS.format(first, other))


def _design_of_indices(splits: Sequence[Mapping[str, Any]]) -> Design | None:
    """Find how many folds make one repeat: until all documents were tested."""
    if not splits:
        return None
    tests = [np.asarray(test) for test in splits[0]["test"]]
    sizes = np.cumsum([len(test) for test in tests])
    documents = len(np.unique(np.concatenate(tests)))
    [ends] = np.nonzero(sizes == documents)
    share = float(_share_of_splits(list(zip(splits[0]["train"], tests, strict=True)))[0])
    folds = int(ends[0]) + 1 if len(ends) else len(tests)
    if len(tests) % folds or len(np.unique(np.concatenate(tests[:folds]))) < documents:
        folds = len(tests)
    return Design(share, folds, len(tests) // folds, "indices")


def _read_search(data: Any, systems: Sequence[Any] | None, options: Options) -> FoldTable:
    """Read ``cv_results_`` of a search: a system per candidate, called by its parameters."""
    names = _name_candidates(data)
    start, end = SPLIT.split("{}")[0], SPLIT.split("{}")[1]
    known = [str(key) for key in data if str(key).startswith(f"{start}0{end}")]
    metric = _select_metric(
        [key.removeprefix(f"{start}0_") for key in known], options.get("metric")
    )
    keys = [SPLIT.format(i, metric) for i in range(len(list(data)))]
    values = np.stack([np.asarray(data[key], dtype=np.float64) for key in keys if key in data], 1)
    if systems is not None:
        for system in systems:
            if system not in names:
                raise unknown("systems", system, names)
        values = values[[names.index(system) for system in systems]]
        names = [str(system) for system in systems]
    return FoldTable(
        values,
        as_systems(names),
        design=read_design(options, values.shape[1]),
        paired=check_bool("paired", options.get("paired", True)),
        drop=_drops(options),
        source=_name_scorer(metric),
    )


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


# Tables.


def _read_table(data: Any, systems: Sequence[Any] | None, options: Options) -> FoldTable:
    """Read a table with a column per system, or with a row per system and fold."""
    columns = {name: options[name] for name in ("dataset", "repeat", "fold") if name in options}
    sizes = {name: options[name] for name in ("n_train", "n_test") if name in options}
    columns |= {name: column for name, column in sizes.items() if isinstance(column, str)}
    with ExitStack() as stack:
        connection = stack.enter_context(database())
        table = open_table(data, connection, stack)
        stack.enter_context(translate_errors(table.title))
        long = "system" in options or "value" in options
        if long:
            for name in ("system", "value", "fold"):
                if name not in options:
                    raise InputError(
                        f"Say which column of {table.title} is {name!r}: pass {name}=."
                    )
            columns |= {"system": options["system"], "value": options["value"]}
        else:
            if systems is None:
                used = list(columns.values())
                systems = [c for c in table.names if c not in used and not names_no_system(c)]
            roles = dict(zip(system_roles(len(systems)), systems, strict=True))
            for role, name in roles.items():
                if name is None:
                    raise InputError(
                        f"Say which columns of {table.title} are compared: pass a= and b=, or "
                        f"systems= ({role})."
                    )
            columns |= roles
        rows = fetch(table.select(columns))
    if not len(rows):
        raise InputError(f"{table.title} has no rows.")
    source = dict(table.source) | {role: str(name) for role, name in columns.items()}
    if long:
        wide, names, values = _pivot(rows, systems, options["value"])
    else:
        wide, names = rows, as_systems([str(name) for name in systems or ()])
        values = np.stack([_as_scores(str(columns[role]), rows[role]) for role in roles])
    source |= _name_scorer(options.get("metric") or _scorer_of_column(options.get("value")))
    share = None
    if "n_test" in wide:
        n_train, n_test = (as_numbers(name, wide[name]) for name in ("n_train", "n_test"))
        share = n_test / (n_test + n_train)
    dataset, repeat, fold = (
        wide[role].to_numpy() if role in wide else None for role in ("dataset", "repeat", "fold")
    )
    return FoldTable(
        values,
        names,
        dataset,
        repeat,
        fold,
        test_share=share,
        design=read_design(options, len(wide) if dataset is None else None),
        paired=check_bool("paired", options.get("paired", True)),
        drop=_drops(options),
        source=source,
    )


def _scorer_of_column(name: Any) -> str | None:
    """Return what a column of values is called, unless that says nothing."""
    scorer = str(name).removeprefix(TEST)
    return None if name is None or scorer in ("value", "score", "values", "scores") else scorer


def _pivot(
    rows: pd.DataFrame, systems: Sequence[Any] | None, value: str
) -> tuple[pd.DataFrame, tuple[str, ...], Array]:
    """Give every system of a long table a row of its scores, in the order of the folds."""
    known = list(dict.fromkeys(rows["system"]))
    for system in systems or ():
        if system not in known:
            raise unknown("systems", system, list(map(str, known)))
    selected = list(systems or known)
    index = [name for name in rows if name not in ("system", "value")]
    rows = rows[rows["system"].isin(selected)]
    rows = rows.assign(value=_as_scores(str(value), rows["value"]))
    twice = rows.duplicated([*index, "system"]).to_numpy()
    if twice.any():
        first = rows[twice].to_dict("records")[0]
        where = ", ".join(f"{name} {first[name]}" for name in index)
        raise InputError(
            f"{first['system']} has several scores of {where}: name the columns of the repeats and "
            "of the data sets in repeat= and dataset=."
        )
    wide = rows.set_index([*index, "system"])["value"].unstack("system").reindex(columns=selected)
    frame = wide.index.to_frame(index=False)
    return frame, as_systems(list(map(str, selected))), wide.to_numpy().T
