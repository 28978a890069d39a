"""A program of the user's own is examined once per process."""

import pickle
import shutil
from pathlib import Path

import pytest

from stanoff import compare_counts, power
from stanoff.models import get, own, stan_folder

pytestmark = pytest.mark.stan


@pytest.fixture
def examined(monkeypatch):
    """What is examined from now on."""
    seen = []
    examine = own.examine

    def watched(path):
        seen.append(path)
        return examine(path)

    monkeypatch.setattr(own, "examine", watched)
    return seen


def test_a_program_is_examined_once_for_many_data_sets(tmp_path, examined):
    example = stan_folder() / "examples/logistic_normal.stan"
    mine = Path(shutil.copy(example, tmp_path / "mine.stan"))
    table = power("a", 200, model=mine, engine="stan", datasets=3, draws=400, seed=1)
    assert table["datasets"].tolist() == [3]
    compare_counts([9, 3, 1, 4], [2, 3, 1, 30], model=str(mine), draws=500, seed=1)
    again = pickle.loads(pickle.dumps(get(mine)))  # as workers in other processes receive it
    assert again.declared == get(mine).declared
    assert examined == [mine]
    mine.write_text("// Edited.\n" + mine.read_text())
    get(mine)
    assert examined == [mine, mine]
