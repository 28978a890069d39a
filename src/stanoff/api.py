"""The entrance: from labels or counts to a result."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from numpy.typing import ArrayLike

from stanoff import models, options
from stanoff._lib.arguments import as_names
from stanoff.data.counting import check_counts
from stanoff.data.folds import FoldValues, is_cross_validation
from stanoff.data.load import Rows, load_pair, load_pairs, load_systems
from stanoff.data.types import Data, PairedCounts, UnpairedCounts
from stanoff.errors import InputError, invalid, unknown
from stanoff.options import CompareOptions, FitOptions, select, spell_out
from stanoff.question import Question, Sampling, check_direction, read
from stanoff.results.comparison import Comparison, compare_data
from stanoff.results.contest import Contest, compare_pairs, contest_data
from stanoff.store import netcdf


@spell_out(options.COMPARE)
def compare(
    table: Any = None,
    y_pred_a: Any = None,
    y_pred_b: Any = None,
    *,
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    names: tuple[str, str] | None = None,
    **choices: Unpack[CompareOptions],
) -> Comparison:
    """Compare two systems by what they predicted.

    Parameters
    ----------
    table : array_like, data frame, path, or a tuple of tables
        The true labels, with ``y_pred_a`` and ``y_pred_b`` beside them; or a data frame or the
        path of a file, with the names of its columns in ``truth``, ``a`` and ``b``; or two of
        these, which are joined by ``id``. Beside the path of a ``.duckdb`` file, ``table="name"``
        is one of its tables.
    y_pred_a, y_pred_b : array_like
        What A and B predicted, in the order of the true labels.
    truth, a, b : str
        Names of columns. For two different test sets ``a`` and ``b`` are pairs of arrays, (true
        labels, predictions), and there is no ``table``.
    pos_label : optional
        The positive label, 1 by default; with more than two labels, the one that is judged against
        the rest.
    labels : sequence, optional
        The categories to average over, all by default.
    names : tuple of str, optional
        What A and B are called; by default the names of their columns, if these are known.
    id : str or tuple, optional
        The column that names the document. ``table`` may then be one table per system, which are
        joined by it; ``truth`` is in any of them, or a pair (table, column). In a single table,
        rows that share an id are pointed out.
    unmatched : str
        What is done with items that a system has not answered: ids that are not in all tables,
        missing rows of a long table, gaps in a wide one. ``"raise"``, the default, refuses them
        with their numbers, and ``"drop"`` leaves them out for all systems. In a contest
        ``"pairs"`` judges every pair on the items that both have; there are no ranks then.
    item, system, prediction : str, optional
        The columns of a table in long format, with a row per item and system; ``value`` means the
        same as ``prediction``. ``a`` and ``b`` are then names of systems. Of values, several rows
        of a system and an item are runs; ``item`` alone names the items of a wide table.
    cluster, dataset : str, optional
        Of values (``cluster`` of scores, too), columns that name the cluster and the data set of
        an item.
    by : str or array_like, optional
        The column of groups of the same documents, such as ``"gender"``: each group is judged,
        too. ``result.groups`` has their results, ``summary()`` and ``plot_forest()`` show them
        beside the whole. With ``model="hierarchical"`` the groups learn from each other.
    trained : str, optional
        The column that names the trained copy, such as its seed, where every system was trained
        several times and each copy has answered all items (``item=``). The verdict is then about
        a new training of each system.
    denominator : str or list of str, optional
        For ``measure="ratio"``, the column that the values are divided by once both are added up,
        or one column per system.
    sample_weight : array_like or str, optional
        How many documents a row stands for, or the column that says so: whole numbers.
    fold, repeat : str or array_like, optional
        Of scores of a cross-validation, or beside out-of-fold predictions, the columns that name
        the test fold and its repeat; of arrays the test fold of each score, or of each document.
    folds, repeats, cv, n_train, n_test : optional
        How the folds were made, one way of three: how many folds and repeats there are, of scores
        in the order of ``RepeatedKFold``; a splitter of scikit-learn; or the sizes of training and
        test set.
    metric : str, optional
        Which ``test_<metric>`` of what ``cross_validate`` returned.
    paired : bool, optional
        False for scores of systems that were not tested on the same folds.
    measure : str
        ``"f1"`` (F-beta, the default), ``"precision"``, ``"recall"``, ``"mcc"`` ..., see
        ``stanoff measures``, or one registered with :func:`stanoff.measures.register`. ``"mean"``
        and ``"ratio"`` are of columns that hold a value per item, and need no truth;
        scores of folds are averaged, and take none.
    beta : float
        Weight of recall in F-beta.
    zero_division : float
        What a measure is where it is 0/0: 0 (default), 1 or NaN.
    prevalence : float, optional
        Share of positives to judge the systems at, instead of the one in the data.
    clip : float, optional
        How near to 0 and 1 probabilities may be: Brier score and log loss.
    average : str, optional
        None to judge one category, or ``"macro"``, ``"micro"`` or ``"weighted"``.
    rope : float or tuple of float
        Region of practical equivalence: a half-width around 0, or two ends; 0.05 by default. Of
        values also ``"2%"`` of the observed mean, or ``"2% of range"``.
    hdi_prob : float
        Probability of the highest density interval, 0.95 by default.
    higher_is_better : bool, optional
        False for values of which small ones are good, such as losses.
    not_worse_by, better_by : float or str, optional
        A claim to be judged beside the verdict, in the unit of the ROPE: that A is not worse than
        B by more than this, or better by more. ``result.claim`` says whether the HDI shows it.
    population : str, optional
        What values are to tell about: new ``"items"`` (default), these items asked again
        (``"runs"``), or a new data set (``"datasets"``). Scores of folds tell about new
        ``"training sets"``, trained copies (``trained``) about new ``"trainings"``.
    model : str or path, optional
        By default the one that suits the data: ``"paired"`` for binary and multi-label data,
        ``"joint"`` for single-label classes with an average, ``"unpaired"`` for two test sets.
        ``"hierarchical"`` and ``"hierarchical_unpaired"`` let categories learn from each other;
        ``"multiclass"`` takes each system's classes by themselves; or the path of a
        Stan program of your own.
    data : mapping, optional
        What a Stan program of your own declares and only you have, by name.
    prior : Prior or str, optional
        Uniform by default; ``"jeffreys"`` and ``"perks"`` are known by name. An unpaired model
        also takes one for A and one for B.
    engine : str, optional
        ``"stan"``, or ``"exact"`` for conjugate draws that need no compiler. ``"auto"``, the
        default, is Stan where its program is compiled or a CmdStan is there to compile it, else
        exact for conjugate models, which ``result.warnings`` says; exact for the joint model.
    chains, draws, warmup : int, optional
        With Stan 4 chains, 1,000 draws to keep of each (fewer beyond 200 categories) and 1,000 to
        discard; the exact engine has one chain of 50,000 independent draws (10,000 of the joint
        model, and fewer of many categories) and no warm-up.
    seed : int, optional
        Makes every number reproducible; without one a random seed is taken and kept.
    sampler_options : mapping, optional
        What else ``CmdStanModel.sample`` takes, such as ``{"adapt_delta": 0.99}``.
    output_dir : path, optional
        A folder that keeps the CSV files of CmdStan.
    executor : Executor, optional
        One of ``concurrent.futures``, or a client of Dask: who draws the categories of a contest.
    progress : bool
        Show the sampler's progress on stderr.

    Returns
    -------
    Comparison
        The posterior, the evidence, the verdict.

    Examples
    --------
    >>> truth = [1, 1, 1, 0, 0, 0] * 50
    >>> result = compare(truth, truth, [1, 0, 1, 0, 1, 0] * 50, engine="exact", seed=1)
    >>> str(result.decision)
    '>>'
    """
    has_labels = truth is not None or y_pred_b is not None
    choices = _measure_folds(choices, [table, y_pred_a], has_labels)
    question, sampling = read(**select(choices, options.FIT))
    layout, categories = _layout_and_categories(choices, question)
    observed = load_pair(
        question.measure.reads,
        (table, y_pred_a, y_pred_b),
        {"truth": truth, "a": a, "b": b},
        layout,
        categories,
        documents=getattr(sampling.model, "by_document", False),
        own_columns=getattr(sampling.model, "own_columns", None),
    )
    if observed.columns:
        program: Any = sampling.model
        own = {**program.user_data, **observed.columns}
        sampling = replace(sampling, model=program.with_data(own))
    question = _ask_folds(question, observed, choices)
    _check_direction(question, observed.systems, choices)
    if names is not None:
        observed = observed.called(as_names(names))
    columns = (y_pred_a, y_pred_b) if truth is None else (a, b)
    rows = _rows(table, truth, observed.systems, columns, layout, categories)
    return compare_data(observed, question, sampling, rows)


@spell_out(options.CONTEST)
def contest(
    table: Any = None,
    predictions: Mapping[str, Any] | None = None,
    *,
    truth: Any = None,
    systems: Sequence[Any] | None = None,
    **choices: Unpack[CompareOptions],
) -> Contest | Any:
    """Compare any number of systems by what they predicted on the same documents.

    Parameters
    ----------
    table : array_like, data frame, path, or a tuple of tables
        The true labels, with ``predictions`` beside them; or a data frame or the path of a file,
        with the name of its column of true labels in ``truth``; or one of these per system, which
        are joined by ``id``.
    predictions : mapping, optional
        What each system predicted, by its name, in the order of the true labels.
    truth : str
        The column of true labels.
    systems : sequence of str, optional
        The columns of predictions, which name the systems; by default all other columns. In long
        format the names of the systems, by default all. Of several tables a column of each, or one
        name for all of them.
    pos_label, labels
        As in :func:`compare`.
    id, unmatched, item, system, prediction, value, cluster, dataset, by, trained, \
