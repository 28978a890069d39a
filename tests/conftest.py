import importlib.util
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from browser import chromium, open_page  # noqa: F401 - fixtures

from stanoff.counts import PairedCounts
from stanoff.measures import get
from stanoff.models import MODELS
from stanoff.posterior import Draws
from stanoff.priors import Prior
from stanoff.result import Comparison
from stanoff.scoring import judged

mpl.use("Agg")
DATA = Path(__file__).parent / "data"

# What the data of every kind look like: (positive, negative) documents by outcome pair.
KINDS = {
    "balanced": ([300, 60, 40, 100], [60, 40, 50, 350]),
    "rare": ([5, 2, 1, 3], [4, 6, 3, 4976]),
    "tiny": ([1, 0, 0, 0], [0, 1, 0, 1]),
    "huge": (
        [31_000_000, 2_500_000, 2_000_000, 4_300_000],
        [4_000_000, 3_000_000, 2_500_000, 950_700_000],
    ),
    "no positives": ([0, 0, 0, 0], [3, 2, 1, 500]),
    "never yes": ([0, 0, 30, 70], [0, 0, 20, 880]),
    "identical": ([80, 0, 0, 20], [10, 0, 0, 890]),
}


@pytest.fixture
def stored() -> Comparison:
    """A paired comparison from stored draws of Stan; no compiler needed."""
    return stored_comparison()


def stored_comparison() -> Comparison:
    """Read the stored draws; for scripts too, which have no fixtures."""
    with np.load(DATA / "paired.npz", allow_pickle=False) as file:
        groups = {
            name: {key.removeprefix(f"{name}."): file[key] for key in file if key.startswith(name)}
            for name in ("posterior", "prior", "sample_stats")
        }
    result = Comparison(
        counts=PairedCounts(("8",), np.array([[310, 25, 20, 43]]), np.array([[40, 30, 25, 7039]])),
        names=("svm", "nb"),
        model=MODELS["paired"],
        engine="stan",
        seed=1,
        prior=Prior.uniform(),
        measure_used=get("f1"),
        average=None,
        rope_used=(-0.05, 0.05),
        hdi_used=0.95,
        draws=Draws(**groups),
    )
    return judged(result, result.measure_used)


@pytest.fixture
def counts_of():
    """Counts of a kind named in KINDS."""

    def counts(kind: str) -> PairedCounts:
        pos, neg = KINDS[kind]
        return PairedCounts(("1",), np.array([pos]), np.array([neg]))

    return counts


def script(path: Path):
    """Load a script of ``reports`` as a module; what it imports from beside it is found."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module
