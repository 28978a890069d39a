import importlib.util
import sys
from collections import Counter
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from browser import chromium, open_page  # noqa: F401 - fixtures
from hypothesis import settings

from stanoff.data.types import PairedCounts
from stanoff.engines.draws import Draws, stacked
from stanoff.fit import Fit
from stanoff.models import MODELS
from stanoff.models.priors import Prior
from stanoff.question import Question
from stanoff.results.comparison import Comparison

mpl.use("Agg")
settings.register_profile("stanoff", deadline=None)  # machines are noisy
settings.load_profile("stanoff")
STORED = Path(__file__).parent / "stored"
collect_ignore = ["peers"]  # scripts for other environments

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
    with np.load(STORED / "paired.npz", allow_pickle=False) as file:
        groups = {
            name: {key.removeprefix(f"{name}."): file[key] for key in file if key.startswith(name)}
            for name in ("posterior", "prior", "sample_stats")
        }
    counts = PairedCounts(
        ("8",),
        np.array([[310, 25, 20, 43]]),
        np.array([[40, 30, 25, 7039]]),
        systems=("svm", "nb"),
    )
    drawn = Draws(*(stacked(groups[name]) for name in ("posterior", "prior", "sample_stats")))
    fit = Fit(counts, MODELS["paired"], Prior.uniform(), "stan", 1, drawn)
    return Comparison.from_fit(fit, "svm", "nb", Question.read())


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


def pytest_terminal_summary(terminalreporter):
    """Count what was not run, and say why: nothing is left out in silence."""
    reasons = Counter(str(one.longrepr[2]) for one in terminalreporter.getreports("skipped"))
    if reasons:
        terminalreporter.section("not run")
        for reason, times in reasons.most_common():
            terminalreporter.write_line(f"{times:4} {reason.removeprefix('Skipped: ')}")
