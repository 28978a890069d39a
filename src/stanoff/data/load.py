"""What the user has, as data: arrays, a wide or long table, several tables, two test sets.

Options become roles (truth, systems, cluster ...), roles become columns, columns are read from one
wide frame, and :data:`BUILDERS` makes data of them, by what they hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd

from stanoff._lib.arguments import as_names, as_systems, check_choice
from stanoff.data import notes
from stanoff.data.counting import (
    check_weights,
    count_two_test_sets,
    match_label,
    refuse_scores,
)
from stanoff.data.cross_validation import (
    FOLD_OPTIONS,
    is_cross_validation,
    load_cross_validation,
)
from stanoff.data.observed import DOCUMENTS, Observed
from stanoff.data.out_of_fold import load_out_of_fold
from stanoff.data.pivot import (
    KEY,
    SYSTEM,
    VALUE,
    Member,
    N,
    Side,
    Wide,
    align,
    as_numbers_in_engine,
    group_by_item,
    join,
    read_wide,
    resolve_systems,
    spread,
    sum_squares,
    system_names,
)
from stanoff.data.readers import (
    Table,
    count_rows,
    database,
    fetch_objects,
    open_table,
    translate_errors,
)
from stanoff.data.regression import ERRORS, NUMBERS, NUMERIC
from stanoff.data.trained import load_trained
from stanoff.data.types import (
    AVERAGES,
    Data,
    PairedCounts,
    default_names,
    patterns_of,
    system_roles,
)
from stanoff.errors import InputError, invalid, no_column
from stanoff.options import DATA, UNMATCHED, DataOptions, spell_out

TRUTH, THE_TABLE = "truth", "the table"
KINDS = ("labels", "scores", "values", *NUMERIC)  # that a caller may name
EXTRA = ("cluster", "dataset", "denominator", "by")  # columns that say more of a row
ACCEPTED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("labels", DOCUMENTS), ("by",)),
    **dict.fromkeys(("scores", NUMBERS), ("cluster", "by")),
    **dict.fromkeys(ERRORS, ("cluster", "dataset", "by")),
    "values": EXTRA,
}
NOT_WITH_GROUPS = ("cluster", "dataset", "trained", "repeat", *FOLD_OPTIONS)
OWN = "data."  # how the roles of columns begin that only the user's program knows
LONG = ("system", "prediction", "value")
FIRST_ROWS = 10_000  # enough to tell scores from labels
MAX_ITEMS = 1_000_000  # that are kept one by one where they are in clusters
REMOTE = ("dask", "pyspark", "pyspark_connect", "pyspark[connect]")  # maybe on other machines
TWO_ARRAYS = (
    "Pass the true labels and what both systems predicted; or what both scored, with "
    "measure='mean' for one value per item, with folds= (and repeats=) for scores of test folds."
)
ARRAYS_OR_COLUMNS = "Pass predictions as arrays or as names of columns, not both."


@spell_out(DATA)
def count(
    table: Any = None,
    y_pred_a: Any = None,
    y_pred_b: Any = None,
    *,
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    average: str | None = None,
    names: tuple[str, str] | None = None,
    kind: str = "labels",
    **choices: Unpack[DataOptions],
) -> Data:
    """Count what two systems predicted, without fitting anything.

    The counts are what :func:`stanoff.compare` would fit a model to, and what the tests in
    ``stanoff.significance`` take.

    Parameters
    ----------
    table, y_pred_a, y_pred_b, truth, a, b, pos_label, labels, average, names
        As in :func:`stanoff.compare`.
    kind : str
        ``"scores"`` to gather scores instead of counting labels, or ``"values"``; of true and
        predicted numbers ``"numbers"``, ``"absolute errors"`` or ``"squared errors"``.
    id, unmatched, item, system, prediction, value, cluster, dataset, by, denominator, sample_weight
        As in :func:`stanoff.compare`.
    fold, repeat, folds, repeats, cv, n_train, n_test, metric, paired
        As in :func:`stanoff.compare`.

    Returns
    -------
    PairedCounts, UnpairedCounts or ConfusionCounts
        Outcome pairs of the same documents; cells of two test sets; with an average over
        single-label classes, the combinations of classes.

    Examples
    --------
    >>> counts = count([1, 1, 0], [1, 1, 1], [1, 0, 0])
    >>> counts.pos.tolist(), counts.neg.tolist()
    ([[1, 1, 0, 0]], [[0, 1, 0, 0]])
    """
    if average is not None:
        check_choice("average", average, AVERAGES)
    layout: dict[str, Any] = {**choices}
    categories = {name: layout.pop(name, None) for name in ("pos_label", "labels")}
    observed = load_pair(
        check_choice("kind", kind, KINDS),
        (table, y_pred_a, y_pred_b),
        {TRUTH: truth, "a": a, "b": b},
        layout,
        categories | {"average": average},
    )
    return observed if names is None else observed.called(as_names(names))


def count_systems(
    table: Any,
    *,
    systems: Sequence[Any],
    truth: Any = None,
    kind: str = "labels",
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    average: str | None = None,
    **layout: Any,
) -> Data:
    """Count what the systems of a contest predicted; the options are those of :func:`count`."""
    categories = {"pos_label": pos_label, "labels": labels, "average": average}
    return load_systems(kind, table, None, truth, systems, layout, categories)


def load_pair(
    kind: str,
    arrays: tuple[Any, Any, Any],
    columns: Mapping[str, Any],
    layout: Mapping[str, Any],
    categories: Mapping[str, Any],
    *,
    documents: bool = False,
    own_columns: Mapping[str, str] | None = None,
) -> Data:
    """Read what two systems predicted.

    Parameters
    ----------
    kind : str
        What the columns of the systems hold: labels, scores or values.
    arrays : tuple
        The truth and both predictions; or a table alone.
    columns : mapping
        The columns of ``truth``, ``a`` and ``b``.
    layout : mapping
        The options of :class:`stanoff.options.DataOptions` that say how they are laid out.
    categories : mapping
        ``pos_label``, ``labels`` and ``average``.
    documents : bool
        Keep documents that have labels one by one, in the order of the rows.
    own_columns : mapping, optional
        Further columns that a Stan program of the user's own asks for, by their names there.
    """
    data, y_pred_a, y_pred_b = arrays
    if documents and kind == "labels" and data is not None:
        kind = DOCUMENTS
    options = {name: value for name, value in layout.items() if value is not None}
    pair = None if columns["a"] is columns["b"] is None else [columns["a"], columns["b"]]
    predictions = None
    if y_pred_b is not None:
        names = _series_names([y_pred_a, y_pred_b]) or ("A", "B")
        predictions = dict(zip(names, (y_pred_a, y_pred_b), strict=True))
    copies = _load_copies(kind, data, predictions, columns[TRUTH], pair, options, categories)
    if copies is None and kind == "values" and is_cross_validation([data, y_pred_a], options):
        copies = load_cross_validation(data, y_pred_a, pair, options)
    if copies is not None:
        if len(copies.systems) != 2:
            raise InputError(f"Two are compared, and there are {len(copies.systems)}: pass a=, b=.")
        return replace(copies, systems=as_names(copies.systems))
    if data is None:
        if options:
            name, value = next(iter(options.items()))
            raise invalid(name, "None for two test sets", value)
        if kind != "labels":
            raise InputError(f"Two test sets are compared by labels, and not by {kind}.")
        return _load_two_test_sets(columns["a"], columns["b"], categories)
    if y_pred_a is None and y_pred_b is None:
        own = {f"{OWN}{name}": column for name, column in (own_columns or {}).items()}
        systems = {role: columns[role] for role in ("a", "b")}
        observed = _read_tables(kind, data, columns[TRUTH], systems, options, own)
    else:
        if own_columns:
            name, column = next(iter(own_columns.items()))
            raise invalid(f"data.{name}", "numbers where no table has columns", column)
        if any(name is not None for name in columns.values()):
            raise InputError(ARRAYS_OR_COLUMNS)
        named = {"y_true": data, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
        if y_pred_b is None and kind != "values":
            raise InputError(TWO_ARRAYS)
        if kind == "values":
            if y_pred_a is None or y_pred_b is not None:
                raise InputError("Pass two arrays of values: those of A and those of B.")
            named = {"A": data, "B": y_pred_a}
        observed = _read_arrays(kind, named, options, None)
    loaded = observed.build(kind, categories)
    return loaded.called(as_names(loaded.systems))


def load_systems(
    kind: str,
    data: Any,
    predictions: Mapping[str, Any] | None,
    truth: Any,
    systems: Sequence[Any] | None,
    layout: Mapping[str, Any],
    categories: Mapping[str, Any],
) -> Data:
    """Read what the systems of a contest predicted.

    Parameters
    ----------
    kind, layout, categories
        As in :func:`load_pair`.
    data, predictions, truth, systems
        As in :func:`stanoff.contest`.

    Examples
    --------
    >>> said = {"a": [1, 1, 1], "b": [1, 0, 0], "c": [1, 0, 0]}
    >>> counts = load_systems("labels", [1, 1, 0], said, None, None, {}, {})
    >>> counts.said.tolist(), counts.pos.tolist()
    ([[1, 1, 1], [1, 0, 0], [0, 0, 0]], [1, 1, 0])
    """
    options = {name: value for name, value in layout.items() if value is not None}
    systems = [systems] if isinstance(systems, str) else systems
    beside = predictions if data is not None and isinstance(predictions, Mapping) else None
    copies = _load_copies(kind, data, beside, truth, systems, options, categories)
    if copies is not None:
        return copies
    if kind == "values" and is_cross_validation([data, predictions], options):
        named = data if predictions is None else predictions
        return load_cross_validation(named, None, systems, options)
    if kind == "values" and predictions is None and isinstance(data, Mapping):
        data, predictions = None, data
    if predictions is not None:
        if (truth, systems) != (None, None):
            raise InputError(ARRAYS_OR_COLUMNS)
        if not isinstance(predictions, Mapping):
            rule = "a mapping of names to predictions"
            raise invalid("predictions", rule, type(predictions).__name__)
        names = as_systems(list(predictions))
        named = dict(zip(names, predictions.values(), strict=True))
        if kind != "values":
            if "y_true" in named:
                raise invalid("predictions", "made of other names than 'y_true'", "y_true")
            named = {"y_true": data, **named}
        loaded = _read_arrays(kind, named, options, names).build(kind, categories)
    else:
        roles = _contest_roles(data, truth, systems)
        loaded = _read_tables(kind, data, truth, roles, options, {}).build(kind, categories)
        loaded = loaded.called(as_systems(loaded.systems))
    if not isinstance(loaded, PairedCounts):
        return loaded
    groups = {name: patterns_of(group) for name, group in loaded.groups.items()}
    return replace(patterns_of(loaded), groups=groups)


def load_pairs(
    kind: str,
    data: Any,
    truth: Any,
    systems: Sequence[Any] | None,
    layout: Mapping[str, Any],
    categories: Mapping[str, Any],
) -> tuple[dict[tuple[str, str], Data], dict[tuple[str, str], str]]:
    """Read every two systems on the items that both have, or say why they cannot be judged.

    Parameters
    ----------
    kind, data, truth, systems, layout, categories
        As in :func:`load_systems`; the layout has ``unmatched="pairs"``.
    """
    options = {name: value for name, value in layout.items() if value is not None}
    for name in ("by", "trained", *FOLD_OPTIONS):
        if name in options:
            raise invalid("unmatched", f"'raise' or 'drop' where {name}= is given", "pairs")
    roles = _contest_roles(data, truth, [systems] if isinstance(systems, str) else systems)
    observed = _read_tables(kind, data, truth, roles, options, {})
    n_systems = len(observed.columns) - (kind != "values")
    names = as_systems(observed.systems or default_names(n_systems))
    pairs, refused = replace(observed, systems=names).pairs(kind, categories)
    if not pairs:
        raise InputError(next(iter(refused.values())))
    return pairs, refused


def _load_copies(
    kind: str,
    data: Any,
    predictions: Mapping[str, Any] | None,
    truth: Any,
    systems: Sequence[Any] | None,
    options: Mapping[str, Any],
    categories: Mapping[str, Any],
) -> Data | None:
    """Read what copies of the systems predicted, out of fold or of several seeds, if these did."""
    if "fold" in options and predictions is not None:
        columns = {"y_true": data, **predictions, "fold": options["fold"]}
        refuse_estimators(columns)
        _check_index(columns)
        data, *answers, fold = map(_plain_column, columns.values())
        named = dict(zip(predictions, answers, strict=True))
        return load_out_of_fold(kind, None, data, named, {**options, "fold": fold}, categories)
    if "fold" in options and truth is not None:
        return load_out_of_fold(kind, data, truth, systems, options, categories)
    if "trained" in options:
        return load_trained(kind, data, truth, systems, options, categories)
    return None


def _contest_roles(data: Any, truth: Any, systems: Sequence[Any] | None) -> dict[str, Any] | None:
    """Give every system of a contest a role; None where they are to be found in the table."""
    if systems is not None and not isinstance(systems, Sequence):
        raise invalid("systems", "a list of columns", systems)
    if isinstance(data, (tuple, list)):
        if systems is None or len(systems) == 1:  # the same column of every table, or what it is
            systems = [*(systems or [None])] * len(data)
    elif systems is not None:
        as_systems(systems)
    if systems is None:
        return None
    if truth is not None and truth in systems:
        raise invalid("systems", "other columns than 'truth'", truth)
    return dict(zip(system_roles(len(systems)), systems, strict=True))


def load_rows(
    table: Any, truth: Any, systems: Sequence[Any], layout: Mapping[str, Any]
) -> Observed:
    """Read the documents of two systems one by one, with all other columns of theirs.

    Parameters
    ----------
    table, truth
        True labels and None, or a table or several, and the column of true labels.
    systems : sequence
        Both columns of predictions, or their names; in long format the names of the systems.
    layout : mapping
        As in :func:`load_pair`.
    """
    options = {name: value for name, value in layout.items() if value is not None}
    weight = options.pop("sample_weight", None)
    if truth is None:
        columns = dict(zip(("y_true", "y_pred_a", "y_pred_b"), (table, *systems), strict=True))
        observed = _read_arrays(DOCUMENTS, columns, options, None)
        return observed if weight is None else replace(observed, own={"sample_weight": weight})
    tables = table if isinstance(table, (tuple, list)) else (table,)
    if any(isinstance(t, str) and t == "-" for t in tables):
        raise InputError("What came in by stdin can be read once only: pass a file.")
    names = [options[role] for role in ("id", "item") if role in options]
    if isinstance(truth, str | int) and len(tables) == 1 and not set(LONG) & set(options):
        with ExitStack() as stack:
            names = list(open_table(table, stack.enter_context(database()), stack).names)
    own = {f"{OWN}{name}": name for name in names if isinstance(name, (str, int))}
    roles = dict(zip(("a", "b"), systems, strict=True))
    return _read_tables(DOCUMENTS, table, truth, roles, options, own)


# Arrays.


def _load_two_test_sets(a: Any, b: Any, categories: Mapping[str, Any]) -> Data:
    """Count the cells of two systems, each from its own (true labels, predictions)."""
    tables = []
    for name, pair in (("a", a), ("b", b)):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(
                "Pass the true labels and both columns of predictions, a table with the names of "
                f"its columns, or a=(truth, predictions) and b=(truth, predictions). {name} is a "
                f"{type(pair).__name__}."
            )
        columns = {f"the truth of {name}": pair[0], f"the predictions of {name}": pair[1]}
        refuse_estimators(columns)
        _check_index(columns)
        tables.append({label: _plain_column(values) for label, values in columns.items()})
    return count_two_test_sets(*tables, **categories)


def _read_arrays(
    kind: str,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    systems: tuple[str, ...] | None,
) -> Observed:
    """Take columns of one length: the truth if there is one, then any number of systems."""
    _check_kind(kind, options)
    refuse_estimators(columns)
    if not set(options) <= {"sample_weight", *EXTRA}:
        raise InputError(ARRAYS_OR_COLUMNS)
    extra = dict(options)
    weight = extra.pop("sample_weight", None)
    if isinstance(extra.get("denominator"), (list, tuple)) and np.ndim(extra["denominator"]) != 1:
        extra |= {f"denominator {k}": c for k, c in enumerate(extra.pop("denominator"))}
    _check_index({**columns, **({} if weight is None else {"sample_weight": weight}), **extra})
    plain = {name: _plain_column(values) for name, values in {**columns, **extra}.items()}
    observed = [values for name, values in columns.items() if name != "y_true"]
    noticed = notes.of_folds(notes.names_of(*columns.values()), kind)
    if kind == "values" and not noticed and np.ndim(observed[0]):
        noticed = notes.of_few_values(len(observed[0]))
    n = None if weight is None else check_weights(weight)
    if n is not None:
        noticed += notes.of_weights(len(n), int(n.sum()))
    return Observed(
        {name: plain[name] for name in columns},
        _builder_options(plain),
        n,
        source={"by": str(getattr(extra["by"], "name", None) or "group")} if "by" in extra else {},
        notes=noticed,
        systems=systems or _series_names(observed),
        by=plain.get("by"),
    )


def _builder_options(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of the rows, by the names that builders have for it."""
    options = {role: columns[role] for role in ("cluster", "dataset") if role in columns}
    denominators = [c for role, c in columns.items() if role.startswith("denominator")]
    return options | ({"denominators": denominators} if denominators else {})


