"""Tests of pooled decisions: every document in every category is a trial."""

from __future__ import annotations

from math import sqrt
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from stanoff.data.types import Counts, Data, PairedCounts
from stanoff.errors import InputError, invalid, unknown
from stanoff.significance.result import (
    SignificanceResult,
    check_options,
    normal_p,
    tail,
    undoable,
)
from stanoff.significance.signs import binomial, binomial_p

# How many trials went well, and how many there were, by cells tp, fp, fn, tn.
PROPORTIONS = {
    "recall": ((0,), (0, 2)),
    "precision": ((0,), (0, 1)),
    "accuracy": ((0, 3), (0, 1, 2, 3)),
    "error": ((0, 3), (0, 1, 2, 3)),
}
SMALL = 40


def sign_test(
    counts: Data, *, alternative: str = "two-sided", approximation: str | None = None
) -> SignificanceResult:
    """Compare how often only A and only B is right: the micro sign test, s-test.

    Where the categories are classes of which every document has exactly one, a wrong class
    is two wrong decisions, which are not independent.

    Parameters
    ----------
    counts : Data
        Of the same documents, their categories pooled.
    alternative : str
        ``"two-sided"``, ``"greater"`` (A is better), ``"less"``, or ``"one-sided"``: the side that
        the data lean to, as Yang and Liu do.
    approximation : str, optional
        None for the exact binomial p-value; ``"yang1999"`` for the normal one where n > 12.

    Examples
    --------
    >>> from stanoff import PairedCounts
    >>> sign_test(PairedCounts(("1",), [[30, 8, 1, 3]], [[2, 0, 1, 55]])).p_value
    0.021484375
    """
    only_a, only_b = (int(x.sum()) for x in only_right(counts))
    return binomial(
        "s-test",
        "accuracy",
        n=only_a + only_b,
        k=only_a,
        alternative=alternative,
        approximation=approximation,
    )


def mcnemar_test(
    counts: Data, *, method: str = "exact", correction: bool = True
) -> SignificanceResult:
    """Compare how often only A and only B is right, after McNemar; always two-sided.

    Parameters
    ----------
    counts : Data
        Of the same documents, their categories pooled.
    method : str
        ``"exact"``, which is the two-sided s-test, or ``"chi2"``.
    correction : bool
        Take 1 off the difference (Edwards' continuity correction) in ``"chi2"``.

    Examples
    --------
    >>> from stanoff import PairedCounts
    >>> counts = PairedCounts(("1",), [[30, 18, 6, 3]], [[2, 0, 0, 55]])
    >>> round(mcnemar_test(counts, method="chi2").p_value, 4)
    0.0247
    """
    from scipy.stats import chi2

    if method not in ("exact", "chi2"):
        raise unknown("method", method, ("exact", "chi2"))
    only_a, only_b = (int(x.sum()) for x in only_right(counts))
    n = only_a + only_b
    if method == "exact" or n == 0:
        name = "McNemar exact" if method == "exact" else "McNemar chi-square"
        return binomial(
            name, "accuracy", n=n, k=only_a, alternative="two-sided", approximation=None
        )
    far = max(abs(only_a - only_b) - bool(correction), 0)
    statistic = far**2 / n
    return SignificanceResult(
        "McNemar chi-square",
        "accuracy",
        statistic,
        n,
        float(chi2.sf(statistic, 1)),
        only_a,
        direction=int(np.sign(only_a - only_b)),
        note="" if n >= 25 else "with n below 25 prefer the exact form",
    )


