"""Tables in whatever layout, as columns that are read: wide, long, or joined by id.

Options become roles (truth, systems, cluster ...), roles become columns, and columns are read from
one wide frame.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd

from stanoff._lib.arguments import check_choice
from stanoff.data import notes, pivot, readers
from stanoff.data.counting import match_label, refuse_scores
from stanoff.data.observed import DOCUMENTS, EXTRA, OWN, Observed, builder_options, check_kind
from stanoff.data.pivot import KEY, SYSTEM, TRUTH, VALUE, Wide
from stanoff.data.readers import ROWS, THE_TABLE, N, Table
from stanoff.data.scores import NUMERIC
from stanoff.data.types import system_roles
from stanoff.errors import InputError, invalid, no_column
from stanoff.options import UNMATCHED

LONG = ("system", "prediction", "value")
FIRST_ROWS = 10_000  # enough to tell scores from labels
MAX_ITEMS = 1_000_000  # that are kept one by one where they are in clusters
REMOTE = ("dask", "pyspark", "pyspark_connect", "pyspark[connect]")  # maybe on other machines


def read_tables(
    kind: str,
    data: Any,
    truth: Any,
    roles: Mapping[str, Any] | None,
    options: Mapping[str, Any],
) -> Observed:
    """Read one table or several, in whatever layout.

    Parameters
    ----------
    kind : str
        What the columns of the systems hold.
    data, truth
        The table or tables, and the column of true labels, or a table and its column.
    roles : mapping or None
        The column of every system, and further ones that only a program of the user's asks for;
        None where the systems are to be found.
    options : mapping
        The options of the layout that are given.
    """
    check_kind(kind, options)
    if kind == "values" and truth is not None:
        raise invalid(TRUTH, "None for values, which need no true labels", truth)
    gold = isinstance(truth, (tuple, list))
    inputs = [*data] if isinstance(data, (tuple, list)) else [data]
    paths = [path for path in (*inputs, *(truth if gold else ())) if isinstance(path, str)]
    if paths.count("-") > 1:
        raise invalid("table", "'-' for one table at most: stdin can be read once only", "-")
    extra = {role: options[role] for role in EXTRA if role in options}
    if isinstance(columns := extra.get("denominator"), (list, tuple)):
        del extra["denominator"]
        extra |= {f"denominator {k}": name for k, name in enumerate(columns, start=1)}
    with ExitStack() as stack:
        connection = stack.enter_context(readers.database())
        tables = [readers.open_table(table, connection, stack) for table in inputs]
        stack.enter_context(readers.translate_errors(" and ".join(table.title for table in tables)))
        noticed: tuple[str, ...] = ()
        if roles is None:
            roles, noticed = _find_systems(kind, tables[0], truth, options)
        names = [name for table in tables for name in table.names]
        noticed += notes.of_folds([*names, *notes.names_of(*inputs)], kind)
        noticed += tuple(note for table in tables for note in table.notes)
        joined = gold or isinstance(data, (tuple, list))
        extra |= {role: name for role, name in roles.items() if role.startswith(OWN)}
        systems = {role: name for role, name in roles.items() if role not in extra}
        fields = kind, tables, truth, systems, extra, options, connection, stack
        observed = TableReader(*fields).read(joined=joined)
    return replace(observed, notes=(*noticed, *observed.notes))


def _find_systems(
    kind: str, table: Table, truth: Any, options: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Name the systems of a contest: all in long format, else all columns but the others."""
    noticed: tuple[str, ...] = ()
    if "system" in options:
        key = options.get("item", options["system"])
        systems = pivot.system_names(table.pick({KEY: key, SYSTEM: options["system"]}))
        return dict(zip(system_roles(len(systems)), systems, strict=True)), ()
    if kind != "values" and truth is None:
        table.column(TRUTH, truth)  # it says which there are
    used = [truth, *options.values()]
    used += [x for names in used if isinstance(names, (tuple, list)) for x in names]
    used = [name for name in used if isinstance(name, (str, int))]
    candidates = [name for name in table.names if name not in used]
    systems = [name for name in candidates if not notes.names_no_system(name)]
    skipped = [name for name in candidates if name not in systems]
    roles = dict(zip(system_roles(len(systems)), systems, strict=True))
    if kind == "values":
        frame = table.pick(roles).frame.head(1)
        for role, values in readers.fetch_objects(frame).items() if systems else ():
            for text in (x for x in values if isinstance(x, str)):
                number = pd.to_numeric(text, errors="coerce")
                if np.isnan(number) and text.lower() not in ("true", "false"):
                    name = roles[str(role)]
                    raise InputError(
                        f"{table.label(name)} holds texts such as {text!r}, and not values: pass "
                        f"item={name!r} if it names the items, or name the systems in systems=."
                    )
        if skipped and "item" not in options:
            message = f"pass item={skipped[0]!r} if it names the items."
            noticed = (f"{skipped[0]} was not taken for a system: {message}",)
    return roles, noticed


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
        by_item = long or ("item" in self.options and not joined)
        if (by_item or joined) and "sample_weight" in self.options:
            rule = "None where tables are joined, since each of them may have another"
            raise invalid("sample_weight", rule, self.options["sample_weight"])
        if by_item:
            return self.read_by_item("item", long=long or not values)
        if joined:
            return self.read_joined()
        if values and set(self.options) == set(self.extra) == {"cluster"}:
            n = readers.count_rows(self.tables[0].frame)
            if n > MAX_ITEMS:
                by_cluster = replace(self, extra={}, options=self.extra)
                return by_cluster.read_by_item("cluster", long=False, n=n)
        return self.read_wide()

    def read_wide(self) -> Observed:
        """Read a table with a column per system: labels are counted where they are."""
        [table] = self.tables
        truth = {} if self.kind == "values" else {TRUTH: self.truth}
        named = {
            role: self.options[role] for role in ("id", "sample_weight") if role in self.options
        }
        used = {**truth, **self.systems, **self.extra, **named}
        classes = self._class_columns() if self.kind == "scores" else {}
        columns = {role: name for role, name in used.items() if role not in classes}
        columns |= {f"{role}\t{c}": name for role, of in classes.items() for c, name in of.items()}
        picked = self._pick(table, columns)
        self._refuse_twins([used])
        labels = {role: table.label(name) for role, name in {**truth, **self.systems}.items()}
        labelled = {r: {r: labels.get(r, r)} for r in columns if r not in named}
        observed = self._observe(Wide(picked.frame, labelled, picked), used, classes)
        if table.file and observed.n is not None:
            header = [str(used[role]) for role in labels]
            same = [
                c.astype(str) == x for c, x in zip(observed.columns.values(), header, strict=True)
            ]
            if np.all(same, axis=0).any():
                raise InputError(f"{table.file} repeats its header among the rows.")
        return replace(observed, notes=(*observed.notes, *self._repeats(observed)))

    def _class_columns(self) -> dict[str, dict[str, str]]:
        """Find the columns that names ending in ``*`` stand for, by role and by class.

        ``svm_*`` are the columns svm_spam, svm_ham ...; a column that has such a name itself is
        meant by it.
        """
        [table] = self.tables
        classes: dict[str, dict[str, str]] = {}
        for role, name in self.systems.items():
            if isinstance(name, str) and name.endswith("*") and name not in table.names:
                start = name[:-1]
                columns = [c for c in table.names if isinstance(c, str) and c.startswith(start)]
                columns = [c for c in columns if c not in (start, self.truth)]
                if not columns:
                    raise no_column(table.title, role, name, table.names)
                classes[role] = {c.removeprefix(start): c for c in columns}
        return classes

    def _repeats(self, observed: Observed) -> tuple[str, ...]:
        """Point out rows that are probably about the same document."""
        [table] = self.tables
        if "id" in self.options:
            return notes.of_repeated_ids(table, self.options["id"])
        if self.kind not in ("labels", DOCUMENTS, "values") or self.extra:
            return ()
        if "sample_weight" in self.options or table.backend in REMOTE:
            return ()  # of what is elsewhere only what is asked for is looked at
        return notes.of_repeats(table, [self.truth, *self.systems.values()], observed.n_documents)

    def read_joined(self) -> Observed:
        """Join tables by id: one per system, or one for all of them."""
        tables, several = self.tables, len(self.tables) > 1
        if several and len(tables) != len(self.systems):
            n = len(self.systems)
            raise invalid("table", f"one table, or {n}: one per system", len(tables))
        roles: list[dict[str, Any]] = [{} for _ in tables]
        for k, (role, name) in enumerate(self.systems.items()):
            k = k if several else 0
            roles[k][role] = tables[k].default("prediction", name)
            tables[k].column(role, roles[k][role])
        shared = dict(self.extra)
        if isinstance(self.truth, (tuple, list)):
            roles.append({TRUTH: self._open_gold()})
        elif self.kind != "values":
            shared[TRUTH] = self.truth
        for role, column in shared.items():
            for table, columns in zip(tables, roles, strict=True):
                if (name := table.default(role, column)) in table.names:
                    columns[role] = name
            if not any(role in columns for columns in roles):
                names = dict.fromkeys(name for table in tables for name in table.names)
                title = " or ".join(table.title for table in tables)
                replace(tables[0], title=title, names=tuple(names)).column(role, column)
        ids = self.options.get("id")
        ids = [*ids] if isinstance(ids, (list, tuple)) else [ids] * len(tables)
        if len(ids) != len(tables):
            raise invalid("id", f"one name, or {len(tables)}: one per table", tuple(ids))
        ids = [table.default("id", id) for table, id in zip(tables, ids, strict=True)]
        picked = [
            self._pick(table, {KEY: id, **columns}, f"table {number}")
            for number, (table, id, columns) in enumerate(zip(tables, ids, roles, strict=True), 1)
        ]
        self._refuse_twins(roles)
        first, *others = pivot.align(picked, self.connection)
        wide = pivot.join(None, first)
        for table in others:
            wide = pivot.join(wide, table)
        used = {role: name for columns in reversed(roles) for role, name in columns.items()}
        return self._observe(wide, used | {"id": ", ".join(dict.fromkeys(map(str, ids)))})

    def read_by_item(self, key: str, *, long: bool, n: int | None = None) -> Observed:
        """Turn a table that has several rows per item to one row per item.

        Parameters
        ----------
        key : str
            The option that names the items.
        long : bool
            Whether there is a row per item and system; if not, several rows of values are runs.
        n : int, optional
            How many rows there are, where the items are clusters, whose rows are no runs.
        """
        if {"prediction", "value"} <= set(self.options):
            raise invalid("value", "None where prediction= is given", self.options["value"])
        if "id" in self.options:
            raise invalid("id", "None where item= names the items", self.options["id"])
        table, add, item = self.tables[0], self.kind == "values", self.options.get(key)
        value = self.options.get("value", self.options.get("prediction"))
        separate = isinstance(self.truth, (tuple, list))
        shared = {} if add or separate else {TRUTH: self.truth}
        used = {key: item, **shared}
        if long:
            used = {key: item, "system": self.options.get("system"), "prediction": value, **shared}
        for role, column in used.items():
            table.column(role, column)
        columns = {KEY: item, **shared, **self.extra}
        columns |= {SYSTEM: used["system"], VALUE: value} if long else self.systems
        picked = [self._pick(table, columns)]
        if separate:
            used[TRUTH] = self._open_gold()
            picked.append(self._pick(self.tables[1], {KEY: item, TRUTH: used[TRUTH]}, "table 2"))
        answers, *gold = pivot.align(picked, self.connection)
        systems, denominators = self.systems, [r for r in self.extra if r.startswith("denominator")]
        if long:
            answers, systems = pivot.resolve_systems(answers, systems)
        else:
            self._refuse_twins([systems])
        if add:
            numbers = [*([VALUE] if long else systems), *denominators]
            answers = pivot.as_numbers_in_engine(answers, numbers, self.connection)
        others = [role for role in (*shared, *self.extra) if role not in denominators]
        if long:
            answers = pivot.spread(answers, systems, denominators, add=add)
            denominators = [f"denominator {role}" for role in systems if denominators]
        single = not long and n is None and pivot.has_single_rows(answers)
        wide = pivot.group_by_item(
            answers, str(item), systems, denominators, others, add=add, single=single
        )
        for table in gold:
            wide = pivot.join(wide, table)
        return self._observe(wide, {**used, **self.extra, **systems}, n=n)

    def _pick(self, table: Table, columns: Mapping[str, Any], title: str = THE_TABLE) -> Table:
        """Pick columns, and refuse labels that are scores before all of them come."""
        picked = table.pick(columns, title)
        if self.kind != "labels":
            return picked
        schema, texts = picked.frame.collect_schema(), bool(table.file)
        doubtful = [
            role
            for role in (TRUTH, *self.systems, VALUE)
            if role in schema and (schema[role].is_float() or (texts and schema[role] == nw.String))
        ]
        for role in doubtful:
            first = readers.fetch_objects(picked.frame.select(role).head(FIRST_ROWS))
            values = first[role].dropna()
            refuse_scores(picked.labels[role], dict.fromkeys(values), rows=len(values))
        return picked

    def _open_gold(self) -> Any:
        """Open the table of true labels, too, and name its column."""
        if len(self.truth) != 2:
            raise invalid(TRUTH, "the name of a column, or a table and its column", self.truth)
        self.tables.append(readers.open_table(self.truth[0], self.connection, self.stack))
        return self.truth[1]

    def _refuse_twins(self, columns: Sequence[Mapping[str, Any]]) -> None:
        """Refuse one column of one table for two roles."""
        known: dict[tuple[Any, Any], str] = {}
        for k, (table, roles) in enumerate(zip(self.tables, columns, strict=True)):
            file = Path(table.file).resolve() if table.file else k
            for role in (TRUTH, *self.systems):
                other = known.setdefault((file, roles[role]), role) if role in roles else role
                if other != role:
                    label = f"not both {table.label(roles[role])}"
                    raise InputError(f"{other} and {role} must be different columns, {label}.")

    def _observe(
        self,
        wide: Wide,
        used: Mapping[str, Any],
        classes: Mapping[str, Mapping[str, str]] | None = None,
        n: int | None = None,
    ) -> Observed:
        """Read items: labels are counted, scores and values come one by one."""
        classes, weighted = classes or {}, "sample_weight" in self.options
        count = self.kind == "labels" and wide.table.backend != "pandas"  # that is in memory anyway
        choice = check_choice("unmatched", self.options.get("unmatched", "raise"), UNMATCHED)
        if choice == "pairs" and len(self.systems) == 2:  # these are all the pairs
            choice = "drop"
        answers = [role for role in wide.columns if role.partition("\t")[0] in self.systems]
        numbers = [] if self.kind in ("labels", DOCUMENTS) else list(answers)
        numbers += [TRUTH] if self.kind in NUMERIC else []
        systems = [role for role in answers if role in self.systems]
        weight = "sample_weight" if weighted else None
        rows, noticed = pivot.read_wide(
            wide, numbers, systems, count=count, unmatched=choice, weight=weight
        )
        extra = self._runs(wide, rows, systems, n)
        documents = rows[N].to_numpy(dtype=np.int64) if count or weighted else None
        if weighted and documents is not None:
            n_rows = int(rows[ROWS].sum()) if count else len(rows)
            noticed = (*notes.of_weights(n_rows, int(documents.sum())), *noticed)
        columns: dict[str, Any] = {role: rows[role] for role in wide.columns}
        columns |= _stack_classes(rows, classes)
        named = {role: next(iter(names.values())) for role, names in wide.columns.items()}
        named |= {role: wide.table.label(used[role]) for role in classes}
        return Observed(
            {named[role]: columns[role] for role in (TRUTH, *self.systems) if role in columns},
            extra | builder_options(columns),
            documents,
            {r.removeprefix(OWN): c for r, c in columns.items() if r.startswith(OWN)},
            self._source(used),
            noticed,
            self._names(used, classes),
            columns.get("by"),
        )

    def _runs(
        self, wide: Wide, rows: pd.DataFrame, systems: list[str], n: int | None
    ) -> dict[str, Any]:
        """Return what builders take beside values, which become means over their runs."""
        extra: dict[str, Any] = {}
        if self.kind == "values" and wide.members:
            extra["ids"] = rows[KEY].to_numpy()
        if not wide.runs or (n is None and rows[wide.counters].to_numpy().max() <= 1):
            return extra
        sizes = rows[wide.counters].to_numpy(dtype=np.int64).T
        if n is not None:
            extra = {"runs": sizes, "of_clusters": True}
            for role, lost in zip(systems, n - sizes.sum(axis=1), strict=True):
                if lost:
                    raise InputError(
                        f"{wide.columns[role][role]} must have a number in every row, but "
                        f"{lost:,} of {n:,} are missing."
                    )
        else:
            extra |= {"runs": sizes, "scatter": pivot.sum_squares(wide, rows, systems)}
        rows[systems] /= sizes.T
        return extra

    def _source(self, used: Mapping[str, Any]) -> dict[str, str]:
        """Say which files and which columns were read."""
        sources = [table.source for table in self.tables if table.source]
        dates = [source["modified"] for source in sources if "modified" in source]
        files = ", ".join(dict.fromkeys(source["file"] for source in sources))
        source = {"file": files} if files else {}
        source |= {"modified": max(dates)} if dates else {}
        return source | {role: str(name) for role, name in used.items() if name is not None}

    def _names(self, used: Mapping[str, Any], classes: Collection[str]) -> tuple[str, ...] | None:
        """Name systems after their columns or, if these are the same, their files or folders."""
        columns = [str(used[role]) for role in self.systems]
        for k, role in enumerate(self.systems):
            if role in classes:
                columns[k] = columns[k].rstrip("*_.- ") or columns[k]
        paths = [Path(table.file) for table in self.tables[: len(columns)]]
        stems = [path.name.partition(".")[0] for path in paths]
        folders = [path.resolve().parent.name for path in paths]
        for names in (columns, stems, folders):
            if len(set(names)) == len(columns) and all(names):
                return tuple(names)
        return None


def _stack_classes(
    rows: pd.DataFrame, matrices: Mapping[str, Mapping[str, str]]
) -> dict[str, pd.DataFrame]:
    """Put the columns of each system together, in the same order of classes."""
    stacked = {}
    for role, classes in matrices.items():
        order = list(next(iter(matrices.values())))
        if odd := ", ".join(sorted(set(classes) ^ set(order))):
            raise InputError(f"All systems must have columns of the same classes, but not {odd}.")
        true = list(dict.fromkeys(rows[TRUTH].tolist()))
        matrix = rows[[f"{role}\t{name}" for name in order]]
        stacked[role] = matrix.set_axis([match_label(name, true) for name in order], axis=1)
    return stacked