def refuse_estimators(columns: Mapping[str, Any]) -> None:
    """Refuse estimators of scikit-learn where predictions are meant."""
    for name, values in columns.items():
        if hasattr(values, "fit") and hasattr(values, "predict"):
            raise InputError(
                f"{name} is an estimator ({type(values).__name__}), and not what it predicts: pass "
                "its predict(X_test), or for scores such as measure='auc' its "
                "predict_proba(X_test)[:, 1]."
            )


def _check_kind(kind: str, options: Mapping[str, Any]) -> None:
    """Refuse options that are about another kind of content, or that do not go together."""
    for role in NOT_WITH_GROUPS:
        if "by" in options and role in options:
            raise invalid("by", f"None where {role}= is given", options["by"])
    contents = {"scores": "scores, which are not averaged"}.get(kind, "labels")
    contents = "true and predicted numbers" if kind in NUMERIC else contents
    for role in EXTRA:
        if role in options and role not in ACCEPTED[kind]:
            raise invalid(role, f"None for {contents}", options[role])
    for role in FOLD_OPTIONS:
        if role in options:
            raise invalid(role, "None beside true labels: it is about scores", options[role])


def _series_names(columns: Sequence[Any]) -> tuple[str, ...] | None:
    """Name systems after their Series, where all have names of their own."""
    names = [getattr(values, "name", None) for values in columns]
    if not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        return None
    return tuple(str(name) for name in names)


