"""Savage-Dickey factors against densities of delta at 0 by quadrature."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln, gammaln, roots_jacobi, roots_legendre

from stanoff import Prior, compare_counts

N_SEEDS = 20


def nodes(low, high, n=400, pieces=1):
    """Gauss-Legendre nodes and weights of an interval, cut into pieces of equal size."""
    x, w = roots_legendre(n // pieces)
    ends = np.linspace(low, high, pieces + 1)
    half = np.diff(ends)[:, None] / 2
    return (ends[:-1, None] + half + half * x).ravel(), (half * w).ravel()


class ShareDifference:
    """The difference of the first two shares of a Dirichlet with the weights a, b and c."""

    def __init__(self, a, b, c):
        t = np.concatenate([np.geomspace(1e-9, 1e-3, 60), np.linspace(1e-3, 1, 2000)[1:-1]])
        above, below = self._density(a, b, c, t), self._density(b, a, c, t)
        self.t, self.log_density = (
            np.concatenate([-t[::-1], t]),
            np.log(np.concatenate([below[::-1], above]) + 1e-300),
        )

    @staticmethod
    def _density(a, b, c, t):
        # y^(b-1) (t + y)^(a-1) (1 - t - 2y)^(c-1), y from 0 to (1 - t)/2.
        x, w = roots_jacobi(150, c - 1, b - 1)
        end = (1 - t[:, None]) / 2
        y = end * (1 + x) / 2
        log_constant = gammaln(a + b + c) - gammaln(a) - gammaln(b) - gammaln(c)
        inner = np.exp((a - 1) * np.log(t[:, None] + y)) @ w
        scale = (b - 1) * np.log(end / 2) + (c - 1) * np.log(end) + np.log(end / 2)
        return inner * np.exp(scale[:, 0] + log_constant)

    def __call__(self, t):
        return np.where(np.abs(t) < 1, np.exp(np.interp(t, self.t, self.log_density)), 0.0)


def paired_density(measure, mu, pos, neg):
    """Density at 0 of mu X + (1 - mu) Z; of balanced accuracy it is that of (X + Z)/2."""
    x, z = ShareDifference(*pos), ShareDifference(*neg)
    t, w = nodes(-1, 1, 4000, pieces=40)
    if measure == "balanced_accuracy":
        return 2 * np.sum(w * x(t) * z(-t))
    share, of_share = nodes(0, 1, 400, pieces=4)
    share = stats.beta(*mu).ppf(share)
    odds = share / (1 - share)
    inner = [
        np.sum(w * x(t) * z(-r * t)) * (1 + r)
        if r < 1
        else np.sum(w * z(t) * x(-t / r)) * (1 + 1 / r)
        for r in odds
    ]
    return np.sum(of_share * inner)


def unpaired_density(measure, systems):
    """Integral of the product of two densities of independent scores."""
    score, weight = nodes(0, 1, 480, pieces=12)
    return np.sum(weight * np.prod([score_density(measure, score, *s) for s in systems], axis=0))


def score_density(measure, score, mu, pos, neg):
    """Density of accuracy or F1: given prevalence and one rate, it is that of the other rate."""
    p, w = nodes(0, 1, 60, pieces=2)
    share, fpr = np.meshgrid(stats.beta(*mu).ppf(p), stats.beta(*neg).ppf(p))
    score = score[:, None, None]
    if measure == "accuracy":
        recall, slope = (score - (1 - share) * (1 - fpr)) / share, 1 / share
    else:
        predicted = 1 + (1 - share) / share * fpr
        recall, slope = score * predicted / (2 - score), 2 * predicted / (2 - score) ** 2
    inside = (recall > 0) & (recall < 1)
    r = np.where(inside, recall, 0.5)
    log_density = (pos[0] - 1) * np.log(r) + (pos[1] - 1) * np.log1p(-r) - betaln(*pos)
    return np.where(inside, slope * np.exp(log_density), 0.0) @ w @ w


# Counts of outcome pairs (both, only A, only B, neither), or of the cells of A and of B.
FLAT, SHARP, JEFFREYS = Prior(), Prior(beta=2), Prior.jeffreys()
PAIRED = {
    "few": ([5, 2, 1, 2], [1, 2, 3, 14]),
    "none differ": ([12, 0, 0, 3], [2, 0, 0, 20]),
    "example": ([60, 10, 4, 6], [3, 5, 9, 103]),
    "rare": ([6, 2, 1, 1], [4, 3, 5, 488]),
    "clear": ([40, 16, 5, 9], [4, 6, 9, 111]),
    "large": ([310, 25, 20, 43], [40, 30, 25, 905]),
}
UNPAIRED = {
    "few": ([7, 3, 3, 17], [6, 4, 4, 16]),
    "equal": ([20, 5, 5, 70], [20, 5, 5, 70]),
    "example": ([70, 8, 10, 112], [64, 12, 16, 108]),
    "rare": ([8, 7, 2, 483], [7, 9, 3, 481]),
    "clear": ([56, 10, 14, 120], [45, 13, 25, 117]),
    "large": ([335, 70, 63, 930], [330, 65, 68, 935]),
}
COUNTS = {"paired": PAIRED, "unpaired": UNPAIRED}
CASES = [
    (kind, name, measure, prior)
    for kind, counts, third in (
        ("paired", PAIRED, "balanced_accuracy"),
        ("unpaired", UNPAIRED, "f1"),
    )
    for i, name in enumerate(counts)
    for measure in ("recall", "accuracy", third)
    for prior in [SHARP if i % 2 or measure == "f1" else FLAT]
]


def weights_of(kind, counts, prior, seen):
    """Weights of prevalence and rates after these counts, or before any were seen."""
    pairs = 4 if kind == "paired" else 2
    beta, pos, neg = (
        prior.weights(n, size)
        for n, size in (("beta", 2), ("alpha_pos", pairs), ("alpha_neg", pairs))
    )
    if kind == "paired":
        c_pos, c_neg = np.array(counts) * seen
        mu = np.add(beta, [c_pos.sum(), c_neg.sum()])
        (_, a, b, _), (_, c, d, _) = pos + c_pos, neg + c_neg
        # On negatives it is right not to say yes.
        return mu, (a, b, (pos + c_pos).sum() - a - b), (d, c, (neg + c_neg).sum() - c - d)
    return [
        [np.add(*both) for both in ((beta, (tp + fn, fp + tn)), (pos, (tp, fn)), (neg, (fp, tn)))]
        for tp, fp, fn, tn in np.array(counts) * seen
    ]


SIDES = {"recall": 1, "fnr": 1, "specificity": 2, "fpr": 2}  # where their weights are


def density_at_zero(kind, measure, weights):
    side = SIDES.get(measure)
    if kind == "unpaired":
        if side:
            p, w = nodes(0, 1, 800, pieces=20)
            return np.sum(
                w * np.prod([stats.beta(*rates[side]).pdf(p) for rates in weights], axis=0)
            )
        return unpaired_density(measure, weights)
    if side:
        return ShareDifference(*weights[side])(0.0)
    return paired_density(measure, *weights)


def exact_factor(kind, name, measure, prior):
    counts = COUNTS[kind][name]
    posterior, before = (
        density_at_zero(kind, measure, weights_of(kind, counts, prior, seen)) for seen in (1, 0)
    )
    return posterior / before


def estimates(kind, name, measure, prior, seeds, **options):
    """Factors and their errors of some seeds."""
    first, second = COUNTS[kind][name]
    counts = {"c_pos": first, "c_neg": second} if kind == "paired" else {"a": first, "b": second}
    results = (
        compare_counts(**counts, measure=measure, prior=prior, engine="exact", seed=s, **options)
        for s in range(seeds)
    )
    evidence = [result.evidence() for result in results]
    return np.array([(e.bf_sd, e.bf_sd_error) for e in evidence]).T


def check_factors(case, seeds, draws):
    """Hold sampled factors against quadrature; return how many are off by three errors."""
    exact = exact_factor(*case)
    factors, errors = estimates(*case, seeds, draws=draws)
    z = (factors - exact) / errors
    assert abs(z.mean()) < 1, case
    return np.count_nonzero(np.abs(z) >= 3)


UNEVEN = Prior(alpha_pos=0.9, alpha_neg=1.7)


@pytest.mark.parametrize("kind", COUNTS)
@pytest.mark.parametrize(
    ("measure", "prior"),
    [("recall", FLAT), ("fnr", UNEVEN), ("specificity", UNEVEN), ("fpr", SHARP)],
    ids=str,
)
def test_rates_have_a_closed_form(kind, measure, prior):
    for name in COUNTS[kind]:
        exact = exact_factor(kind, name, measure, prior)
        [[factor], [error]] = estimates(kind, name, measure, prior, seeds=1, draws=1000)
        assert (factor, error) == (pytest.approx(exact, rel=1e-3), 0)


def test_an_infinite_prior_density_leaves_it_to_the_kernel():
    result = compare_counts(
        a=[7, 3, 3, 17], b=[6, 4, 4, 16], measure="recall", prior=JEFFREYS, engine="exact", seed=1
    )
    evidence = result.evidence()
    assert not evidence.bf_sd_defined
    assert evidence.bf_sd_error > 0
    delta, prior = result.row_draws("posterior", "delta", "1"), result.prior_delta("1")
    heights = [stats.gaussian_kde(draws.ravel())(0)[0] for draws in (delta, prior)]
    assert evidence.densities_at_zero == pytest.approx(heights)


@pytest.mark.parametrize("case", CASES[4::12], ids=str)
def test_sampled_factors_are_within_their_error(case):
    assert check_factors(case, seeds=8, draws=4000) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("draws", [4000, 50_000])
def test_all_factors_are_within_their_error(draws):
    sampled = [case for case in CASES if case[2] != "recall"]
    misses = sum(check_factors(case, N_SEEDS, draws) for case in sampled)
    assert misses <= 0.02 * N_SEEDS * len(sampled)
