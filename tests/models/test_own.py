"""A program of the user's own is examined once per process."""

import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from stanoff import InputError, Prior, compare_counts, load, power
from stanoff.cli import main
from stanoff.data.types import PairedCounts
from stanoff.models import custom, get, stan_folder
from stanoff.models.inputs import write_documents

# The accuracies of both systems by document, less a known share of labels that are wrong.
PROGRAM = """
data {
  int N;
  array[N] int truth;
  array[N, 2] int said;
  real<lower=0, upper=0.5> error;
  array[2] int more;
}
parameters { vector<lower=0, upper=1>[2] right; }
model {
  for (n in 1 : N) {
    for (j in 1 : 2) {
      (said[n, j] == truth[n]) ~ bernoulli(right[j]);
    }
  }
  more[1] ~ binomial(more[2], right[1]);
}
generated quantities {
  real psi_A = (right[1] - error) / (1 - 2 * error);
  real psi_B = (right[2] - error) / (1 - 2 * error);
  real delta = psi_A - psi_B;
}
"""
COUNTS = [30, 9, 1, 10], [3, 2, 12, 33]
MORE = {"error": 0.1, "more": [40, 50]}


@pytest.fixture
def examined(monkeypatch):
    """What is examined from now on."""
    seen = []
    inspect_program = custom.inspect_program

    def watched(path):
        seen.append(path)
        return inspect_program(path)

    monkeypatch.setattr(custom, "inspect_program", watched)
    return seen


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine.stan"
    file.write_text(PROGRAM)
    return file


@pytest.mark.stan
def test_a_program_gets_documents_and_data_that_only_the_user_has(mine, tmp_path):
    result = compare_counts(*COUNTS, model=mine, data=MORE, seed=1)
    right = [30 + 9 + 12 + 33, 30 + 1 + 2 + 33]  # of 100; A has 40 of 50 more
    laws = [stats.beta(1 + right[0] + 40, 1 + 16 + 10), stats.beta(1 + right[1], 1 + 34)]
    for letter, law in zip("AB", laws, strict=True):
        drawn = 0.8 * result.draws.posterior[f"psi_{letter}"].ravel() + 0.1
        assert abs(drawn.mean() - law.mean()) < 5 * law.std() / np.sqrt(2000)
        assert abs(drawn.std() / law.std() - 1) < 0.08
    again = load(result.save(tmp_path / "kept.nc"))
    assert again.model.user_data == MORE
    other = again.sensitivity(priors={"two": Prior(beta=2)}).priors  # of no use here
    assert other["mean"].tolist() == [result.evidence().mean]
    assert result.provenance.program == again.provenance.program


@pytest.mark.stan
def test_the_command_line_takes_data_from_a_file(mine, tmp_path):
    table = tmp_path / "p.csv"
    table.write_text("y,a,b\n" + "1,1,0\n" * 9 + "0,0,1\n" * 9 + "0,0,0\n" * 9)
    given = tmp_path / "given.json"
    given.write_text(json.dumps(MORE))
    words = ["compare", table, "--truth", "y", "--a", "a", "--b", "b", "--model", mine]
    words += ["--seed", 1, "--draws", 500]
    ran = CliRunner().invoke(main, [*map(str, words), "--data", str(given)])
    assert ran.exit_code == 0, ran.output
    ran = CliRunner().invoke(main, [*map(str, words)])
    assert ran.exit_code == 1
    assert "asks for data 'error', which stanoff does not have: pass --data" in ran.stderr
    given.write_text("[1]")
    ran = CliRunner().invoke(main, [*map(str, words), "--data", str(given)])
    assert "--data must be a JSON file with an object" in ran.stderr
    ran = CliRunner().invoke(main, ["models", "check", str(mine)])
    assert "own data:  more: int, 1 dimensions; pass it by data= or --data" in ran.stdout


@pytest.mark.stan
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "asks for data 'error', .*pass data= with 'error' and 'more'"),
        ({"error": 0.1}, "asks for data 'more'"),
        (MORE | {"N": 3}, "without 'N', which stanoff has of its own"),
        (MORE | {"eror": 1}, "Did you mean 'error'"),
        (MORE | {"error": [0.1]}, r"'data.error' parameter must be finite, one real"),
        (MORE | {"error": float("nan")}, "must be finite, one real"),
        (MORE | {"error": "x"}, "must be finite, one real"),
        (MORE | {"more": [0.5, 2]}, "finite, int with 1 dimensions"),
        (MORE | {"more": [[1], [2, 3]]}, "finite, int with 1 dimensions"),
        ([1], "a mapping of names to numbers"),
    ],
)
def test_data_that_do_not_fit_are_named(mine, data, words):
    with pytest.raises(InputError, match=words):
        compare_counts(*COUNTS, model=mine, data=data, seed=1)


def test_only_own_programs_take_own_data():
    with pytest.raises(InputError, match="'data' parameter must be None with paired"):
        compare_counts(*COUNTS, model="paired", data={"x": 1})


def test_documents_are_those_of_the_counts():
    counts = PairedCounts(("x", "y"), [[2, 1, 0, 0], [0, 0, 0, 1]], [[0, 0, 3, 0], [0, 0, 0, 2]])
    block = write_documents(counts)
    assert block["N"] == 9
    found = np.zeros((2, 2, 4), dtype=int)
    outcome = 3 - 2 * block["said"][:, 0] - block["said"][:, 1]
    np.add.at(found, (1 - block["truth"], block["category"] - 1, outcome), 1)
    assert found.tolist() == [counts.pos.tolist(), counts.neg.tolist()]


@pytest.mark.stan
def test_a_program_is_examined_once_for_many_data_sets(tmp_path, examined):
    example = stan_folder() / "examples/logistic_normal.stan"
    mine = Path(shutil.copy(example, tmp_path / "mine.stan"))
    table = power("a", 200, model=mine, engine="stan", n_simulations=3, draws=400, seed=1)
    assert table["n_simulations"].tolist() == [3]
    compare_counts([9, 3, 1, 4], [2, 3, 1, 30], model=str(mine), draws=500, seed=1)
    again = pickle.loads(pickle.dumps(get(mine)))  # as workers in other processes receive it
    assert again.program == get(mine).program
    assert examined == [mine]
    mine.write_text("// Edited.\n" + mine.read_text())
    get(mine)
    assert examined == [mine, mine]