denominator, sample_weight
        As in :func:`compare`.
    fold, repeat, folds, repeats, cv, n_train, n_test, metric, paired
        As in :func:`compare`.
    measure, beta, zero_division, prevalence, clip, higher_is_better, average, rope, hdi_prob
        As in :func:`compare`.
    shrink : bool, optional
        Whether ranks, P(best), P(within the ROPE of the best) and regret let systems learn from
        each other; by default from four systems on. Verdicts on pairs never do.
    not_worse_by, better_by : float or str, optional
        As in :func:`compare`, of every system against ``compare_to``.
    compare_to : str, optional
        The baseline of such claims; by default the leader.
    model, population, data, prior, engine, chains, draws, warmup, seed, sampler_options, \
output_dir, executor, progress
        As in :func:`compare`. By default the model is ``"contest"``, under which any two of the
        systems have the posterior of the paired model, and ``"joint"`` for single-label classes
        with an average. Both are drawn by conjugacy; Stan takes up to six systems. With
        ``executor``, any of ``concurrent.futures`` or a client of Dask, others draw the categories
        of the contest model; the numbers are the same.

    Returns
    -------
    Contest
        Who can still be the best, the ranks, every pair. With ``unmatched="pairs"`` it is a
        :class:`stanoff.results.contest.Pairs`, which has the pairs alone.

    Examples
    --------
    >>> truth = [1, 1, 1, 0, 0, 0] * 50
    >>> said = {"a": truth, "b": truth[::-1], "c": [1, 0, 1, 0, 1, 0] * 50}
    >>> result = contest(truth, said, seed=1)
    >>> result.best(), str(result.between("a", "c").decision)
    (('a',), '>>')
    """
    has_labels = truth is not None or (table is not None and predictions is not None)
    choices = _measure_folds(choices, [table, predictions], has_labels)
    question, sampling = read(**select(choices, options.FIT))
    layout, categories = _layout_and_categories(choices, question)
    kind = question.measure.reads
    if choices.get("unmatched") == "pairs" and predictions is None:
        for name in ("not_worse_by", "better_by", *options.OF_CONTESTS):
            if choices.get(name) is not None:
                raise invalid(name, "None where unmatched='pairs' is given", choices.get(name))
        pairs, not_judged = load_pairs(kind, table, truth, systems, layout, categories)
        names = list(dict.fromkeys(name for pair in (*pairs, *not_judged) for name in pair))
        _check_direction(question, names, choices)
        rows = _rows(table, truth, names, systems, layout, categories)
        return compare_pairs(pairs, not_judged, question, sampling, rows)
    _check_contest_model(question, sampling)
    observed = load_systems(kind, table, predictions, truth, systems, layout, categories)
    question = _ask_folds(question, observed, choices)
    _check_direction(question, observed.systems, choices)
    columns = systems if predictions is None else list(predictions.values())
    rows = _rows(table, truth, observed.systems, columns, layout, categories)
    return contest_data(observed, question, sampling, rows)


@spell_out(options.COMPARE_COUNTS)
def compare_counts(
    c_pos: ArrayLike | None = None,
    c_neg: ArrayLike | None = None,
    *,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    categories: Sequence[str] | None = None,
    names: tuple[str, str] | None = None,
    **choices: Unpack[FitOptions],
) -> Comparison:
    """Compare two systems by counts of documents.

    Parameters
    ----------
    c_pos, c_neg : array_like
        Positive and negative documents by outcome pair: both, only A, only B, neither said yes; a
        row of four per category. Or ``c_pos`` alone: what :func:`count` returned.
    a, b : array_like
        Instead of these, documents of each system by cell: tp, fp, fn, tn.
    categories : sequence of str, optional
        Their names.
    names : tuple of str, optional
        What A and B are called.
    measure, beta, zero_division, prevalence, clip, higher_is_better, average, rope, hdi_prob
        As in :func:`compare`.
    model, population, data, prior, engine, chains, draws, warmup, seed, sampler_options, \
