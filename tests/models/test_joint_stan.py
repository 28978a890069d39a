"""The Stan program of the joint model against its exact twin."""

import re
from functools import cache

import pytest
from agreement import same_evidence, same_law, scored_by_stan
from test_classes import predictions

from stanoff import InputError, compare, load
from stanoff.models import patterns

pytestmark = pytest.mark.stan
COLUMNS = {3: predictions(3, 60, seed=5), 10: predictions(10, 400, seed=5)}


@cache
def drawn(m, engine, draws):
    return compare(*COLUMNS[m], model="joint", engine=engine, seed=42, chains=4, draws=draws)


def pairs(stan, exact, group):
    """Draws of delta of both engines, of every class and of the average."""
    for category in (*stan.data.categories, "macro"):
        ours, yardstick = (r.row_draws(group, "delta", category) for r in (stan, exact))
        yield category, ours, yardstick


@pytest.mark.parametrize("m", COLUMNS)
def test_stan_agrees_with_exact(m):
    assert m <= patterns.MAX_DENSE_CLASSES  # cell by cell
    stan, exact = drawn(m, "stan", 2500), drawn(m, "exact", 5_000)
    assert stan.sampler_warnings == ()
    assert stan.categories == exact.categories
    for group in ("posterior", "prior"):
        scored_by_stan(stan, group)
        for category, ours, yardstick in pairs(stan, exact, group):
            same_law(ours, yardstick, about=(group, category))


def test_sticks_agree_with_stan(monkeypatch):
    """A priori both systems may have no stick at all, and equal scores but for what is left."""
    monkeypatch.setattr(patterns, "MAX_DENSE_CLASSES", 9)
    stan, sticks = drawn(10, "stan", 2500), drawn(10, "exact", 8_000)
    for group, at in (("posterior", 0.0), ("prior", -patterns.STICK_REST)):
        for category, ours, yardstick in pairs(stan, sticks, group):
            same_law(ours, yardstick, about=(group, category), at=at)


def test_some_classes_are_judged_among_all(tmp_path):
    options = {"labels": [2, 0], "average": "macro", "model": "joint", "seed": 1}
    stan, exact = (compare(*COLUMNS[3], engine=engine, **options) for engine in ("stan", "exact"))
    assert stan.data.categories == ("2", "0")
    for group in ("posterior", "prior"):
        scored_by_stan(stan, group)
        for category, ours, yardstick in pairs(stan, exact, group):
            same_law(ours, yardstick, about=(group, category))
    assert stan.tree["posterior"]["mu"].dims == ("chain", "draw", "class")  # of all classes
    same_evidence(load(stan.save(tmp_path / "some.nc")), stan)


def test_many_classes_are_for_the_exact_engine():
    told = "The 'engine' parameter must be 'exact' for joint with more than 10 categories. "
    with pytest.raises(InputError, match=rf"^{re.escape(told)}Got 'stan' instead\.$"):
        compare(*predictions(11, 200), model="joint", engine="stan", seed=1)
