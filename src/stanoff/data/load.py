"""What the user has, as data: arrays, a wide or long table, several tables, two test sets.

Options become roles (truth, systems, cluster ...), roles become columns, columns become one typed
table (labels, scores, values per item), and that becomes data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd

from stanoff._lib.arguments import as_names, as_systems, check_choice
from stanoff.data import notes
from stanoff.data.counting import (
    LabelTable,
    check_weights,
    count_documents,
    count_labels,
    count_two_test_sets,
    match_label,
    missing_rows,
    parse_columns,
    refuse_scores,
)
from stanoff.data.items import ItemTable, as_numbers, build_items
from stanoff.data.pivot import (
    RUNS,
    SYSTEM,
    UNMATCHED,
    VALUE,
    JoinTable,
    Wide,
    as_numbers_in_engine,
    count_wide,
    fetch_wide,
    join_gold,
    join_tables,
    list_ids,
    pivot,
    resolve_systems,
    sum_by_item,
    system_names,
)
from stanoff.data.readers import (
    Frame,
    Table,
    count_rows,
    database,
    fetch,
    fetch_objects,
    first_missing,
    materialize,
    open_table,
    to_duckdb,
    translate_errors,
    value_counts,
)
from stanoff.data.scores import ScoreTable, build_scores
from stanoff.data.types import AVERAGES, Counts, Data, PairedCounts, patterns_of, system_roles
from stanoff.errors import InputError, invalid, no_column

KINDS = ("labels", "scores", "values")
TRUTH = "truth"
EXTRA = ("cluster", "dataset", "denominator")  # columns that say more of a row
DOCUMENTS = "documents"  # labels that are kept document by document
OWN = "data."  # how the roles of columns begin that only the user's program knows
ACCEPTED = {"labels": (), DOCUMENTS: (), "scores": ("cluster",), "values": EXTRA}
LONG = ("item", "system", "prediction", "value")
ON_UNMATCHED = ("raise", "drop")
FIRST_ROWS = 10_000  # enough to tell scores from labels
MAX_ITEMS = 1_000_000  # that are kept one by one where they are in clusters
REMOTE = ("dask", "pyspark", "pyspark_connect", "pyspark[connect]")  # maybe on other machines
ARRAYS_OR_COLUMNS = "Pass predictions as arrays or as names of columns, not both."


class Layout(TypedDict, total=False):
    """How data are laid out in tables; :func:`stanoff.compare` explains the options."""

    id: Any
    item: Any
    system: Any
    prediction: Any
    value: Any
    cluster: Any
    dataset: Any
    denominator: Any
    unmatched: str | None
    sample_weight: Any


@dataclass(frozen=True, eq=False)
class RoleColumns:
    """Columns by the roles they play, before it is known what they hold.

    Attributes
    ----------
    columns : mapping
        ``truth`` if there is one, every system, ``cluster`` ...
    labels : mapping
        What an error shall call truth and systems.
    n, from_file, source, notes, systems
        As in :class:`stanoff.data.counting.LabelTable`.
    """

    columns: Mapping[str, Any]
    labels: Mapping[str, str]
    n: Counts | None = None
    from_file: bool = False
    source: Mapping[str, str] | None = None
    notes: tuple[str, ...] = ()
    systems: tuple[str, ...] | None = None

    def build(self, kind: str, categories: Mapping[str, Any]) -> Data:
        """Make data of the columns, by what they hold; columns of the user's own stay with them."""
        own = {
            role.removeprefix(OWN): as_numbers(role.removeprefix(OWN), values)
            for role, values in self.columns.items()
            if role.startswith(OWN)
        }
        if self.n is not None:
            own = {name: np.repeat(values, self.n) for name, values in own.items()}
        return replace(self._build(kind, categories), columns=own)

    def _build(self, kind: str, categories: Mapping[str, Any]) -> Data:
        named = {label: self.columns[role] for role, label in self.labels.items()}
        facts: dict[str, Any] = {
            "source": self.source or {},
            "notes": self.notes,
            "systems": self.systems,
        }
        if kind == "labels":
            return count_labels(LabelTable(named, self.n, self.from_file, **facts), **categories)
        if kind == DOCUMENTS:
            if self.from_file:
                named = dict(zip(named, parse_columns(list(named.values())), strict=True))
            return count_documents(LabelTable(named, self.n, self.from_file, **facts), **categories)
        cluster = self.columns.get("cluster")
        if kind == "scores":
            table = ScoreTable(named, self.n, self.from_file, cluster=cluster, **facts)
            return build_scores(table, **categories)
        _refuse_categories(categories)
        if self.n is not None:
            raise InputError("sample_weight is about labels: give every item a row of its own.")
        denominators = [c for role, c in self.columns.items() if role.startswith("denominator")]
        ids = self.columns.get("id")
        dataset = self.columns.get("dataset")
        return build_items(
            ItemTable(
                named, ids, cluster=cluster, dataset=dataset, denominators=denominators, **facts
            )
        )


