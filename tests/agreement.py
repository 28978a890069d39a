"""When two engines agree: what the tests of every model with two of them ask."""

from dataclasses import asdict

import numpy as np

from stanoff.inference.intervals import hdi, mcse

SIGMAS = 4.5  # of hundreds of comparisons of equal laws, hardly one goes beyond
PARTS = 20
FEW = 5  # draws beyond a point by which two samples may always differ


def same_law(ours, yardstick, *, about, at=0.0):
    """Hold mean, sd, P(< at) and HDI of two samples against each other, within their noise."""
    for what, (one, other, noise) in differences(ours, yardstick, at).items():
        assert (np.abs(np.subtract(one, other)) <= SIGMAS * noise).all(), (about, what, one, other)


def differences(ours, yardstick, at=0.0):
    """Return what is compared: two numbers, and the Monte-Carlo error of their difference."""
    samples = ours, yardstick
    squares = [(draws - draws.mean()) ** 2 for draws in samples]
    spread = [mcse(s) / np.sqrt(s.mean()) / 2 for s in squares]
    below = [(draws < at).astype(float) for draws in samples]
    rare = FEW / SIGMAS / min(draws.size for draws in samples)
    return {
        "mean": (ours.mean(), yardstick.mean(), np.hypot(*map(mcse, samples))),
        "sd": (ours.std(), yardstick.std(), np.hypot(*spread)),
        "P": (*(b.mean() for b in below), np.hypot(*map(mcse, below)) + rare),
        "HDI": (
            *(hdi(draws.ravel(), 0.95) for draws in samples),
            np.hypot(*map(hdi_error, samples)),
        ),
    }


def hdi_error(draws):
    """Return the Monte-Carlo error of an HDI's ends.

    It is the spread over parts of the draws, which scatters with the cube root of their number (Kim
    and Pollard 1990): the whole is that much quieter. An end at which the density falls steeply
    scatters with the square root, and less than this.
    """
    parts = np.array_split(draws.ravel(), PARTS)
    return np.std([hdi(part, 0.95) for part in parts], axis=0, ddof=1) / PARTS ** (1 / 3)


def scored_by_stan(result, group):
    """Hold the scores that a program computed against those of NumPy from the same cells."""
    by_stan, by_numpy = (getattr(one.draws, group) for one in (result.fit, result))
    k = len(result.data.categories)  # averages are computed in Python alone
    for j, name in enumerate(("psi_A", "psi_B")):
        np.testing.assert_allclose(by_stan["psi"][:, :, j], by_numpy[name][..., :k], atol=1e-12)
    np.testing.assert_allclose(by_stan["delta"], by_numpy["delta"][..., :k], atol=1e-12)


def same_evidence(result, other):
    """Hold what two results say against each other to the last digit; undefined is equal."""
    np.testing.assert_equal(asdict(result.evidence()), asdict(other.evidence()))