def proportion_test(
    counts: Data, measure: str = "accuracy", *, alternative: str = "two-sided"
) -> SignificanceResult:
    """Compare two proportions as if of independent samples: the p-test.

    The pooled z of Yang and Liu (section 4.5), judged by the t-distribution with n - 1 degrees
    of freedom where n = n_A + n_B is at most 40, else by the normal one. It forgets which
    documents A and B share. Its statistic is above 0 where A is better, for error too.

    Parameters
    ----------
    counts : Data
        Paired or not, their categories pooled.
    measure : str
        ``"recall"`` (of the true yes), ``"precision"`` (of the assigned yes), ``"accuracy"`` or
        ``"error"`` (of all documents and categories).
    alternative : str
        As in :func:`sign_test`.

    Examples
    --------
    >>> from stanoff import UnpairedCounts
    >>> counts = UnpairedCounts(("1",), [[80, 10, 20, 90]], [[60, 10, 40, 90]])
    >>> round(proportion_test(counts, "recall").statistic, 3)
    3.086
    """
    from scipy.stats import t

    check_options(alternative)
    (k_a, n_a), (k_b, n_b) = proportions(counts, measure)
    n = n_a + n_b
    if not n_a or not n_b:
        return undoable("p-test", measure, _empty(measure, n_a), n=n, alternative=alternative)
    pooled = (k_a + k_b) / n
    better = k_a / n_a - k_b / n_b
    if pooled in (0, 1):
        same = _constant(pooled)
        return SignificanceResult("p-test", measure, 0.0, n, 1.0, None, alternative, note=same)
    z = better / sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b))
    side = tail(alternative, int(np.sign(better)))
    if n > SMALL:
        p = normal_p(z, side)
    elif side == "two-sided":
        p = float(2 * t.sf(abs(z), n - 1))
    else:
        p = float(t.sf(z, n - 1) if side == "greater" else t.cdf(z, n - 1))
    return SignificanceResult("p-test", measure, z, n, p, None, alternative, int(np.sign(better)))


def welch_test(
    counts: Data, measure: str = "accuracy", *, alternative: str = "two-sided"
) -> SignificanceResult:
    """Compare two proportions by Welch's t-test of 0 and 1.

    Of accuracy, category by category, it is the column "t-test" in Tables 4 to 6 of Zhang et al.
    (2016).

    Parameters
    ----------
    counts, measure, alternative : Data or str
        As in :func:`proportion_test`.

    Examples
    --------
    >>> from stanoff import UnpairedCounts
    >>> counts = UnpairedCounts(("1",), [[80, 10, 20, 90]], [[60, 10, 40, 90]])
    >>> round(welch_test(counts, "recall").p_value, 4)
    0.0019
    """
    from scipy.stats import ttest_ind_from_stats

    check_options(alternative)
    (k_a, n_a), (k_b, n_b) = proportions(counts, measure)
    n = n_a + n_b
    if not n_a or not n_b:
        return undoable("Welch t-test", measure, _empty(measure, n_a), n=n, alternative=alternative)
    if n_a < 2 or n_b < 2:
        few = "there must be two trials of each at least"
        return undoable("Welch t-test", measure, few, n=n, alternative=alternative)
    means = k_a / n_a, k_b / n_b
    better = int(np.sign(means[0] - means[1]))
    if means[0] in (0, 1) and means[1] in (0, 1):
        if not better:
            same = _constant(means[0])
            return SignificanceResult(
                "Welch t-test", measure, 0.0, n, 1.0, None, alternative, note=same
            )
        constant = "one is always right and the other never, so that nothing varies"
        return undoable("Welch t-test", measure, constant, n=n, alternative=alternative)
    found = ttest_ind_from_stats(
        means[0],
        _std(means[0], n_a),
        n_a,
        means[1],
        _std(means[1], n_b),
        n_b,
        equal_var=False,
        alternative=cast(Literal["two-sided", "less", "greater"], tail(alternative, better)),
    )
    return SignificanceResult(
        "Welch t-test",
        measure,
        float(found.statistic),
        n,
        float(found.pvalue),
        None,
        alternative,
        better,
    )