def _check_index(columns: Mapping[str, Any]) -> None:
    """Refuse pandas columns whose indexes differ: by position they would be mixed up."""
    indexed = [(name, v) for name, v in columns.items() if isinstance(v, (pd.Series, pd.DataFrame))]
    for name, values in indexed[1:]:
        first, expected = indexed[0]
        index, known = values.index, expected.index
        if len(index) != len(known) or index.equals(known):
            continue  # columns of different lengths are refused later
        foreign = int((~index.isin(known)).sum())
        reason = f"{foreign:,} of its {len(index):,} labels are not in that of {first}"
        if not foreign:
            reason = f"it has the labels of {first} in another order"
        raise InputError(
            f"The index of {name} is not that of {first}: {reason}. Join them first, or pass "
            ".to_numpy() of each to compare by position."
        )


def _plain_column(values: Any) -> Any:
    """Unpack what Arrow and polars hold into lists, and a table of one column into that."""
    if isinstance(values, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(values)
        values = np.array(values, dtype=object)
        values[masked] = None
    if hasattr(values, "toarray") and getattr(values, "ndim", 2) == 1:
        return values.toarray()  # sparse, and yet no matrix
    if hasattr(values, "columns") and not isinstance(values, pd.DataFrame):
        try:
            frame = nw.from_native(values, eager_only=True)
        except TypeError:
            return values  # refused later
        values = pd.DataFrame(frame.to_dict(as_series=False))
    pandas_kinds = (pd.Series, pd.Index, pd.Categorical)
    for unpack in ("to_pylist", "to_list"):
        if hasattr(values, unpack) and not isinstance(values, pandas_kinds):
            return getattr(values, unpack)()
    kinds = (np.ndarray, pd.DataFrame, *pandas_kinds)
    if hasattr(values, "__array__") and not isinstance(values, kinds):
        values = np.asarray(values)  # of PyTorch, JAX, xarray ...
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == 1:
        return np.asarray(values)[:, 0]
    if isinstance(values, pd.DataFrame) and values.shape[1] == 1:
        return values.iloc[:, 0]
    return values


# Tables.


def _read_tables(
    kind: str,
    data: Any,
    truth: Any,
    systems: Mapping[str, Any] | None,
    options: Mapping[str, Any],
    own: Mapping[str, Any],
) -> Observed:
    """Read one table or several, in whatever layout; without systems these are found."""
    _check_kind(kind, options)
    if kind == "values" and truth is not None:
        raise invalid(TRUTH, "None for values, which need no true labels", truth)
    _check_stdin(data, truth)
    several = isinstance(data, (tuple, list))
    with ExitStack() as stack:
        connection = stack.enter_context(database())
        tables = [open_table(t, connection, stack) for t in (data if several else [data])]
        noticed: tuple[str, ...] = ()
        if systems is None:
            systems, noticed = _find_systems(kind, tables[0], truth, options)
        stack.enter_context(translate_errors(" and ".join(table.title for table in tables)))
        names = [name for table in tables for name in table.names]
        noticed += notes.of_folds([*names, *notes.names_of(*(data if several else [data]))], kind)
        noticed += tuple(note for table in tables for note in table.notes)
        extra = {**_extra_columns(options), **own}
        reader = TableReader(kind, tables, truth, systems, extra, options, connection, stack)
        observed = reader.read(joined=several or isinstance(truth, (tuple, list)))
    return replace(observed, notes=(*noticed, *observed.notes))


def _check_stdin(*tables: Any) -> None:
    """Refuse - for two tables: what comes in by stdin can be read once."""
    several = [[*table] if isinstance(table, (tuple, list)) else [table] for table in tables]
    if sum(isinstance(path, str) and path == "-" for paths in several for path in paths) > 1:
        raise invalid("table", "'-' for one table at most: stdin can be read once only", "-")


def _extra_columns(options: Mapping[str, Any]) -> dict[str, Any]:
    """Give every further column a role of its own; systems may have one denominator each."""
    extra = {role: options[role] for role in EXTRA if role in options}
    if isinstance(columns := extra.get("denominator"), (list, tuple)):
        del extra["denominator"]
        extra |= {f"denominator {k + 1}": name for k, name in enumerate(columns)}
    return extra


def _find_systems(
    kind: str, table: Table, truth: Any, options: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Name the systems of a contest: all in long format, else all columns but the others."""
    noticed: tuple[str, ...] = ()
    if "system" in options:
        systems = system_names(_side(table, {KEY: options.get("item"), SYSTEM: options["system"]}))
        return dict(zip(system_roles(len(systems)), systems, strict=True)), ()
    if truth is None and kind != "values":
        raise _say_which(TRUTH, table)
    used: list[Any] = []
    for name in (truth, *options.values()):
        used += name if isinstance(name, (tuple, list)) else [name]
    known = [name for name in used if isinstance(name, (str, int))]
    candidates = [name for name in table.names if name not in known]
    systems = [name for name in candidates if not notes.names_no_system(name)]
    skipped = [name for name in candidates if name not in systems]
    if kind == "values":
        _refuse_texts(table, systems)
        if skipped and "item" not in options:
            message = f"pass item={skipped[0]!r} if it names the items."
            noticed = (f"{skipped[0]} was not taken for a system: {message}",)
    return dict(zip(system_roles(len(systems)), systems, strict=True)), noticed


def _refuse_texts(table: Table, columns: Sequence[Any]) -> None:
    """Refuse columns of texts among the values, and say what they may be."""
    if len(set(table.names)) < len(table.names) or not columns:
        return
    first = fetch_objects(table.select({str(k): name for k, name in enumerate(columns)}).head(1))
    for k, name in enumerate(columns):
        for text in (x for x in first[str(k)] if isinstance(x, str)):
            number = pd.to_numeric(text, errors="coerce")
            if np.isnan(number) and text.lower() not in ("true", "false"):
                raise InputError(
                    f"{table.label(name)} holds texts such as {text!r}, and not values: pass "
                    f"item={name!r} if it names the items, or name the systems in systems=."
                )


def _check_names(columns: Mapping[str, Any]) -> None:
    """Check that every role is played by a column, and each by another."""
    for role, name in columns.items():
        _check_name(role, name)
    if len(set(columns.values())) < len(columns):
        names = ", ".join(map(repr, columns.values()))
        *first, last = columns
        raise InputError(f"{', '.join(first)} and {last} must be different columns, not {names}.")


def _check_name(role: str, name: Any, table: Table | None = None) -> None:
    if name is None:
        raise _say_which(role, table)
    if not isinstance(name, (str, int)):
        refuse_estimators({role: name})
        raise invalid(role, "the name of a column", type(name).__name__)


def _say_which(role: str, table: Table | None = None) -> InputError:
    """Ask for the column that plays a role, and list those of a file."""
    title = table.title if table is not None else "the table"
    option = "systems" if role.startswith("systems ") else role
    known = ""
    if table is not None and table.file:
        known = f" It has {', '.join(map(str, table.names[:20]))}."
    return InputError(f"Say which column of {title} is {role!r}: pass {option}=.{known}")


def _side(table: Table, columns: Mapping[str, Any], title: str = THE_TABLE) -> Side:
    """Pick columns of a table, under the names of the roles they play."""
    named = {role: name for role, name in columns.items() if name is not None}
    title = table.file or title
    suffix = "" if title == THE_TABLE else f" of {title}"
    labels = {role: f"{name}{suffix}" for role, name in named.items()}
    return Side(table, table.select(named), title, labels, table.backend)


@dataclass(frozen=True, eq=False)
class TableReader:
    """Tables that are open, and which of their columns plays which role.

    Attributes
    ----------
    kind : str
        What the columns of the systems hold.
    tables : list of Table
        One, or several that are joined.
    truth : object
        The column of true labels, or a table and its column.
    systems : mapping
        The column of every system, by role; in long format its name.
    extra : mapping
        Further columns, by role.
    options : mapping
        The options of the layout that are given.
    connection, stack
        As in :func:`stanoff.data.readers.open_table`.
    """

    kind: str
    tables: list[Table]
    truth: Any
    systems: Mapping[str, Any]
    extra: Mapping[str, Any]
    options: Mapping[str, Any]
    connection: duckdb.DuckDBPyConnection
    stack: ExitStack

    def read(self, *, joined: bool) -> Observed:
        """Read the columns in the layout that the options say."""
        long = any(name in self.options for name in LONG)
        values = self.kind == "values"
        if (long or joined or "item" in self.options) and "sample_weight" in self.options:
            rule = "None where tables are joined, since each of them may have another"
            raise invalid("sample_weight", rule, self.options["sample_weight"])
        if long or ("item" in self.options and not joined):
            return self.read_long() if long or not values else self.read_items()
        if joined:
            return self.read_joined()
        _check_names(self.roles)
        only_clusters = values and set(self.options) == set(self.extra) == {"cluster"}
        if only_clusters and count_rows(self.tables[0].frame) > MAX_ITEMS:
            return self.read_clusters()
        return self.read_wide()

    @property
    def roles(self) -> dict[str, Any]:
        """Truth and systems by role."""
        truth = {} if self.kind == "values" else {TRUTH: self.truth}
        return {**truth, **self.systems}

    @property
    def unmatched(self) -> str:
        """What is done with items that a system has not answered: of two, pairs are all."""
        choice = check_choice("unmatched", self.options.get("unmatched", "raise"), UNMATCHED)
        return "drop" if choice == "pairs" and len(self.systems) == 2 else choice

    # A wide table.

    def read_wide(self) -> Observed:
        """Read a table with a column per system: labels are counted where they are."""
        [table] = self.tables
        weight = "sample_weight" if "sample_weight" in self.options else None
        named = {role: self.options.get(role) for role in ("id", "sample_weight")}
        named = {role: name for role, name in named.items() if name is not None}
        wanted = {**self.roles, **self.extra, **named}
        for role, name in wanted.items():
            _check_name(role, name, table)
        matrices = self._class_columns() if self.kind == "scores" else {}
        single = {role: name for role, name in wanted.items() if role not in matrices}
        classes = {f"{r}\t{c}": name for r, of in matrices.items() for c, name in of.items()}
        columns = {role: name for role, name in single.items() if role not in named} | classes
        side = _side(table, {**single, **classes})
        labels = {role: table.label(name) for role, name in self.roles.items()}
        count = self.kind == "labels" and table.backend != "pandas"  # which is in memory anyway
        if count:
            self._refuse_scores(side)
        wide = Wide(
            side.frame,
            {role: {role: labels.get(role, role)} for role in columns},
            side.title,
            bool(table.file),
        )
        rows, left_out = self._read(wide, count=count, weight=weight, more_numbers=classes)
        if table.file and count:
            header = [wanted[role] for role in labels]
            if (rows[list(labels)].astype(str) == header).all(axis=1).any():
                raise InputError(f"{table.file} repeats its header among the rows.")
        read: dict[str, Any] = {role: rows[role] for role in columns if role not in classes}
        read |= _stack_classes(rows, matrices)
        n = rows[N].to_numpy(dtype=np.int64) if count or weight else None
        noticed = (*left_out, *self._repeats(len(rows) if n is None else int(n.sum())))
        if weight and n is not None:
            rows_given = int(rows["rows"].sum()) if count else len(n)
            noticed = (*notes.of_weights(rows_given, int(n.sum())), *noticed)
        return Observed(
            {label: read[role] for role, label in labels.items()},
            _builder_options(read),
            n,
            _own(read),
            {**table.source, **{role: str(name) for role, name in wanted.items()}},
            noticed,
            tuple(_system_name(name, role in matrices) for role, name in self.systems.items()),
            read.get("by"),
        )

    def _class_columns(self) -> dict[str, dict[str, str]]:
        """Find the columns that names ending in ``*`` stand for, by role and by class.

        ``svm_*`` are the columns svm_spam, svm_ham ...; a column that has such a name itself is
        meant by it.
        """
        [table] = self.tables
        matrices: dict[str, dict[str, str]] = {}
        for role, name in self.systems.items():
            if not isinstance(name, str) or not name.endswith("*") or name in table.names:
                continue
            start = name[:-1]
            columns = [c for c in table.names if isinstance(c, str) and c.startswith(start)]
            columns = [c for c in columns if c not in (start, self.truth)]
            if not columns:
                raise no_column(table.title, role, name, table.names)
            matrices[role] = {c.removeprefix(start): c for c in columns}
        return matrices

    def _repeats(self, rows: int) -> tuple[str, ...]:
        """Point out rows that are probably about the same document."""
        [table] = self.tables
        if "id" in self.options:
            return notes.of_repeated_ids(table, self.options["id"])
        if self.kind in ("scores", *NUMERIC) or self.extra or "sample_weight" in self.options:
            return ()
        if table.backend in REMOTE:  # only what is asked for is looked at
            return ()
        return notes.of_repeats(table, list(self.roles.values()), rows)

    # Tables that are joined, and tables with several rows per item.

    def read_joined(self) -> Observed:
        """Join tables by id: one per system, or one for all of them."""
        tables, systems = self.tables, list(self.systems)
        if len(tables) not in (1, len(systems)):
            raise invalid("table", f"one table, or {len(systems)}: one per system", len(tables))
        roles: list[dict[str, Any]] = [{} for _ in tables]
        for k, (role, name) in enumerate(self.systems.items()):
            index = k if len(tables) > 1 else 0
            roles[index][role] = _default_name(role, name, tables[index], "prediction")
        _check_different(systems, tables, roles)
        for role, name in self.extra.items():
            _find_shared(role, name, tables, roles)
        if isinstance(self.truth, (tuple, list)):
            tables, name = self._with_gold()
            roles.append({TRUTH: name})
        elif self.kind != "values":
            _find_shared(TRUTH, self.truth, tables, roles)
        ids = _id_columns(self.options.get("id"), tables)
        sides = [
            _side(table, {KEY: id, **columns}, f"table {number}")
            for number, (table, id, columns) in enumerate(zip(tables, ids, roles, strict=True), 1)
        ]
        wide = self._join(None, align(sides, self.connection))
        used = {role: name for columns in reversed(roles) for role, name in columns.items()}
        names = _name_systems([str(used[role]) for role in systems], tables)
        used["id"] = ", ".join(dict.fromkeys(map(str, ids)))
        return self._observe(wide, _source(tables, used), names)

    def read_long(self) -> Observed:
        """Turn a table that has a row per item and system to one row per item."""
        if {"prediction", "value"} <= set(self.options):
            raise invalid("value", "None where prediction= is given", self.options["value"])
        value = self.options.get("value", self.options.get("prediction"))
        named = {"item": self.options.get("item"), "system": self.options.get("system")}
        for role, name in {**named, "prediction": value}.items():
            _check_name(role, name)
        if "id" in self.options:
            raise invalid("id", "None where item= names the items", self.options["id"])
        if self.truth is None and self.kind in ("labels", DOCUMENTS):
            raise _say_which(TRUTH)
        tables, gold, truth = self.tables[:1], [], self.truth
        shared = {} if truth is None else {TRUTH: truth}
        if isinstance(truth, (tuple, list)):
            tables, truth = self._with_gold()
            gold, shared = [_side(tables[1], {KEY: named["item"], TRUTH: truth}, "table 2")], {}
        columns = {KEY: named["item"], SYSTEM: named["system"], VALUE: value, **shared}
        columns |= self.extra
        long, *gold = align([_side(tables[0], columns), *gold], self.connection)
        known = system_names(long)
        systems = resolve_systems(long, self.systems, known)
        denominators = [role for role in self.extra if role.startswith("denominator")]
        add = self.kind == "values"
        if add:
            long = as_numbers_in_engine(long, [VALUE, *denominators], self.connection)
        else:
            self._refuse_scores(long, (VALUE,))
        long = spread(long, systems, len(known), denominators, add=add)
        item, title = str(named["item"]), long.title
        members = [
            Member(f"have no value of {name}", item)
            if add
            else Member(f"have no row of system {name!r}", f"{item} in system {name!r} of {title}")
            for name in systems.values()
        ]
        sums = [f"denominator {role}" for role in systems if denominators]
        others = [role for role in (*shared, *self.extra) if role not in denominators]
        wide = group_by_item(long, [*systems, *sums], others, members, add=add)
        wide = self._join(wide, gold)
        used = {**named, "prediction": value, TRUTH: truth, **self.extra, **systems}
        names = tuple(str(name) for name in systems.values())
        return self._observe(wide, _source(tables, used), names, long)

    def read_items(self) -> Observed:
        """Read a wide table of values whose items are named: several rows of one are its runs."""
        _check_names(self.systems)
        if "id" in self.options:
            raise invalid("id", "None where item= names the items", self.options["id"])
        side = self._values_by(self.options["item"], self.extra)
        denominators = [role for role in self.extra if role.startswith("denominator")]
        shared = [role for role in self.extra if role not in denominators]
        members = [Member(f"have no value of {name}", "") for name in self.systems.values()]
        roles = [*self.systems, *denominators]
        wide = group_by_item(side, roles, shared, members, add=True)
        used = {"item": self.options["item"], **self.extra, **self.systems}
        names = tuple(str(name) for name in self.systems.values())
        return self._observe(wide, _source(self.tables, used), names, side)

    def read_clusters(self) -> Observed:
        """Add very many items up by cluster."""
        cluster = self.extra["cluster"]
        side = self._values_by(cluster, {})
        members = [Member(f"have no value of {name}", "") for name in self.systems.values()]
        wide = group_by_item(side, list(self.systems), [], members, add=True)
        n = count_rows(side.frame)
        rows, _ = self._read(wide, count=False)
        sizes = np.stack([rows[name].to_numpy(dtype=np.int64) for name in wide.counters])
        for role, size in zip(self.systems, sizes, strict=True):
            if lost := n - int(size.sum()):
                raise InputError(
                    f"{side.labels[role]} must have a number in every row, but {lost:,} of {n:,} "
                    "are missing."
                )
        rows[[*self.systems]] /= sizes.T
        means = {side.labels[role]: rows[role] for role in self.systems}
        source = _source(self.tables, {"cluster": cluster, **self.systems})
        names = tuple(str(name) for name in self.systems.values())
        extra = {"runs": sizes, "of_clusters": True}
        return Observed(means, extra, source=source, systems=names)

    def _values_by(self, item: Any, extra: Mapping[str, Any]) -> Side:
        """Pick the values of a wide table, as numbers, and the column by which they are added."""
        [table] = self.tables
        for role, name in {"item": item, **self.systems, **extra}.items():
            _check_name(role, name, table)
        [side] = align([_side(table, {KEY: item, **self.systems, **extra})], self.connection)
        numbers = [*self.systems, *(role for role in extra if role.startswith("denominator"))]
        return as_numbers_in_engine(side, numbers, self.connection)

    def _with_gold(self) -> tuple[list[Table], Any]:
        """Open the table of true labels, and name its column."""
        if len(self.truth) != 2:
            raise invalid(TRUTH, "the name of a column, or a table and its column", self.truth)
        table, name = self.truth
        return [*self.tables, open_table(table, self.connection, self.stack)], name

    def _join(self, wide: Wide | None, sides: Sequence[Side]) -> Any:
        for side in sides:
            self._refuse_scores(side)
            wide = join(wide, side)
        return wide

    def _refuse_scores(self, side: Side, columns: Sequence[str] = ()) -> None:
        """Refuse columns of scores by their first rows, before all of them come as labels."""
        if self.kind != "labels":
            return
        schema, texts = side.frame.collect_schema(), bool(side.table.file)
        doubtful = [
            name
            for name in (*columns, TRUTH, *self.systems)
            if name in schema and (schema[name].is_float() or (texts and schema[name] == nw.String))
        ]
        if not doubtful:
            return
        first = fetch_objects(side.frame.select(*doubtful).head(FIRST_ROWS))
        for column in doubtful:
            values = first[column].dropna()
            refuse_scores(side.labels[column], dict.fromkeys(values), rows=len(values))

    def _read(
        self, wide: Wide, *, count: bool, weight: str | None = None, more_numbers: Any = ()
    ) -> tuple[pd.DataFrame, tuple[str, ...]]:
        """Read a wide frame; scores and values are numbers, all else are labels."""
        systems = [role for role in wide.columns if role in self.systems]
        numbers = [*systems, *more_numbers] if self.kind in ("scores", "values", *NUMERIC) else []
        numbers += [TRUTH] if self.kind in NUMERIC and TRUTH in wide.columns else []
        labels = [r for r in (TRUTH, *systems) if r in wide.columns and r not in numbers]
        return read_wide(
            wide,
            labels,
            numbers,
            systems=systems,
            count=count,
            unmatched=self.unmatched,
            weight=weight,
        )

    def _observe(
        self,
        wide: Wide,
        source: Mapping[str, str],
        names: tuple[str, ...] | None,
        side: Side | None = None,
    ) -> Observed:
        """Read items: labels are counted, scores and values come one by one."""
        count = self.kind == "labels"
        rows, noticed = self._read(wide, count=count)
        extra: dict[str, Any] = {} if self.kind != "values" else {KEY + "s": rows[KEY].to_numpy()}
        systems = list(self.systems)
        if wide.runs and side is not None:
            runs = np.stack([rows[name].to_numpy(dtype=np.int64) for name in wide.counters])
            if runs.max() > 1:
                extra |= {"runs": runs, "scatter": sum_squares(side, rows, systems)}
                rows[systems] = rows[systems] / runs.T
        columns: dict[str, Any] = {role: rows[role].to_numpy() for role in wide.columns}
        ordered = [role for role in (TRUTH, *systems) if role in columns]
        return Observed(
            {next(iter(wide.columns[role].values())): columns[role] for role in ordered},
            extra | _builder_options(columns),
            rows[N].to_numpy(dtype=np.int64) if count else None,
            _own(columns),
            source,
            noticed,
            names,
            columns.get("by"),
        )


def _own(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that only a program of the user's asks for."""
    return {r.removeprefix(OWN): c for r, c in columns.items() if r.startswith(OWN)}


def _system_name(name: Any, several: bool) -> str:
    return (str(name).rstrip("*_.- ") or str(name)) if several else str(name)


def _stack_classes(
    rows: pd.DataFrame, matrices: Mapping[str, Mapping[str, str]]
) -> dict[str, pd.DataFrame]:
    """Put the columns of each system together, in the same order of classes."""
    if not matrices:
        return {}
    order = list(next(iter(matrices.values())))
    used = list(dict.fromkeys(rows[TRUTH].tolist()))
    stacked = {}
    for role, classes in matrices.items():
        if set(classes) != set(order):
            odd = ", ".join(sorted(set(classes) ^ set(order)))
            raise InputError(f"All systems must have columns of the same classes, but not {odd}.")
        matrix = rows[[f"{role}\t{name}" for name in order]]
        stacked[role] = matrix.set_axis([match_label(name, used) for name in order], axis=1)
    return stacked


def _default_name(role: str, name: Any, table: Table, default: str) -> Any:
    column = table.defaults.get(default) if name is None else name
    _check_name(role, column, table)
    return column


def _check_different(
    systems: Sequence[str], tables: Sequence[Table], roles: Sequence[Mapping[str, Any]]
) -> None:
    """Refuse one column of one file for two systems."""
    known: dict[tuple[Any, Any], str] = {}
    for k, (table, columns) in enumerate(zip(tables, roles, strict=True)):
        file = Path(table.file).resolve() if table.file else k
        for role in systems:
            if role not in columns:
                continue
            if other := known.get((file, columns[role])):
                label = table.label(columns[role])
                raise InputError(f"{other} and {role} must be different columns, not both {label}.")
            known[file, columns[role]] = role


def _find_shared(
    role: str, column: Any, tables: Sequence[Table], roles: Sequence[dict[str, Any]]
) -> None:
    """Take the truth, or what else is known of a document, from every table that has it."""
    for table, columns in zip(tables, roles, strict=True):
        name = table.defaults.get(role) if column is None else column
        if name is not None and name in table.names:
            columns[role] = name
    if any(role in columns for columns in roles):
        return
    if column is None:
        raise InputError(f"Say which column is {role!r}: pass {role}=.")
    known = dict.fromkeys(str(name) for table in tables for name in table.names)
    raise no_column(" or ".join(table.title for table in tables), role, column, known)


def _id_columns(id: Any, tables: Sequence[Table]) -> list[Any]:
    """Name the column of ids in every table."""
    if isinstance(id, (list, tuple)):
        if len(id) != len(tables):
            raise invalid("id", f"one name, or {len(tables)}: one per table", id)
        return list(id)
    return [_default_name("id", id, table, "id") for table in tables]


def _source(tables: Sequence[Table], used: Mapping[str, Any]) -> dict[str, str]:
    """Say which files and which columns were read."""
    files = [table.source["file"] for table in tables if "file" in table.source]
    dates = [table.source["modified"] for table in tables if "modified" in table.source]
    source = {"file": ", ".join(dict.fromkeys(files))} if files else {}
    source |= {"modified": max(dates)} if dates else {}
    return source | {role: str(name) for role, name in used.items() if name is not None}


def _name_systems(columns: Sequence[str], tables: Sequence[Table]) -> tuple[str, ...] | None:
    """Name systems after their columns or, if these are the same, their files or folders."""
    paths = [Path(table.file) for table in tables[: len(columns)]]
    stems = [path.name.partition(".")[0] for path in paths]
    folders = [path.resolve().parent.name for path in paths]
    for names in (columns, stems, folders):
        if len(set(names)) == len(columns) and all(names):
            return tuple(names)
    return None