output_dir, executor, progress
        As in :func:`compare`.

    Examples
    --------
    >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
    >>> str(result.decision)
    '='
    """
    question, sampling = read(**choices)
    arguments = {"c_pos": c_pos, "c_neg": c_neg, "a": a, "b": b}
    counts = {name: values for name, values in arguments.items() if values is not None}
    observed = _check_counts(counts, categories)
    if names is not None:
        observed = replace(observed, systems=as_names(names))
    return compare_data(observed, question, sampling)


def _measure_folds(
    choices: CompareOptions, inputs: Sequence[Any], has_labels: bool
) -> CompareOptions:
    """Let scores of folds be averaged: they were measured before."""
    if not is_cross_validation(inputs, choices, labels=has_labels):
        if choices.get("dataset") is None or has_labels:
            return choices
        return {**choices, "measure": choices.get("measure", "mean")}  # scores in data sets
    if choices.get("measure", "mean") != "mean":
        rule = "left out for scores of folds, which are computed already (metric= says which)"
        raise invalid("measure", rule, choices["measure"])
    return {**choices, "measure": "mean"}


def _ask_folds(question: Question, data: Data, choices: CompareOptions) -> Question:
    """Let less be better of the losses that scikit-learn returns with the other sign.

    What folds and trained copies are to tell about must be what they know.
    """
    models.check_population(choices.get("population"), data)
    if not isinstance(data, FoldValues):
        return question
    if choices.get("population") == "items":
        raise invalid("population", "'training sets' for scores of folds", "items")
    if not data.negated:
        return question
    if choices.get("higher_is_better"):
        rule = f"left out for {data.scorer}, which is turned round to {data.metric}"
        raise invalid("higher_is_better", rule, True)
    return question.changed(higher_is_better=False)


def _layout_and_categories(
    choices: CompareOptions, question: Question
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Take apart how data are laid out and which categories are judged."""
    categories = ("pos_label", "labels")
    layout = select(choices, [name for name in options.DATA if name not in categories])
    return layout, {name: choices.get(name) for name in categories} | {"average": question.average}