def columns(counts: Data) -> dict[str, list[float]]:
    """Return the columns "sign-test" and "t-test" of Tables 4 to 6 of Zhang et al. (2016).

    Both compare accuracy, two-sided: the exact s-test, and Welch's t-test.

    Parameters
    ----------
    counts : Data
        What was observed; of unpaired counts the sign test is NaN.

    Returns
    -------
    dict of str to list of float
        ``"sign_test"`` and ``"t_test"``, a p-value per category.

    Examples
    --------
    >>> from stanoff import PairedCounts
    >>> counts = PairedCounts(("x", "y"), [[30, 8, 1, 3], [9, 0, 0, 1]], [[2, 0, 1, 55]] * 2)
    >>> {name: [round(p, 3) for p in column] for name, column in columns(counts).items()}
    {'sign_test': [0.021, 1.0], 't_test': [0.06, 0.701]}
    """
    if counts.cells is None:
        return dict.fromkeys(("sign_test", "t_test"), [float("nan")] * len(counts.categories))
    signs = [float("nan")] * len(counts.categories)
    if counts.paired:
        signs = binomial_p(*only_right(counts)).tolist()
    return {"sign_test": signs, "t_test": _welch_p(cells_of(counts)).tolist()}


def _welch_p(cells: Counts) -> NDArray[np.float64]:
    """Return the p-values of :func:`welch_test` of accuracy, category by category."""
    from scipy.stats import ttest_ind_from_stats

    n = cells.sum(axis=-1)
    right = cells[..., 0] + cells[..., 3]
    p = np.full(n.shape[1], np.nan)
    constant = ((right == 0) | (right == n)).all(axis=0)
    enough = (n > 1).all(axis=0)
    p[enough & constant & ((right == 0).all(axis=0) | (right == n).all(axis=0))] = 1.0
    told = enough & ~constant
    mean = right[:, told] / n[:, told]
    spread = np.sqrt(mean * (1 - mean) * n[:, told] / (n[:, told] - 1))
    (a, b), (s_a, s_b), (n_a, n_b) = mean, spread, n[:, told]
    p[told] = ttest_ind_from_stats(a, s_a, n_a, b, s_b, n_b, equal_var=False).pvalue
    return p


def only_right(counts: Data) -> tuple[Counts, Counts]:
    """Count, category by category, how often only A and how often only B is right."""
    pairs = check_counts(counts)
    if not isinstance(pairs, PairedCounts):
        raise InputError(
            "Sign tests need both classifiers on the same documents: pass PairedCounts, not "
            "UnpairedCounts."
        )
    return pairs.pos[:, 1] + pairs.neg[:, 2], pairs.pos[:, 2] + pairs.neg[:, 1]


def proportions(counts: Data, measure: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Count for A and for B how many trials went well, and how many there were."""
    if measure not in PROPORTIONS:
        raise unknown("measure", measure, PROPORTIONS)
    hits, trials = PROPORTIONS[measure]
    pooled = cells_of(counts).sum(axis=1)
    k_n = [(int(cells[list(hits)].sum()), int(cells[list(trials)].sum())) for cells in pooled]
    return k_n[0], k_n[1]


def check_counts(counts: Data) -> Data:
    """Take counts of any kind; those of classes become one against the rest."""
    if not isinstance(counts, Data) or counts.cells is None:
        raise invalid("counts", "PairedCounts or UnpairedCounts", type(counts).__name__)
    return counts.one_vs_rest()


def cells_of(counts: Data) -> Counts:
    """Return the observed cells of both systems (system, category, 4)."""
    cells = check_counts(counts).cells
    assert cells is not None
    return cells


def _std(mean: float, n: int) -> float:
    return sqrt(mean * (1 - mean) * n / (n - 1))


def _constant(mean: float) -> str:
    return f"both are {'always' if mean else 'never'} right, so that nothing varies"


def _empty(measure: str, n_a: int) -> str:
    return f"{'B' if n_a else 'A'} has no trial that {measure} counts"
