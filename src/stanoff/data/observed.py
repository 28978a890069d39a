"""What the user has, as data: arrays, tables in any layout, two test sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack, cast

from stanoff._lib.arguments import as_names, as_systems, check_choice
from stanoff.data import sources
from stanoff.data.files import standard_input
from stanoff.data.items import items_of
from stanoff.data.layouts import MORE, Layout, from_any, systems_of
from stanoff.data.scores import scored_documents
from stanoff.data.types import AVERAGES, Data, PairedCounts, patterns_of
from stanoff.errors import InputError, invalid

MAKERS: dict[str, Callable[..., Data]] = {  # by what a measure takes
    "labels": sources.counted,
    "scores": scored_documents,
    "values": items_of,
}


def count(
    data: Any = None,
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
    **layout: Unpack[Layout],
) -> Data:
    """Count what two systems predicted, without fitting anything.

    The counts are what :func:`stanoff.compare` would fit a model to, and what the tests in
    ``stanoff.significance`` take.

    Parameters
    ----------
    data, y_pred_a, y_pred_b, truth, a, b, pos_label, labels, average, names
        As in :func:`stanoff.compare`.
    kind : str
        ``"scores"`` to gather scores instead of counting labels, or ``"values"``.
    **layout
        ``id``, ``item``, ``system``, ``prediction``, ``value``, ``unmatched`` and
        ``sample_weight``, as in :func:`stanoff.compare`.

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
    observed = of_two(
        check_choice("kind", kind, MAKERS),
        (data, y_pred_a, y_pred_b),
        {"truth": truth, "a": a, "b": b},
        layout,
        {"pos_label": pos_label, "labels": labels, "average": average},
    )
    return observed if names is None else replace(observed, systems=as_names(names))


def count_systems(
    data: Any,
    predictions: Mapping[str, Any] | None = None,
    *,
    truth: Any = None,
    systems: Sequence[Any] | None = None,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    average: str | None = None,
    kind: str = "labels",
    **layout: Unpack[Layout],
) -> Data:
    """Count what the systems of a contest predicted, without fitting anything.

    Parameters
    ----------
    data, predictions, truth, systems, pos_label, labels
        As in :func:`stanoff.contest`.
    average, kind, **layout
        As in :func:`count`.

    Examples
    --------
    >>> counts = count_systems([1, 1, 0], {"a": [1, 1, 1], "b": [1, 0, 0], "c": [1, 0, 0]})
    >>> counts.said.tolist(), counts.pos.tolist()
    ([[1, 1, 1], [1, 0, 0], [0, 0, 0]], [1, 1, 0])
    """
    chosen = {"pos_label": pos_label, "labels": labels, "average": average}
    return of_systems(kind, data, predictions, truth, systems, layout, chosen)


def of_two(
    kind: str,
    given: tuple[Any, Any, Any],
    columns: dict[str, Any],
    layout: Layout,
    chosen: dict[str, Any],
) -> Data:
    """Make data of arrays or of columns, as the measure takes them."""
    data, y_pred_a, y_pred_b = given
    if data is None:
        if layout:
            raise invalid(next(iter(layout)), "None for two test sets", next(iter(layout.values())))
        if kind != "labels":
            raise InputError(f"Two test sets are compared by labels, and not by {kind}.")
        return sources.from_two_test_sets(columns["a"], columns["b"], **chosen)
    if y_pred_a is None and y_pred_b is None:
        found = from_any(data, columns, kind, **layout)
    else:
        weight, more = layout.pop("sample_weight", None), _more(kind, layout)
        if layout or any(name is not None for name in columns.values()):
            raise InputError("Pass predictions as arrays or as names of columns, not both.")
        arrays = {"y_true": data, "y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
        if kind == "values":
            arrays = _two_columns(data, y_pred_a, y_pred_b)
        found = replace(sources.from_arrays(arrays, sample_weight=weight), more=more)
    made = MAKERS[kind](found, **chosen)
    return made if found.called is None else replace(made, systems=as_names(found.called))


def _two_columns(values_a: Any, values_b: Any, more: Any) -> dict[str, Any]:
    """Take arrays of values: there is no truth before them."""
    if values_b is None or more is not None:
        raise InputError("Pass two arrays of values: those of A and those of B.")
    return {"A": values_a, "B": values_b}


def of_systems(
    kind: str,
    data: Any,
    predictions: Mapping[str, Any] | None,
    truth: Any,
    systems: Sequence[Any] | None,
    layout: Layout,
    chosen: dict[str, Any],
) -> Data:
    """Make data of what the systems of a contest predicted."""
    if kind == "values" and predictions is None and isinstance(data, Mapping):
        found = sources.from_arrays(dict(data))
        return MAKERS[kind](replace(found, called=as_systems(list(data))), **chosen)
    if predictions is not None:
        weight, more = layout.pop("sample_weight", None), _more(kind, layout)
        if layout or (truth, systems) != (None, None):
            raise InputError("Pass predictions as arrays or as names of columns, not both.")
        if not isinstance(predictions, Mapping):
            rule = "a mapping of names to predictions"
            raise invalid("predictions", rule, type(predictions).__name__)
        names = as_systems(list(predictions))
        named = dict(zip(names, predictions.values(), strict=True))
        if "y_true" in named:
            raise invalid("predictions", "of systems that are not called 'y_true'", "y_true")
        found = sources.from_arrays({"y_true": data, **named}, sample_weight=weight)
        found = replace(found, called=names, more=more)
    else:
        if systems is None and isinstance(data, str) and data == "-":
            with standard_input() as kept:  # it is read twice, for its columns and for its rows
                return of_systems(kind, kept, None, truth, None, layout, chosen)
        if systems is None:
            systems = systems_of(data, truth, layout, kind)
        if isinstance(data, (tuple, list)) and len(systems) == 1:
            systems = [*systems] * len(data)  # the same column of every table
        if not isinstance(data, (tuple, list)):
            as_systems(systems)
        if truth in systems:
            raise invalid("systems", "other columns than 'truth'", truth)
        columns = {f"systems {i + 1}": column for i, column in enumerate(systems)}
        found = from_any(data, {"truth": truth, **columns}, kind, **layout)
    counted = MAKERS[kind](found, **chosen)
    if isinstance(counted, PairedCounts):
        counted = patterns_of(counted)
    return counted if found.called is None else replace(counted, systems=as_systems(found.called))


def _more(kind: str, layout: Layout) -> dict[str, Any]:
    """Take out of the layout what arrays may tell of their rows beside scores and values."""
    given = cast(dict[str, Any], layout)
    return {part: given.pop(part) for part in MORE if part in given and kind != "labels"}
