"""What the user has, as data: arrays, a wide or long table, several tables, two test sets.

What is read are columns (:mod:`stanoff.data.tables` reads those of tables), of which
:class:`stanoff.data.observed.Observed` makes data, by what they hold.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Unpack

import narwhals as nw
import numpy as np
import pandas as pd

from stanoff._lib.arguments import as_names, as_systems, check_choice
from stanoff.data import notes, types
from stanoff.data.counting import check_weights, count_two_test_sets, is_matrix, n_rows, read_labels
from stanoff.data.folds import FOLD_OPTIONS, is_cross_validation, load_cross_validation
from stanoff.data.observed import DOCUMENTS, EXTRA, OWN, Observed, builder_options, check_kind
from stanoff.data.pivot import TRUTH
from stanoff.data.readers import database, open_table, refuse_estimators
from stanoff.data.scores import NUMERIC
from stanoff.data.tables import LONG, read_tables
from stanoff.data.trained import load_out_of_fold, load_trained
from stanoff.data.types import AVERAGES, Data, PairedCounts
from stanoff.errors import InputError, invalid
from stanoff.options import DATA, DataOptions, spell_out

FROM_A_TO_B = np.array([["wrong to wrong", "wrong to right"], ["right to wrong", "right to right"]])
NOT_KEPT = ("trained", "fold")  # rows of these layouts are no documents

KINDS = ("labels", "scores", "values", *NUMERIC)  # that a caller may name
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
    data, first, second = arrays
    options, roles = _present(layout), {role: columns[role] for role in ("a", "b")}
    predictions, names = None, None
    if kind == "values" and first is not None:
        if second is not None:
            raise InputError("Pass two arrays of values: those of A and those of B.")
        names = series_names([data, first]) or ("A", "B")
        data, predictions = None, dict(zip(names, (data, first), strict=True))
    elif second is not None:
        names = series_names([first, second]) or ("A", "B")
        predictions = {"y_pred_a": first, "y_pred_b": second}
    elif first is not None:
        raise InputError(TWO_ARRAYS)
    elif data is None:
        return _load_two_test_sets(kind, columns["a"], columns["b"], options, categories)
    if predictions is not None and own_columns:
        name, column = next(iter(own_columns.items()))
        raise invalid(f"data.{name}", "numbers where no table has columns", column)
    kind = DOCUMENTS if documents and kind == "labels" else kind
    pair = [*roles.values()] if _present(roles) else None
    own = {f"{OWN}{name}": column for name, column in (own_columns or {}).items()}
    truth = columns[TRUTH]
    loaded = _load(kind, data, predictions, truth, pair, {**roles, **own}, options, categories)
    if len(loaded.systems) != 2:
        raise InputError(f"Two are compared, and there are {len(loaded.systems)}: pass a=, b=.")
    return loaded.called(as_names(names or loaded.systems))


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
    options = _present(layout)
    systems = [systems] if isinstance(systems, str) else systems
    if kind == "values" and (predictions is not None or isinstance(data, Mapping)):
        data, predictions = None, data if predictions is None else predictions
    if predictions is not None and not isinstance(predictions, Mapping):
        rule = "a mapping of names to predictions"
        raise invalid("predictions", rule, type(predictions).__name__)
    names = None
    folds = kind == "values" and is_cross_validation([predictions], options)
    if predictions is not None and not folds:  # scores of folds name the systems themselves
        names = as_systems(list(predictions))
        if "y_true" in names:
            raise invalid("predictions", "made of other names than 'y_true'", "y_true")
        predictions = dict(zip(names, predictions.values(), strict=True))
    roles = _contest_roles(data, truth, systems)
    loaded = _load(kind, data, predictions, truth, systems, roles, options, categories)
    loaded = loaded.called(as_systems(names or loaded.systems))
    if not isinstance(loaded, PairedCounts):
        return loaded
    groups = {name: types.patterns_of(group) for name, group in loaded.groups.items()}
    return replace(types.patterns_of(loaded), groups=groups)


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
    options = _present(layout)
    for name in ("by", "trained", *FOLD_OPTIONS):
        if name in options:
            raise invalid("unmatched", f"'raise' or 'drop' where {name}= is given", "pairs")
    roles = _contest_roles(data, truth, [systems] if isinstance(systems, str) else systems)
    observed = read_tables(kind, data, truth, roles, options)
    n_systems = len(observed.columns) - (kind != "values")
    names = as_systems(observed.systems or types.default_names(n_systems))
    pairs, refused = replace(observed, systems=names).pairs(kind, categories)
    if not pairs:
        raise InputError(next(iter(refused.values())))
    return pairs, refused


def _present(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are given."""
    return {name: value for name, value in options.items() if value is not None}