def _refuse_categories(categories: Mapping[str, Any]) -> None:
    for name, value in categories.items():
        if value is not None:
            raise invalid(name, "None for values, which have no labels", value)


def count(
    table: Any = None,
    y_pred_a: Any = None,
    y_pred_b: Any = None,
    *,
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    average: str | None = None,
    names: tuple[str, str] | None = None,
    kind: str = "labels",
    id: Any = None,
    unmatched: str | None = None,
    item: Any = None,
    system: Any = None,
    prediction: Any = None,
    value: Any = None,
    cluster: Any = None,
    dataset: Any = None,
    denominator: Any = None,
    sample_weight: Any = None,
) -> Data:
    """Count what two systems predicted, without fitting anything.

    The counts are what :func:`stanoff.compare` would fit a model to, and what the tests in
    ``stanoff.significance`` take.

    Parameters
    ----------
    table, y_pred_a, y_pred_b, truth, a, b, pos_label, labels, average, names
        As in :func:`stanoff.compare`.
    kind : str
        ``"scores"`` to gather scores instead of counting labels, or ``"values"``.
    id, unmatched, item, system, prediction, value, cluster, dataset, denominator, sample_weight
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
    options = locals()
    if average is not None:
        check_choice("average", average, AVERAGES)
    observed = load_pair(
        check_choice("kind", kind, KINDS),
        (table, y_pred_a, y_pred_b),
        {TRUTH: truth, "a": a, "b": b},
        {name: options[name] for name in Layout.__annotations__},
        {"pos_label": pos_label, "labels": labels, "average": average},
    )
    return observed if names is None else replace(observed, systems=as_names(names))


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
        The options of :class:`Layout`.
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
    if data is None:
        if options:
            name, value = next(iter(options.items()))
            raise invalid(name, "None for two test sets", value)
        if kind != "labels":
            raise InputError(f"Two test sets are compared by labels, and not by {kind}.")
        return _load_two_test_sets(columns["a"], columns["b"], categories)
    if y_pred_a is None and y_pred_b is None:
        own = {f"{OWN}{name}": column for name, column in (own_columns or {}).items()}
        loaded = _load(kind, data, columns, options, categories, own=own)
    else:
        if own_columns:
            name, column = next(iter(own_columns.items()))
            raise invalid(f"data.{name}", "numbers where no table has columns", column)
        if any(name is not None for name in columns.values()):
            raise InputError(ARRAYS_OR_COLUMNS)
        named = {"y_true": data, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
        if kind == "values":
            if y_pred_a is None or y_pred_b is not None:
                raise InputError("Pass two arrays of values: those of A and those of B.")
            named = {"A": data, "B": y_pred_a}
        loaded = _from_arrays(kind, named, options, None).build(kind, categories)
    return replace(loaded, systems=as_names(loaded.systems))


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
    if isinstance(systems, str):
        systems = [systems]
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
        loaded = _from_arrays(kind, named, options, names).build(kind, categories)
    else:
        loaded = _load_contest(kind, data, truth, systems, options, categories)
    return patterns_of(loaded) if isinstance(loaded, PairedCounts) else loaded


def _load_contest(
    kind: str,
    data: Any,
    truth: Any,
    systems: Sequence[Any] | None,
    options: dict[str, Any],
    categories: Mapping[str, Any],
) -> Data:
    """Read the systems of a contest from tables; they are found where they are not named."""
    several = isinstance(data, (tuple, list))
    if systems is not None and several and len(systems) == 1:
        systems = [*systems] * len(data)  # the same column of every table
    if systems is None and several:
        systems = [None] * len(data)  # each table says which column it is
    if systems is not None and not several:
        as_systems(systems)
    if systems is not None and truth in systems:
        raise invalid("systems", "other columns than 'truth'", truth)
    columns = None
    if systems is not None:
        columns = {TRUTH: truth, **dict(zip(system_roles(len(systems)), systems, strict=True))}
    loaded = _load(kind, data, columns, options, categories, truth=truth)
    return replace(loaded, systems=as_systems(loaded.systems))


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
        _check_index(columns)
        tables.append({label: _plain_column(values) for label, values in columns.items()})
    return count_two_test_sets(*tables, **categories)


def _from_arrays(
    kind: str,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    systems: tuple[str, ...] | None,
) -> RoleColumns:
    """Take columns of one length: the truth if there is one, then any number of systems."""
    if not set(options) <= {"sample_weight", *ACCEPTED[kind]}:
        _check_kind(kind, options)
        raise InputError(ARRAYS_OR_COLUMNS)
    extra = dict(options)
    weight = extra.pop("sample_weight", None)
    if isinstance(extra.get("denominator"), (list, tuple)) and np.ndim(extra["denominator"]) != 1:
        extra |= {f"denominator {k}": c for k, c in enumerate(extra.pop("denominator"))}
    weighted = {} if weight is None else {"sample_weight": weight}
    _check_index({**columns, **weighted, **extra})
    plain = {name: _plain_column(values) for name, values in {**columns, **extra}.items()}
    labels = {name: name for name in columns}
    observed = [values for name, values in columns.items() if name != "y_true"]
    noticed = notes.of_folds((getattr(v, "name", "") for v in columns.values()), kind)
    if kind == "values" and not noticed and np.ndim(observed[0]):
        noticed = notes.of_few_values(len(observed[0]))
    n = None
    if weighted:
        n = check_weights(weight)
        noticed += notes.of_weights(len(n), int(n.sum()))
    names = systems or _series_names(observed)
    return RoleColumns(plain, labels, n, notes=noticed, systems=names)


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


@dataclass(frozen=True, eq=False)
class _Request:
    """What is asked for of tables: the kind of content, the columns, the layout."""

    kind: str
    columns: Mapping[str, Any]  # truth and systems by role
    options: Mapping[str, Any]
    extra: Mapping[str, Any]  # further columns by role

    @property
    def systems(self) -> dict[str, Any]:
        return {role: name for role, name in self.columns.items() if role != TRUTH}

    @property
    def truth(self) -> Any:
        return self.columns.get(TRUTH)

    @property
    def drop(self) -> bool:
        choice = self.options.get("unmatched", "raise")
        return check_choice("unmatched", choice, ON_UNMATCHED) == "drop"

    @property
    def value(self) -> Any:
        return self.options.get("value", self.options.get("prediction"))


def _load(
    kind: str,
    data: Any,
    columns: Mapping[str, Any] | None,
    options: Mapping[str, Any],
    categories: Mapping[str, Any],
    truth: Any = None,
    own: Mapping[str, Any] | None = None,
) -> Data:
    """Read one table or several, in whatever layout; without columns the systems are found."""
    _check_kind(kind, options)
    if columns is not None:
        truth = columns.get(TRUTH)
    if kind == "values" and truth is not None:
        raise invalid(TRUTH, "None for values, which need no true labels", truth)
    _check_stdin(data, truth)
    with ExitStack() as stack:
        connection = stack.enter_context(database())
        several = isinstance(data, (tuple, list))
        tables = [open_table(t, connection, stack) for t in (data if several else [data])]
        noticed: tuple[str, ...] = ()
        if columns is None:
            columns, noticed = _find_systems(kind, tables[0], truth, options)
        if kind == "values":
            columns = {role: name for role, name in columns.items() if role != TRUTH}
        extra = {**_extra_columns(options), **(own or {})}
        request = _Request(kind, columns, options, extra)
        stack.enter_context(translate_errors(" and ".join(table.title for table in tables)))
        names = (name for table in tables for name in table.names)
        noticed += notes.of_folds(names, kind)
        noticed += tuple(note for table in tables for note in table.notes)
        joined = several or isinstance(truth, (tuple, list))
        long = [name for name in LONG if name in options]
        if kind == "values" and long and not joined:
            _refuse_categories(categories)
            found, own_values = _read_items(tables[0], request, connection)
            built = build_items(replace(found, notes=(*noticed, *found.notes)))
            return replace(built, columns=own_values)
        if (long or joined) and "sample_weight" in options:
            rule = "None where tables are joined, since each of them may have another"
            raise invalid("sample_weight", rule, options["sample_weight"])
        if long:
            read = _read_long(tables[0], request, connection, stack)
        elif joined:
            read = _read_joined(tables, request, connection, stack)
        else:
            if "unmatched" in options:
                rule = "None where no tables are joined"
                raise invalid("unmatched", rule, options["unmatched"])
            _check_names(columns)
            only_clusters = kind == "values" and set(options) == {"cluster"} and not own
            if only_clusters and count_rows(tables[0].frame) > MAX_ITEMS:
                _refuse_categories(categories)
                found = _read_clusters(tables[0], request, connection)
                return build_items(replace(found, notes=(*noticed, *found.notes)))
            read = _read_wide(tables[0], request, data)
    return replace(read, notes=(*noticed, *read.notes)).build(kind, categories)


def _check_kind(kind: str, options: Mapping[str, Any]) -> None:
    """Refuse options that are about another kind of content."""
    reasons = {
        "labels": "labels, which are counted",
        DOCUMENTS: "labels",
        "scores": "scores, which are not averaged",
    }
    for role in EXTRA:
        if role in options and role not in ACCEPTED[kind]:
            raise invalid(role, f"None for {reasons.get(kind, 'labels')}", options[role])


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
    if "system" in options:
        long = _long_table(table, {"id": options.get("item"), SYSTEM: options["system"]})
        systems = system_names(long)
        return {TRUTH: truth, **dict(zip(system_roles(len(systems)), systems, strict=True))}, ()
    if truth is None and kind != "values":
        raise _say_which(TRUTH, table)
    used: list[Any] = []
    for name in (truth, *options.values()):
        used += name if isinstance(name, (tuple, list)) else [name]
    known = [name for name in used if isinstance(name, (str, int))]
    candidates = [name for name in table.names if name not in known]
    skipped = [name for name in candidates if notes.names_no_system(name)]
    systems = [name for name in candidates if name not in skipped]
    if kind == "values":
        _refuse_texts(table, systems)
    noticed: tuple[str, ...] = ()
    if skipped and kind == "values" and "item" not in options:
        noticed = (
            f"{skipped[0]} was not taken for a system: pass item={skipped[0]!r} if it names the "
            "items.",
        )
    return {TRUTH: truth, **dict(zip(system_roles(len(systems)), systems, strict=True))}, noticed


def _refuse_texts(table: Table, columns: Sequence[Any]) -> None:
    """Refuse columns of texts among the values, and say what they may be."""
    if len(set(table.names)) < len(table.names) or not columns:
        return
    roles = {str(k): name for k, name in enumerate(columns)}
    first = fetch_objects(table.select(roles).head(1))
    for k, name in roles.items():
        values = [x for x in first[k] if isinstance(x, str)]
        if values and np.isnan(pd.to_numeric(values[0], errors="coerce")):
            if values[0].lower() in ("true", "false"):
                continue
            raise InputError(
                f"{table.label(name)} holds texts such as {values[0]!r}, and not values: pass "
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
        raise invalid(role, "the name of a column", type(name).__name__)


def _say_which(role: str, table: Table | None = None) -> InputError:
    """Ask for the column that plays a role, and list those of a file."""
    title = table.title if table is not None else "the table"
    option = "systems" if role.startswith("systems ") else role
    known = ""
    if table is not None and table.file:
        known = f" It has {', '.join(map(str, table.names[:20]))}."
    return InputError(f"Say which column of {title} is {role!r}: pass {option}=.{known}")


# A wide table.


def _read_wide(table: Table, request: _Request, data: Any) -> RoleColumns:
    """Read a table with a column per system: labels are counted, scores and values fetched."""
    named = {role: request.options.get(role) for role in ("id", "sample_weight")}
    named |= request.extra
    wanted = {**request.columns, **{r: name for r, name in named.items() if name is not None}}
    for role, name in wanted.items():
        _check_name(role, name, table)
    matrices = _class_columns(table, request) if request.kind == "scores" else {}
    single = {role: name for role, name in wanted.items() if role not in matrices}
    frame = table.select(single)
    labels = {role: table.label(name) for role, name in request.columns.items()}
    if request.kind != "labels":
        parse = bool(table.file) and request.kind != DOCUMENTS
        read = _fetch_columns(table, single, labels, matrices, parse)
    elif isinstance(data, pd.DataFrame):  # it is in memory anyway
        read = _from_frame(data, single, request)
    else:
        read = _count_columns(table, frame, single, labels)
    source = {**table.source, **{role: str(name) for role, name in wanted.items()}}
    systems = tuple(
        str(name).rstrip("*_.- ") or str(name) if role in matrices else str(name)
        for role, name in request.systems.items()
    )
    noticed = (*read.notes, *_repeats(table, request, read))
    return replace(read, source=source, notes=noticed, systems=systems)


def _from_frame(data: pd.DataFrame, single: Mapping[str, Any], request: _Request) -> RoleColumns:
    labels = {role: str(name) for role, name in request.columns.items()}
    read = RoleColumns({role: data[name] for role, name in request.columns.items()}, labels)
    if "sample_weight" not in single:
        return read
    n = check_weights(data[single["sample_weight"]])
    return replace(read, n=n, notes=notes.of_weights(len(n), int(n.sum())))


def _count_columns(
    table: Table, frame: Frame, single: Mapping[str, Any], labels: Mapping[str, str]
) -> RoleColumns:
    """Count the combinations of labels in a table where it is."""
    _check_scores(frame, labels, texts=bool(table.file))
    weight = "sample_weight" if "sample_weight" in single else None
    counted = value_counts(frame, list(labels), weight)
    if not len(counted):
        raise InputError(f"{table.file or 'The table'} has no rows.")
    n = counted["n"].to_numpy(dtype=np.int64)
    for role, label in labels.items():
        if (lost := counted[role].isna().to_numpy()).any():
            missing_rows(label, lost, where=first_missing(frame, role), n=int(n[lost].sum()))
    header = [single[role] for role in labels]
    if table.file and (counted[list(labels)] == header).all(axis=1).any():
        raise InputError(f"{table.file} repeats its header among the rows.")
    columns = [counted[role].to_numpy() for role in labels]
    if table.file:
        columns = parse_columns(columns)
    noticed = notes.of_weights(int(counted["rows"].sum()), int(n.sum())) if weight else ()
    by_role = dict(zip(labels, columns, strict=True))
    return RoleColumns(by_role, labels, n, from_file=bool(table.file), notes=noticed)


def _check_scores(frame: Frame, labels: Mapping[str, str], *, texts: bool) -> None:
    """Refuse columns of scores by their first rows, before all of them come back as labels."""
    schema = frame.collect_schema()
    doubtful = [c for c in labels if schema[c].is_float() or (texts and schema[c] == nw.String)]
    if not doubtful:
        return
    first = fetch_objects(frame.select(*doubtful).head(FIRST_ROWS))
    for column in doubtful:
        values = first[column].dropna()
        refuse_scores(labels[column], dict.fromkeys(values), rows=len(values))


def _fetch_columns(
    table: Table,
    single: Mapping[str, Any],
    labels: Mapping[str, str],
    matrices: Mapping[str, Mapping[str, str]],
    parse: bool,
) -> RoleColumns:
    """Fetch columns whose rows are needed one by one; some systems have a column per class."""
    roles = dict(single)
    for role, classes in matrices.items():
        roles |= {f"{role}\t{name}": column for name, column in classes.items()}
    frame = table.select(roles)
    schema = frame.collect_schema()
    wide_numbers = [c for c in roles if schema[c].is_decimal() or str(schema[c]).endswith("128")]
    if wide_numbers:  # which NumPy does not have
        frame = frame.with_columns(*(nw.col(c).cast(nw.Float64()) for c in wide_numbers))
    rows = fetch(frame)
    if not len(rows):
        raise InputError(f"{table.file or 'The table'} has no rows.")
    n = check_weights(rows["sample_weight"]) if "sample_weight" in single else None
    columns = _complete_columns(rows, single, labels, from_file=parse)
    if matrices:
        columns |= _stack_classes(columns[TRUTH], rows, matrices)
    return RoleColumns(columns, labels, n, from_file=bool(table.file))


def _complete_columns(
    rows: pd.DataFrame, roles: Mapping[str, Any], labels: Mapping[str, str], *, from_file: bool
) -> dict[str, Any]:
    """Return columns that are kept row by row; truth and clusters must be there in every row."""
    columns = {role: rows[role].to_numpy() for role in roles if role != "sample_weight"}
    for role in (TRUTH, *(role for role in columns if role not in labels)):
        if role in columns:
            missing_rows(labels.get(role, role), pd.isna(columns[role]))
            if from_file:
                [columns[role]] = parse_columns([columns[role]])
    return columns


def _class_columns(table: Table, request: _Request) -> dict[str, dict[str, str]]:
    """Find the columns that names ending in ``*`` stand for, by role and by class.

    ``svm_*`` are the columns svm_spam, svm_ham ...; a column that has such a name itself is meant
    by it.
    """
    matrices: dict[str, dict[str, str]] = {}
    for role, name in request.systems.items():
        if not isinstance(name, str) or not name.endswith("*") or name in table.names:
            continue
        start = name[:-1]
        columns = [c for c in table.names if isinstance(c, str) and c.startswith(start)]
        columns = [c for c in columns if c not in (start, request.truth)]
        if not columns:
            raise no_column(table.title, role, name, table.names)
        matrices[role] = {c.removeprefix(start): c for c in columns}
    return matrices


def _stack_classes(
    truth: Any, rows: pd.DataFrame, matrices: Mapping[str, Mapping[str, str]]
) -> dict[str, pd.DataFrame]:
    """Put the columns of each system together, in the same order of classes."""
    order = list(next(iter(matrices.values())))
    used = list(dict.fromkeys(np.asarray(truth).tolist()))
    stacked = {}
    for role, classes in matrices.items():
        if set(classes) != set(order):
            odd = ", ".join(sorted(set(classes) ^ set(order)))
            raise InputError(f"All systems must have columns of the same classes, but not {odd}.")
        matrix = rows[[f"{role}\t{name}" for name in order]]
        stacked[role] = matrix.set_axis([match_label(name, used) for name in order], axis=1)
    return stacked


def _repeats(table: Table, request: _Request, read: RoleColumns) -> tuple[str, ...]:
    """Point out rows that are probably about the same document."""
    if (id := request.options.get("id")) is not None:
        return notes.of_repeated_ids(table, id)
    if request.kind == "scores" or request.extra or "sample_weight" in request.options:
        return ()
    if table.backend in REMOTE:  # only what is asked for is looked at
        return ()
    first = next(iter(read.columns.values()))
    rows = len(first) if read.n is None else int(read.n.sum())
    return notes.of_repeats(table, list(request.columns.values()), rows)


# Tables that are joined, and long ones.


def _read_joined(
    tables: list[Table],
    request: _Request,
    connection: duckdb.DuckDBPyConnection,
    stack: ExitStack,
) -> RoleColumns:
    """Join tables by id: one per system, or one for all of them."""
    drop, systems = request.drop, list(request.systems)
    if len(tables) not in (1, len(systems)):
        raise invalid("table", f"one table, or {len(systems)}: one per system", len(tables))
    roles: list[dict[str, Any]] = [{} for _ in tables]
    for k, (role, name) in enumerate(request.systems.items()):
        index = k if len(tables) > 1 else 0
        roles[index][role] = _default_name(role, name, tables[index], "prediction")
    _check_different(systems, tables, roles)
    for role, name in request.extra.items():
        _find_shared(role, name, tables, roles)
    if isinstance(request.truth, (tuple, list)):
        gold, name = _gold(request.truth)
        tables = [*tables, open_table(gold, connection, stack)]
        roles.append({TRUTH: name})
    elif TRUTH in request.columns:
        _find_shared(TRUTH, request.truth, tables, roles)
    ids = _id_columns(request.options.get("id"), tables)
    sides = [
        _join_table(table, number, {"id": id, **columns}, connection)
        for number, (table, id, columns) in enumerate(zip(tables, ids, roles, strict=True), 1)
    ]
    read = _read_frame(join_tables(sides, connection), request.kind, systems, drop)
    used = {role: name for columns in reversed(roles) for role, name in columns.items()}
    source = _files(tables) | {role: str(name) for role, name in used.items()}
    return replace(
        read,
        source=source | {"id": ", ".join(dict.fromkeys(map(str, ids)))},
        systems=_name_systems([str(used[role]) for role in systems], tables),
    )


def _read_long(
    table: Table, request: _Request, connection: duckdb.DuckDBPyConnection, stack: ExitStack
) -> RoleColumns:
    """Turn a table that has a row per item and system to one row per item."""
    options, drop = request.options, request.drop
    if {"prediction", "value"} <= set(options):
        raise invalid("value", "None where prediction= is given", options["value"])
    named = {"item": options.get("item"), "system": options.get("system")}
    for role, name in {**named, "prediction": request.value}.items():
        _check_name(role, name)
    if "id" in options:
        raise invalid("id", "None in long format, where item= names it", options["id"])
    if request.truth is None and request.kind in ("labels", DOCUMENTS):
        raise _say_which(TRUTH)
    apart = isinstance(request.truth, (tuple, list))
    shared = dict(request.extra)
    if request.truth is not None and not apart:
        shared[TRUTH] = request.truth
    columns = {"id": named["item"], SYSTEM: named["system"], VALUE: request.value, **shared}
    long = _in_engine(_long_table(table, columns), connection)
    known = system_names(long)
    systems = resolve_systems(request.systems, known, long.labels[SYSTEM], long.title)
    if request.kind == "labels":
        values = {VALUE: long.labels[VALUE], **{r: long.labels[r] for r in shared}}
        _check_scores(long.frame, values, texts=long.from_file)
    wide = pivot(long, systems, list(shared))
    tables, truth = [table], request.truth
    if apart:
        gold, truth = _gold(request.truth)
        tables.append(open_table(gold, connection, stack))
        gold_columns = {"id": named["item"], TRUTH: truth}
        wide = join_gold(wide, _join_table(tables[1], 2, gold_columns, connection), connection)
    read = _read_frame(wide, request.kind, list(systems), drop)
    used = {**named, "prediction": request.value, TRUTH: truth, **shared, **systems}
    source = {role: str(name) for role, name in used.items() if name is not None}
    names = tuple(str(name) for name in systems.values())
    return replace(read, source=_files(tables) | source, systems=names)


def _read_frame(wide: Wide, kind: str, systems: Sequence[str], drop: bool) -> RoleColumns:
    """Count or fetch what a wide frame holds."""
    labels = {
        role: next(iter(names.values()))
        for role, names in wide.columns.items()
        if role == TRUTH or role in systems
    }
    ordered = {role: labels[role] for role in (TRUTH, *systems) if role in labels}
    from_file = any(table.from_file for table in wide.tables)
    if kind == "labels":
        counted, noticed = count_wide(wide, drop=drop)
        columns = {role: counted[role].to_numpy() for role in ordered}
        n = counted["n"].to_numpy(dtype=np.int64)
        return RoleColumns(columns, ordered, n, from_file, notes=noticed)
    rows, noticed = fetch_wide(wide, drop=drop)
    rows = rows.rename(columns={"key": "id"})
    parse = from_file and kind != DOCUMENTS  # these are read together, by what all of them are
    columns = _complete_columns(rows, dict.fromkeys(rows.columns), ordered, from_file=parse)
    return RoleColumns(columns, ordered, None, from_file, notes=noticed)


def _long_table(table: Table, columns: Mapping[str, Any]) -> JoinTable:
    """Pick the columns of a long table, under the names of the roles they play."""
    known = {role: name for role, name in columns.items() if name is not None}
    option = {"id": "item", VALUE: "value"}
    frame = table.frame.select(
        *(nw.col(table.column(option.get(r, r), n)).alias(r) for r, n in known.items())
    )
    title = table.file or "table 1"
    labels = {role: f"{name} of {title}" for role, name in known.items()}
    return JoinTable(
        frame, title, labels, table.backend, bool(table.file), table.is_text, table.has_dates
    )


def _in_engine(table: JoinTable, connection: duckdb.DuckDBPyConnection) -> JoinTable:
    """Bring pandas to DuckDB, which turns tables without making whole numbers real ones."""
    if table.backend != "pandas":
        return table
    return replace(table, frame=to_duckdb(table.frame, "pandas", connection), backend="own")


def _join_table(
    table: Table, number: int, columns: Mapping[str, Any], connection: duckdb.DuckDBPyConnection
) -> JoinTable:
    """Pick the columns of a table that is to be joined, and read a text file once only."""
    title = table.file or f"table {number}"
    frame = table.select(columns)
    if not table.has_dates and table.frame.implementation.is_duckdb():
        native = nw.to_native(frame)
        if native.type != "TABLE_RELATION":
            frame = nw.from_native(materialize(connection, native))
    labels = {role: f"{name} of {title}" for role, name in columns.items()}
    facts = table.backend, bool(table.file), table.is_text, table.has_dates
    return JoinTable(frame, title, labels, *facts, advice=RUNS if table.defaults else "")


def _default_name(role: str, name: Any, table: Table, default: str) -> Any:
    column = table.defaults.get(default) if name is None else name
    _check_name(role, column, table)
    return column


def _gold(truth: Any) -> tuple[Any, Any]:
    if len(truth) != 2:
        raise invalid(TRUTH, "the name of a column, or a table and its column", truth)
    table, name = truth
    return table, name


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


def _files(tables: Sequence[Table]) -> dict[str, str]:
    files = [table.source["file"] for table in tables if "file" in table.source]
    dates = [table.source["modified"] for table in tables if "modified" in table.source]
    source = {"file": ", ".join(dict.fromkeys(files))} if files else {}
    return source | ({"modified": max(dates)} if dates else {})


def _name_systems(columns: Sequence[str], tables: Sequence[Table]) -> tuple[str, ...] | None:
    """Name systems after their columns or, if these are the same, their files or folders."""
    paths = [Path(table.file) for table in tables[: len(columns)]]
    stems = [path.name.partition(".")[0] for path in paths]
    folders = [path.resolve().parent.name for path in paths]
    for names in (columns, stems, folders):
        if len(set(names)) == len(columns) and all(names):
            return tuple(names)
    return None


# Values by item.


def _read_items(
    table: Table, request: _Request, connection: duckdb.DuckDBPyConnection
) -> tuple[ItemTable, dict[str, Any]]:
    """Read values whose items are named, so that several rows of an item are its runs."""
    options, drop = request.options, request.drop
    for role in ("id", "sample_weight"):
        if role in options:
            raise invalid(role, "None where item= names the items", options[role])
    named = {"item": options.get("item")}
    long = "system" in options or request.value is not None
    if long:
        named |= {SYSTEM: options.get("system"), VALUE: request.value}
    else:
        _check_names(request.columns)
    for role, name in named.items():
        _check_name(role, name)
    wanted = {**named, **({} if long else request.columns), **request.extra}
    frame, backend = table.select(wanted), table.backend
    if backend == "pandas":
        frame, backend = to_duckdb(frame, backend, connection), "own"
    denominators = [role for role in request.extra if role.startswith("denominator")]
    values = [VALUE] if long else list(request.columns)
    labels = {role: table.label(name) for role, name in wanted.items()}
    numbers = {role: labels[role] for role in (*values, *denominators)}
    frame = as_numbers_in_engine(frame, numbers, backend, connection)
    systems = dict(request.columns)
    if long:
        view = JoinTable(frame.rename({"item": "id"}), "", labels | {"id": labels["item"]}, backend)
        known = system_names(view)
        systems = resolve_systems(request.columns, known, labels[SYSTEM], "The table")
        frame = _spread_values(frame, systems, denominators, request.extra, len(known))
        denominators = [f"{role} denominator" for role in systems] if denominators else []
    shared = [role for role in request.extra if not role.startswith("denominator")]
    sums = [*systems, *denominators]
    rows = sum_by_item(frame, sums, shared, {role: role for role in shared}, runs=True)
    if not len(rows):
        raise InputError(f"{table.file or 'The table'} has no rows.")
    rows, noticed = _complete_items(rows, systems, drop=drop)
    errors = {
        role: f"{labels[VALUE]}, system {name!r}," if long else labels[role]
        for role, name in systems.items()
    }
    source = {role: str(name) for role, name in {**named, **request.extra, **systems}.items()}
    own = {role.removeprefix(OWN): role for role in shared if role.startswith(OWN)}
    groups = {role: rows[role].to_numpy() for role in shared if role not in own.values()}
    items = replace(
        _item_table(rows, errors, groups),
        denominators=[rows[f"{role} sum"].to_numpy(dtype=np.float64) for role in denominators],
        source={**table.source, **source},
        notes=noticed,
        systems=tuple(str(name) for name in systems.values()),
    )
    return items, {name: as_numbers(name, rows[role]) for name, role in own.items()}


def _spread_values(
    frame: Frame,
    systems: Mapping[str, Any],
    denominators: Sequence[str],
    extra: Mapping[str, Any],
    known: int,
) -> Frame:
    """Give every system of a long table a column of its values, and of its denominators."""
    if known > len(systems):
        frame = frame.filter(nw.col(SYSTEM).is_in(list(systems.values())))
    cells = []
    for k, (role, name) in enumerate(systems.items()):
        mine = nw.col(SYSTEM) == name
        cells.append(nw.when(mine).then(nw.col(VALUE)).alias(role))
        if denominators:
            column = denominators[k if len(denominators) > 1 else 0]
            cells.append(nw.when(mine).then(nw.col(column)).alias(f"{role} denominator"))
    shared = [role for role in extra if not role.startswith("denominator")]
    return frame.select("item", *shared, *cells)


def _item_table(
    rows: pd.DataFrame, labels: Mapping[str, str], groups: Mapping[str, Any]
) -> ItemTable:
    """Make means, numbers and scatter of runs of what was added up by item."""
    counts = [rows[f"{role} n"].to_numpy() for role in labels]
    repeated = max(n.max() for n in counts) > 1
    means = {}
    for (role, label), n in zip(labels.items(), counts, strict=True):
        mean = rows[f"{role} sum"].to_numpy(dtype=np.float64)
        if repeated:
            mean = mean / n
        if not np.isfinite(mean).all():
            item = rows["item"][int((~np.isfinite(mean)).argmax())]
            raise InputError(
                f"{label} must be made of finite numbers; those of item {item!r} are not."
            )
        means[label] = mean
    scatter = None
    if f"{next(iter(labels))} ss" in rows:
        scatter = np.stack([rows[f"{role} ss"].to_numpy(dtype=np.float64) for role in labels])
    runs = np.stack(counts).astype(np.int64) if repeated else None
    ids = rows["item"].to_numpy()
    return ItemTable(means, ids, runs=runs, scatter=scatter, **groups)


def _complete_items(
    rows: pd.DataFrame, systems: Mapping[str, Any], *, drop: bool
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Refuse items that a system has no value of, or leave them out."""
    lost = np.stack([rows[f"{role} n"].to_numpy() == 0 for role in systems], axis=1)
    if not lost.any():
        return rows, ()
    parts = []
    for name, mine in zip(systems.values(), lost.T, strict=True):
        if count := int(mine.sum()):
            verb, example = "has" if count == 1 else "have", list_ids(rows["item"][mine].head(1))
            parts.append(f"{count:,} {verb} no value of {name}, such as {example}")
    listed = "; ".join(parts)
    incomplete = lost.any(axis=1)
    if incomplete.all():
        raise InputError(f"Of {len(rows):,} items {listed}. No item has all of them.")
    if not drop:
        raise InputError(f"Of {len(rows):,} items {listed}. {UNMATCHED}")
    note = f"Items were left out: of {len(rows):,} {listed}."
    return rows.loc[np.flatnonzero(~incomplete)].reset_index(drop=True), (note,)


def _read_clusters(
    table: Table, request: _Request, connection: duckdb.DuckDBPyConnection
) -> ItemTable:
    """Add very many items up by cluster."""
    cluster = request.extra["cluster"]
    frame, backend = table.select({"item": cluster, **request.columns}), table.backend
    if backend == "pandas":
        frame, backend = to_duckdb(frame, backend, connection), "own"
    labels = {role: table.label(name) for role, name in request.columns.items()}
    frame = as_numbers_in_engine(frame, labels, backend, connection)
    rows = sum_by_item(frame, list(labels), [], {}, runs=False)
    n = count_rows(frame)
    for role, label in labels.items():
        if lost := n - int(rows[f"{role} n"].sum()):
            rule = "have a number in every row"
            raise InputError(f"{label} must {rule}, but {lost:,} of {n:,} are missing.")
    read = _item_table(rows, labels, {})
    sizes = np.stack([rows[f"{role} n"].to_numpy(dtype=np.int64) for role in labels])
    source = {"cluster": cluster, **request.columns}
    return replace(
        read,
        ids=None,
        runs=sizes,
        of_clusters=True,
        source={**table.source, **{role: str(name) for role, name in source.items()}},
        systems=tuple(str(name) for name in request.columns.values()),
    )
