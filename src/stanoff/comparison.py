"""``compare`` and ``compare_counts``: from labels or counts to a result."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from stanoff import measures, models, posterior, sources
from stanoff.counts import AVERAGES, PairedCounts, UnpairedCounts, given_counts
from stanoff.decision import as_probability, as_rope
from stanoff.errors import InputError, SamplingWarning, invalid, unknown
from stanoff.models import AnyCounts, Model
from stanoff.posterior import Draws
from stanoff.priors import Prior, Priors
from stanoff.result import Comparison, judged

ENGINES = ("stan", "exact")
STAN_CHAINS, STAN_DRAWS, STAN_WARMUP = 4, 1000, 1000
STAN_LEAST, STAN_CELLS = 250, 200_000  # with very many categories CmdStan writes large files
EXACT_CHAINS, EXACT_DRAWS = 1, 50_000
JOINT_DRAWS = 10_000  # every one of these takes longer
EXACT_CELLS = 1_000_000  # with many categories fewer draws, or they would not fit into memory
MOST_SEED = 2**31 - 1


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


def fit(
    counts: AnyCounts,
    *,
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
    """Fit a model to counts; :func:`compare` explains the options."""
    for parameter, value, known in (("engine", engine, ENGINES), ("average", average, AVERAGES)):
        if not (isinstance(value, str) and value in known) and value is not None:
            raise unknown(parameter, value, known)
    clash = set(AVERAGES) & set(counts.categories)
    if average is not None and clash:
        raise InputError(f"A category is called {clash.pop()!r}, like an average: rename it.")
    if sum(counts.documents) == 0:
        raise InputError("There is nothing to compare: all counts are 0.")
    chosen_measure = measures.get(
        measure, beta=beta, zero_division=zero_division, prevalence=prevalence
    )
    chosen_model = models.get(model)
    if engine is None:
        engine = "stan" if chosen_model.program else "exact"
    if engine == "stan" and not chosen_model.program:
        raise invalid("engine", f"'exact' for {chosen_model.name}, which has no program", engine)
    weights, number = _as_prior(prior), _as_seed(seed)
    interval, probability = as_rope(rope), as_probability("hdi", hdi)
    called = _as_names(names)
    data = chosen_model.stan_data(counts, weights, chosen_measure)
    warm = _whole("warmup", warmup, STAN_WARMUP)
    if engine == "stan":
        from stanoff.engines import stan

        few = min(STAN_DRAWS, max(STAN_LEAST, STAN_CELLS // data.get("K", 1)))
        drawn = stan.sample(
            chosen_model,
            data,
            documents=max(counts.documents),
            chains=_whole("chains", chains, STAN_CHAINS),
            draws=_whole("draws", draws, few, least=4),
            warmup=warm,
            seed=number,
            progress=progress,
        )
    else:
        most = JOINT_DRAWS if chosen_model.classes else EXACT_DRAWS
        enough = min(most, max(STAN_DRAWS, EXACT_CELLS // data["K"]))
        drawn = _draw_exactly(
            chosen_model,
            data,
            chains=_whole("chains", chains, EXACT_CHAINS),
            draws=_whole("draws", draws, enough, least=4),
            seed=number,
        )
    unjudged = Comparison(
        counts=counts,
        names=called,
        model=chosen_model,
        engine=engine,
        seed=number,
        prior=weights,
        measure_used=chosen_measure,
        average=average,
        rope_used=interval,
        hdi_used=probability,
        draws=drawn,
        sampler_warnings=_sampler_trouble(drawn) if engine == "stan" else (),
    )
    return judged(unjudged, chosen_measure, by_stan=engine == "stan" and bool(chosen_measure.code))


def _draw_exactly(model: Model, data: models.Data, *, chains: int, draws: int, seed: int) -> Draws:
    if model.exact is None:
        raise invalid("engine", f"'stan' for {model.name}, which is not conjugate", "exact")
    rng = np.random.default_rng(seed)
    both = []
    for prior_only in (0, 1):
        try:
            drawn = model.exact(data | {"prior_only": prior_only}, chains * draws, rng)
        except MemoryError:
            told = f"{chains} x {draws}"
            raise invalid("draws", "so few that they fit into memory", told) from None
        both.append({k: v.reshape(chains, draws, *v.shape[1:]) for k, v in drawn.items()})
    posterior_draws, prior_draws = both
    no_trouble = {"diverging": np.zeros((chains, draws), dtype=bool)}
    return Draws(posterior_draws, prior_draws, sample_stats=no_trouble)


def _sampler_trouble(draws: Draws) -> tuple[str, ...]:
    judged_by = [name for name in ("psi_A", "psi_B", "delta") if name in draws.posterior]
    told = posterior.trouble(draws, of=judged_by)
    if not told:
        return ()
    message = f"The sampler had trouble: {'; '.join(told)}. Draw more, or look at plot_trace()."
    warnings.warn(message, SamplingWarning, stacklevel=4)
    return (message,)


def _whole(parameter: str, value: Any, default: int, least: int = 1) -> int:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise invalid(parameter, f"a whole number >= {least}", value)
    return int(value)


def _as_seed(seed: Any) -> int:
    if seed is None:
        return secrets.randbelow(MOST_SEED) + 1
    if _whole("seed", seed, 0, least=0) > MOST_SEED:
        raise invalid("seed", f"a whole number from 0 to {MOST_SEED}", seed)
    return int(seed)


def _as_prior(prior: Any) -> Priors:
    if prior is None:
        return Prior.uniform()
    if isinstance(prior, Prior):
        return prior
    pair = tuple(prior) if isinstance(prior, (tuple, list)) else ()
    if len(pair) == 2 and all(isinstance(one, Prior) for one in pair):
        return pair[0], pair[1]
    raise invalid("prior", "a stanoff.Prior, or two of them in an unpaired model", prior)


def _as_names(names: Any) -> tuple[str, str]:
    if names is None:
        return "A", "B"
    called = [" ".join(str(name).split()) for name in names] if isinstance(names, Sequence) else []
    if isinstance(names, str) or len(set(called)) != 2 or len(called) != 2 or not all(called):
        raise invalid("names", "two different names", names)
    for name in called:
        if not name.isprintable():
            raise invalid("names", "printable", name)
    return called[0], called[1]