def _check_contest_model(question: Question, sampling: Sampling) -> None:
    """Refuse models that know two systems only."""
    if sampling.model is None or models.takes_contests(sampling.model):
        return
    of_values = question.measure.kind == "values"
    several = [model for model in models.MODELS.values() if models.takes_contests(model)]
    names = [m.name for m in several if (m.accepts.kind == "values") == of_values]
    raise unknown("model", sampling.model.name, names)


def _check_direction(question: Question, systems: Sequence[str], choices: CompareOptions) -> None:
    columns = (*systems, choices.get("value"), choices.get("prediction"))
    check_direction(question.measure, choices.get("higher_is_better"), columns)


def _check_counts(counts: Mapping[str, Any], categories: Any) -> Data:
    """Check counts that the caller made."""
    if isinstance(counts.get("c_pos"), Data):
        if len(counts) > 1 or categories is not None:
            raise InputError("Pass what count() returned alone: it has everything in it.")
        data: Data = counts["c_pos"]
        return data
    if list(counts) not in (["c_pos", "c_neg"], ["a", "b"]):
        raise InputError("Pass either c_pos and c_neg, or a and b.")
    first, second = (check_counts(name, values) for name, values in counts.items())
    rows, parameters = len(first), " and ".join(counts)
    if rows != len(second):
        raise InputError(f"{parameters} must have as many rows, but have {rows} and {len(second)}.")
    names = tuple(str(i) for i in range(rows)) if rows > 1 else ("1",)
    if categories is not None:
        listed = isinstance(categories, Sequence) and not isinstance(categories, str)
        names = tuple(map(str, categories)) if listed else ()
        if len(names) != rows or len(set(names)) != rows:
            raise invalid("categories", f"{rows} different names", categories)
    return (PairedCounts if "c_pos" in counts else UnpairedCounts)(names, first, second)


def _rows(
    table: Any,
    truth: Any,
    names: Sequence[str],
    columns: Any,
    layout: Mapping[str, Any],
    categories: Mapping[str, Any],
) -> Rows | None:
    """Refer to what was given of the systems, if it has documents in rows."""
    columns = [columns] if isinstance(columns, str) else list(columns or names)
    columns = columns * len(names) if len(columns) == 1 else columns  # the same of all tables
    if table is None or any(column is None for column in columns):
        return None
    return Rows(table, truth, dict(zip(names, columns, strict=False)), layout, categories)


def load(path: str | os.PathLike[str]) -> Comparison | Contest:
    """Read a result that was saved.

    Parameters
    ----------
    path : str or path
        A file that ``save`` has written.

    Returns
    -------
    Comparison or Contest
        The same result, with the same numbers.

    Raises
    ------
    StanoffError
        If the file cannot be read, is damaged, or is no result of stanoff.
    """
    return _result_of(netcdf.read(path))


def _result_of(saved: netcdf.Saved) -> Comparison | Contest:
    """Put a result together again, and those of groups of its documents."""
    groups: Any = {name: _result_of(group) for name, group in saved.groups.items()}
    kind: Any = Contest if len(saved.scores) == 1 else Comparison
    result: Comparison | Contest = kind(saved.fit, saved.question, *saved.scores, groups=groups)
    vars(result).update(saved.remembered)  # what the cached properties of the result would compute
    return result