def _load(
    kind: str,
    data: Any,
    predictions: Mapping[str, Any] | None,
    truth: Any,
    systems: Sequence[Any] | None,
    roles: Mapping[str, Any] | None,
    options: Mapping[str, Any],
    categories: Mapping[str, Any],
) -> Data:
    """Read arrays or tables: what systems predicted, or copies of them of other folds or seeds."""
    if kind == "values" and "trained" not in options:
        named = data if predictions is None else predictions
        if is_cross_validation([named], options):
            return load_cross_validation(named, systems, options)
    elif "fold" in options and predictions is not None:
        columns = {"y_true": data, **predictions, "fold": options["fold"]}
        check_arrays(columns)
        data, *answers, fold = map(plain_column, columns.values())
        answers_by_name = dict(zip(predictions, answers, strict=True))
        options = {**options, "fold": fold}
        return load_out_of_fold(kind, None, data, answers_by_name, options, categories)
    elif "fold" in options and truth is not None:
        return load_out_of_fold(kind, data, truth, systems, options, categories)
    elif "trained" in options:
        return load_trained(kind, data, truth, systems, options, categories)
    if predictions is None:
        return read_tables(kind, data, truth, roles, options).build(kind, categories)
    if truth is not None or systems is not None:
        raise InputError(ARRAYS_OR_COLUMNS)
    columns = {**({} if kind == "values" else {"y_true": data}), **predictions}
    return read_arrays(kind, columns, options).build(kind, categories)


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
    return dict(zip(types.system_roles(len(systems)), systems, strict=True))


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
    options = _present(layout)
    weight = options.pop("sample_weight", None)
    if truth is None:
        columns = dict(zip(("y_true", "y_pred_a", "y_pred_b"), (table, *systems), strict=True))
        observed = read_arrays(DOCUMENTS, columns, options)
        return observed if weight is None else replace(observed, own={"sample_weight": weight})
    tables = table if isinstance(table, (tuple, list)) else (table,)
    if any(isinstance(path, str) and path == "-" for path in tables):
        raise InputError("What came in by stdin can be read once only: pass a file.")
    names = [options[role] for role in ("id", "item") if role in options]
    if isinstance(truth, str | int) and len(tables) == 1 and not set(LONG) & set(options):
        with ExitStack() as stack:
            names = list(open_table(table, stack.enter_context(database()), stack).names)
    own = {f"{OWN}{name}": name for name in names if isinstance(name, (str, int))}
    roles = dict(zip(("a", "b"), systems, strict=True))
    return read_tables(DOCUMENTS, table, truth, {**roles, **own}, options)


# Arrays.


def _load_two_test_sets(
    kind: str, a: Any, b: Any, options: Mapping[str, Any], categories: Mapping[str, Any]
) -> Data:
    """Count the cells of two systems, each from its own (true labels, predictions)."""
    for name, value in options.items():
        raise invalid(name, "None for two test sets", value)
    if kind != "labels":
        raise InputError(f"Two test sets are compared by labels, and not by {kind}.")
    tables = []
    for name, pair in (("a", a), ("b", b)):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(
                "Pass the true labels and both columns of predictions, a table with the names of "
                f"its columns, or a=(truth, predictions) and b=(truth, predictions). {name} is a "
                f"{type(pair).__name__}."
            )
        columns = {f"the truth of {name}": pair[0], f"the predictions of {name}": pair[1]}
        check_arrays(columns)
        tables.append({label: plain_column(values) for label, values in columns.items()})
    return count_two_test_sets(*tables, **categories)


def read_arrays(kind: str, columns: Mapping[str, Any], options: Mapping[str, Any]) -> Observed:
    """Take columns of one length: the truth if there is one, then any number of systems."""
    check_kind(kind, options)
    if not set(options) <= {"sample_weight", *EXTRA}:
        raise InputError(ARRAYS_OR_COLUMNS)
    extra = dict(options)
    weight = extra.pop("sample_weight", None)
    if isinstance(extra.get("denominator"), (list, tuple)) and np.ndim(extra["denominator"]) != 1:
        extra |= {f"denominator {k}": c for k, c in enumerate(extra.pop("denominator"))}
    check_arrays({**columns, **_present({"sample_weight": weight}), **extra})
    plain = {name: plain_column(values) for name, values in {**columns, **extra}.items()}
    observed = [values for name, values in columns.items() if name != "y_true"]
    noticed = notes.of_folds(notes.names_of(*columns.values()), kind)
    if kind == "values" and not noticed and np.ndim(observed[0]):
        noticed = notes.of_few_values(len(observed[0]))
    n = None if weight is None else check_weights(weight)
    if n is not None:
        noticed += notes.of_weights(len(n), int(n.sum()))
    return Observed(
        {name: plain[name] for name in columns},
        builder_options(plain),
        n,
        source={"by": str(getattr(extra["by"], "name", None) or "group")} if "by" in extra else {},
        notes=noticed,
        systems=series_names(observed),
        by=plain.get("by"),
    )


