"""The yardstick by which engines agree: its errors are those of simulations, and it can fail."""

import numpy as np
import pytest
from agreement import SIGMAS, differences, same_law

RNG = np.random.default_rng(5)
LAWS = {
    "normal": RNG.standard_normal,
    "peaked": lambda size: RNG.laplace(size=size),
    "heavy": lambda size: RNG.standard_t(4, size=size),
    "skewed": lambda size: RNG.gamma(2, size=size) - 1.5,
    "triangular": lambda size: RNG.random(size) - RNG.random(size),
}


@pytest.mark.parametrize("law", LAWS)
def test_errors_are_as_large_as_the_scatter(law):
    found = {}
    for _ in range(80):
        for what, (one, other, noise) in differences(
            LAWS[law]((4, 500)), LAWS[law]((1, 4000))
        ).items():
            found.setdefault(what, []).append(np.subtract(one, other) / noise)
    for what, off in found.items():
        scatter = np.sqrt(np.mean(np.square(off), axis=0))
        # 80 repetitions know it to 8 %; a steep end of an HDI is quieter than told.
        least = 0.2 if (law, what) == ("skewed", "HDI") else 0.6
        assert ((scatter > least) & (scatter < 1.4)).all(), (what, scatter)
        assert np.abs(off).max() < SIGMAS, what


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("mean", lambda draws: draws + 0.15),
        ("sd", lambda draws: draws * 1.1),
        ("P", lambda draws: np.where(np.abs(draws + 0.1) < 0.1, -draws, draws)),
        ("HDI", lambda draws: np.sign(draws) * np.abs(draws) ** 1.2),
    ],
)
def test_other_laws_are_told_apart(what, change):
    ours, yardstick = RNG.standard_normal((4, 1000)), RNG.standard_normal((1, 20_000))
    same_law(ours, yardstick, about="equal")
    one, other, noise = differences(change(ours), yardstick)[what]
    assert (np.abs(np.subtract(one, other)) > SIGMAS * noise).any()
    with pytest.raises(AssertionError):
        same_law(change(ours), yardstick, about=what)
