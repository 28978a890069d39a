"""Every program draws what the stored reference draws say."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from agreement import same_law

from stanoff.models import MODELS

STORED = Path(__file__).parents[1] / "stored"
TOLD = json.loads((STORED / "reference.json").read_text())


@pytest.fixture(scope="module")
def made():
    spec = importlib.util.spec_from_file_location("make_reference", STORED / "make_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.stan
@pytest.mark.filterwarnings("ignore::stanoff.errors.SamplingWarning")
@pytest.mark.parametrize("name", TOLD)
def test_a_program_draws_its_reference(name, made):
    with np.load(STORED / "reference.npz") as stored:
        reference = stored[name].astype(float)
    result = made.fitted(name, draws=500, seed=7)
    for k in range(reference.shape[-1]):
        same_law(result.scores.delta[..., k], reference[..., k], about=(name, k))


def test_how_the_reference_was_made_is_told(made):
    assert tuple(TOLD) == made.PROGRAMS
    assert {name for name, model in MODELS.items() if model.inputs} <= set(TOLD)
    for record in TOLD.values():
        assert record["rhat"] <= 1.01
        assert record["diverging"] <= record["chains"] * record["draws"] / 1000
