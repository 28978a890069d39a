"""When two engines agree: what the tests of every model with two of them ask."""

import numpy as np

from stanoff.inference.intervals import hdi, mcse


def same_law(ours, yardstick, *, about, at=0.0):
    """Hold mean, sd, P(< at) and HDI of draws against better ones, within Monte-Carlo error."""
    error = np.hypot(mcse(ours), mcse(yardstick))
    sd = yardstick.std()
    assert abs(ours.mean() - yardstick.mean()) < 4.5 * error, about
    squares = (ours - ours.mean()) ** 2
    assert abs(ours.std() / sd - 1) < 4.5 * mcse(squares) / squares.mean() / 2 + 0.005, about
    below = (ours < at).astype(float)
    expected = np.mean(yardstick < at)
    assert abs(below.mean() - expected) < 4.5 * mcse(below) + 0.003, about
    ends = np.abs(np.subtract(hdi(ours, 0.95), hdi(yardstick, 0.95)))
    # 20 parts are noisier than the whole by sqrt(20) at most, by its cube root at least.
    noise = np.hypot(hdi_error(ours), hdi_error(yardstick)) / 20 ** (1 / 3)
    assert (ends < 4.5 * noise + 0.01 * sd).all(), about


def hdi_error(draws):
    """Monte-Carlo error of an HDI's ends: the spread of the ends over parts of the draws."""
    parts = np.array_split(draws.ravel(), 20)
    return np.std([hdi(part, 0.95) for part in parts], axis=0)


def scored_by_stan(result, group):
    """Hold the scores that a program computed against those of NumPy from the same cells."""
    by_stan, by_numpy = (getattr(one.draws, group) for one in (result.fit, result))
    for j, name in enumerate(("psi_A", "psi_B")):
        np.testing.assert_allclose(by_stan["psi"][:, :, j], by_numpy[name], atol=1e-12)
    np.testing.assert_allclose(by_stan["delta"], by_numpy["delta"], atol=1e-12)
