"""``compare`` and ``compare_counts``: from labels or counts to a result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from numpy.typing import ArrayLike

from stanoff import models, sources
from stanoff.counts import PairedCounts, UnpairedCounts, given_counts
from stanoff.errors import InputError, invalid
from stanoff.fitting import fit
from stanoff.models import AnyCounts
from stanoff.priors import Priors
from stanoff.result import Comparison


class Options(TypedDict, total=False):
    """The options that every way of comparing takes; :func:`compare` explains them."""

    measure: str
    beta: float
    average: str | None
    zero_division: float | str
    prevalence: float | None
    rope: Any
    hdi: float
    model: str | Path
    prior: Priors | None
    engine: str | None
    draws: int | None
    chains: int | None
    warmup: int | None
    seed: int | None
    names: tuple[str, str] | None
    progress: bool


def compare(
    data: Any = None,
    y_pred_a: Any = None,
    y_pred_b: Any = None,
    *,
    truth: str | None = None,
    a: Any = None,
    b: Any = None,
    pos_label: Any = None,
    labels: Sequence[Any] | None = None,
    measure: str = "f1",
    beta: float = 1.0,
    average: str | None = None,
    zero_division: float | str = 0.0,
    prevalence: float | None = None,
    rope: Any = 0.05,
    hdi: float = 0.95,
    model: str | Path = "paired",
    prior: Priors | None = None,
    engine: str | None = None,
    draws: int | None = None,
    chains: int | None = None,
    warmup: int | None = None,
    seed: int | None = None,
    names: tuple[str, str] | None = None,
    progress: bool = False,
) -> Comparison:
    """Compare two classifiers by what they predicted.

    Parameters
    ----------
    data : the true labels, with ``y_pred_a`` and ``y_pred_b`` beside them; or a data frame or the
        path of a file, with the names of its columns in ``truth``, ``a`` and ``b``
    y_pred_a, y_pred_b : what A and B predicted, in the order of the true labels
    truth, a, b : names of columns; for two different test sets ``a`` and ``b`` are pairs of
        arrays, (true labels, predictions), and there is no ``data``
    pos_label : the positive label: 1 unless told; with more than two labels, the one that is
        judged against the rest
    labels : the categories to average over, all unless told
    measure : ``"f1"`` (F-beta), ``"precision"``, ``"recall"``, ``"mcc"`` ..., see
        ``stanoff measures``, or one registered with :func:`stanoff.measures.register`
    beta : weight of recall in F-beta
    average : None to judge one category, or ``"macro"``, ``"micro"`` or ``"weighted"``
    zero_division : what a measure is where it is 0/0: 0, 1 or NaN
    prevalence : share of positives to judge the classifiers at, instead of the one in the data
    rope : region of practical equivalence: a half-width around 0, or two ends
    hdi : probability of the highest density interval
    model : ``"paired"``, or ``"unpaired"`` for different test sets; ``"hierarchical"`` and
        ``"hierarchical_unpaired"`` let categories learn from each other; ``"joint"`` (paired) and
        ``"multiclass"`` (unpaired) are for classes of which every document has one; ``"documents"``
        is the unpaired model without counting first; or the path of a Stan program of your own
    prior : a :class:`Prior`, uniform unless told; in an unpaired model also one for A, one for B
    engine : ``"stan"``, or ``"exact"`` for conjugate draws that need no compiler; Stan unless
        told, except for the joint model, which has no Stan program
    draws, chains, warmup : draws to keep per chain (1,000 unless told, fewer beyond 200
        categories), chains (4), and draws to discard per chain (1,000); the
        exact engine has one chain of 50,000 independent draws unless told (10,000 of the joint
        model, and fewer of many categories), and no warm-up
    seed : makes every number reproducible; without one a random seed is taken and kept
    names : what A and B are called; the names of their columns if these are known
    progress : show the sampler's progress on stderr

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
    chosen_model = models.get(model)
    if chosen_model.classes:
        average = average or "macro"
    chosen: dict[str, Any] = {
        "pos_label": pos_label,
        "labels": labels,
        "average": average,
        "classes": chosen_model.classes,
    }
    counts: AnyCounts
    if data is None:
        counts = sources.from_two_test_sets(a, b, **chosen)
    elif y_pred_a is None and y_pred_b is None:
        counts = sources.from_table(data, truth=truth, a=a, b=b, **chosen)
        names = names or (str(a), str(b))
    elif (truth, a, b) != (None, None, None):
        raise InputError("Pass predictions as arrays or as names of columns, not both.")
    else:
        counts = sources.from_arrays(data, y_pred_a, y_pred_b, **chosen)
    return fit(
        counts,
        measure=measure,
        beta=beta,
        average=average,
        zero_division=zero_division,
        prevalence=prevalence,
        rope=rope,
        hdi=hdi,
        model=model,
        prior=prior,
        engine=engine,
        draws=draws,
        chains=chains,
        warmup=warmup,
        seed=seed,
        names=names,
        progress=progress,
    )


def compare_counts(
    c_pos: ArrayLike | None = None,
    c_neg: ArrayLike | None = None,
    *,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    categories: Sequence[str] | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compare two classifiers by counts of documents.

    Parameters
    ----------
    c_pos, c_neg : positive and negative documents by outcome pair: both, only A, only B, neither
        said yes; a row of four per category
    a, b : instead of these, documents of each classifier by cell: tp, fp, fn, tn
    categories : their names
    **options : as in :func:`compare`

    Examples
    --------
    >>> result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], engine="exact", seed=1)
    >>> str(result.decision)
    '='
    """
    pairs, cells = {"c_pos": c_pos, "c_neg": c_neg}, {"a": a, "b": b}
    given = {name: values for name, values in (pairs | cells).items() if values is not None}
    if set(given) not in (set(pairs), set(cells)):
        raise InputError("Pass either c_pos and c_neg, or a and b.")
    first, second = (given_counts(name, values) for name, values in given.items())
    if first.shape != second.shape:
        told = f"{len(first)} and {len(second)}"
        raise InputError(f"{' and '.join(given)} must have as many rows, but have {told}.")
    known = tuple(str(i) for i in range(len(first))) if len(first) > 1 else ("1",)
    if categories is not None:
        known = tuple(str(name) for name in categories) if isinstance(categories, Sequence) else ()
        if isinstance(categories, str) or len(known) != len(first) or len(set(known)) != len(known):
            raise invalid("categories", f"{len(first)} different names", categories)
    if a is None:
        return fit(PairedCounts(known, first, second), **options)
    options.setdefault("model", "unpaired")
    return fit(UnpairedCounts(known, first, second), **options)
