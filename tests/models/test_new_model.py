"""A new built-in model is one Stan file and a few lines of Python."""

from pathlib import Path

import pytest
from agreement import same_evidence

from stanoff import compare_counts, load
from stanoff.models import MODELS
from stanoff.models.base import Model
from stanoff.models.custom import inspect_program
from stanoff.models.inputs import MEASURE_INPUTS

PROGRAM = """\
// Each system by itself is right with one probability, whatever the class.
functions {
  #include functions/measures.stanfunctions
}
data {
  int<lower=1> K; // categories
  array[K, 4] int<lower=0> c_A; // documents of A: tp, fp, fn, tn
  array[K, 4] int<lower=0> c_B;
  int<lower=1> measure;
  real<lower=0> f_beta;
  real zero_division;
  real<lower=0, upper=1> prevalence;
  int<lower=0, upper=1> prior_only;
}
parameters {
  vector<lower=0, upper=1>[K] right_A;
  vector<lower=0, upper=1>[K] right_B;
}
model {
  if (!prior_only) {
    for (k in 1 : K) {
      c_A[k, 1] + c_A[k, 4] ~ binomial(sum(c_A[k]), right_A[k]);
      c_B[k, 1] + c_B[k, 4] ~ binomial(sum(c_B[k]), right_B[k]);
    }
  }
}
generated quantities {
  array[K] vector[4] cells_A; // as if half of the documents were positive
  array[K] vector[4] cells_B;
  vector[K] psi_A;
  vector[K] psi_B;
  vector[K] delta;
  for (k in 1 : K) {
    cells_A[k] = [right_A[k], 1 - right_A[k], 1 - right_A[k], right_A[k]]' / 2;
    cells_B[k] = [right_B[k], 1 - right_B[k], 1 - right_B[k], right_B[k]]' / 2;
    psi_A[k] = measure_of(measure, cells_A[k], f_beta, zero_division, prevalence);
    psi_B[k] = measure_of(measure, cells_B[k], f_beta, zero_division, prevalence);
  }
  delta = psi_A - psi_B;
}
"""


class OneRate(Model):
    """Each system by itself is right with one probability, whatever the class."""

    name = "one_rate"
    inputs = {"K": 0, "c_A": 2, "c_B": 2, **MEASURE_INPUTS, "prior_only": 0}  # noqa: RUF012
    observed = ("c_A", "c_B")
    dims = dict.fromkeys(("right_A", "right_B"), ("category",))
    stan_file = Path()  # of this test alone: a built-in's is stan/<name>.stan


@pytest.mark.stan
def test_a_made_up_model_is_compared_and_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(OneRate, "stan_file", tmp_path / "one_rate.stan")
    OneRate.stan_file.write_text(PROGRAM)
    monkeypatch.setitem(MODELS, "one_rate", OneRate())  # the line of registration
    declared = inspect_program(OneRate.stan_file).inputs
    assert OneRate.inputs == {name: info["dimensions"] for name, info in declared.items()}
    counts = {"a": [80, 5, 9, 400], "b": [70, 9, 19, 396]}
    result = compare_counts(**counts, model="one_rate", measure="accuracy", seed=1)
    # Beta(1 + right, 1 + wrong) of each system
    assert result.evidence().mean == pytest.approx(481 / 496 - 467 / 496, abs=0.002)
    assert result.evidence().bf_rope > 0  # its prior was drawn by the same program
    again = load(result.save(tmp_path / "result.nc"))
    same_evidence(again, result)
    assert result.tree["posterior"]["right_A"].dims == ("chain", "draw", "category")