def series_names(columns: Sequence[Any]) -> tuple[str, ...] | None:
    """Name systems after their Series, where all have names of their own."""
    names = [getattr(values, "name", None) for values in columns]
    if not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        return None
    return tuple(str(name) for name in names)


def check_arrays(columns: Mapping[str, Any]) -> None:
    """Refuse estimators, and pandas columns whose indexes differ: they would be mixed up."""
    refuse_estimators(columns)
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


def plain_column(values: Any) -> Any:
    """Unpack what Arrow and polars hold into lists, and a table of one column into that."""
    if isinstance(values, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(values), np.array(None), values.data)
    if hasattr(values, "toarray") and getattr(values, "ndim", 2) == 1:
        return values.toarray()  # sparse, and yet no matrix
    if isinstance(values, (pd.Series, pd.Index, pd.Categorical)):
        return values
    if hasattr(values, "columns") and not isinstance(values, pd.DataFrame):
        try:
            frame = nw.from_native(values, eager_only=True)
        except TypeError:
            return values  # refused later
        values = pd.DataFrame(frame.to_dict(as_series=False))
    for unpack in ("to_pylist", "to_list"):
        if hasattr(values, unpack):
            return getattr(values, unpack)()
    if hasattr(values, "__array__") and not isinstance(values, pd.DataFrame):
        values = np.asarray(values)  # of PyTorch, JAX, xarray ...
    if isinstance(values, (np.ndarray, pd.DataFrame)) and values.shape[1:] == (1,):
        return values[:, 0] if isinstance(values, np.ndarray) else values.iloc[:, 0]
    return values


@dataclass(frozen=True, eq=False)
class Rows:
    """What was given to be compared; nothing of it is copied.

    Attributes
    ----------
    table : object
        The true labels, or the table or tables that have them.
    truth : object
        The column of true labels; None where ``table`` has the labels themselves.
    systems : mapping
        The predictions of every system, or their columns, by its name in the result.
    layout, categories : mapping
        As in :func:`stanoff.data.load.load_pair`.
    """

    table: Any
    truth: Any
    systems: Mapping[str, Any]
    layout: Mapping[str, Any]
    categories: Mapping[str, Any]

    def disagreements(self, a: str, b: str, categories: Collection[str]) -> pd.DataFrame:
        """Return the documents that two systems label differently, with all columns of theirs.

        Parameters
        ----------
        a, b : str
            The names of the systems.
        categories : collection of str
            The categories whose labels are compared.
        """
        for name in NOT_KEPT:
            if self.layout.get(name) is not None:
                raise InputError(f"Documents are not listed where {name}= is given.")
        index = [list(self.systems).index(name) for name in (a, b)]
        table = self.table
        if isinstance(table, (tuple, list)) and self.truth is not None:
            tables_of_systems = len(table) == len(self.systems)
            table = tuple(table[i] for i in index) if tables_of_systems else table
        columns = [self.systems[a], self.systems[b]]
        observed = load_rows(table, self.truth, columns, self.layout)
        known, pairs = read_labels(observed.columns, self.categories.get("labels"))
        judged = [str(label) in categories for label in known]
        # One number for every label of every document: what is in one column alone differs.
        truth, *predicted = (
            (rows * len(known) + codes)[np.take(judged, codes)] for rows, codes in pairs
        )
        differ = np.unique(np.setxor1d(*predicted) // len(known))
        wrong = [np.setxor1d(labels, truth) // len(known) for labels in predicted]
        right = [(~np.isin(differ, rows)).astype(int) for rows in wrong]
        taken = [self.truth, *columns] if self.truth is not None else []
        listed = {
            name: np.asarray(values)[differ]
            for name, values in observed.own.items()
            if name not in map(str, taken)
        }
        for name, values, (rows, codes) in zip(
            ("truth", a, b), observed.columns.values(), pairs, strict=True
        ):
            if is_matrix(values):  # the names of the columns that are 1
                lists = pd.Series([known[code] for code in codes]).groupby(rows).agg(list)
                listed[name] = [lists.get(row, []) for row in differ]
            else:
                listed[name] = pd.Series(list(values), dtype=object).to_numpy()[differ]
        labels = self._labels(n_rows(next(iter(observed.columns.values()))), differ)
        return pd.DataFrame(listed, index=labels).assign(change=FROM_A_TO_B[right[0], right[1]])

    def _labels(self, n: int, positions: np.ndarray[Any, Any]) -> Any:
        """Return the user's own index where there is one, else the numbers of the rows."""
        index = getattr(self.table, "index", None)
        return index[positions] if isinstance(index, pd.Index) and len(index) == n else positions
