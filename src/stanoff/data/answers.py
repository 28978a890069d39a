"""Tables of what systems answered, long or wide, as one long table with a row per answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pandas as pd

from stanoff._lib.arguments import as_systems, check_choice
from stanoff.data.counting import missing_rows
from stanoff.data.notes import names_no_system
from stanoff.data.pivot import no_rows
from stanoff.data.readers import database, fetch, open_table, translate_errors
from stanoff.data.types import system_roles
from stanoff.errors import InputError

ROW = "row"  # what tells the rows of a wide table apart


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
