"""Every Stan function against its twin in NumPy, on a grid with the edge cases."""

import itertools

import numpy as np
import pytest
from scipy import stats

from stanoff.engines.toolchain import compile_program
from stanoff.measures import MEASURES, get

pytestmark = pytest.mark.stan

PROGRAM = """
functions {
  #include functions/measures.stanfunctions
  #include functions/outcomes.stanfunctions
}
data {
  int N;
  array[N] vector[4] cells;
  vector[N] f_beta;
  vector[N] zero_division;
  array[4] int c;
  int M;
  vector[M] mu;
  array[M] vector[4] theta_pos;
  array[M] vector[4] theta_neg;
}
generated quantities {
  matrix[N, 20] values;
  matrix[N, 20] values_shifted;
  vector[M] pooled;
  vector[M] huge;
  matrix[M, 4] cells_A;
  matrix[M, 4] cells_B;
  matrix[M, 4] cells_one;
  for (n in 1 : N) {
    for (m in 1 : 20) {
      values[n, m] = measure_of(m, cells[n], f_beta[n], zero_division[n], 0);
      values_shifted[n, m]
          = measure_of(m, cells[n], f_beta[n], zero_division[n], 0.2);
    }
  }
  for (m in 1 : M) {
    pooled[m] = dirichlet_counts_lpmf(c | 10 * theta_pos[m] + 0.01);
    huge[m] = dirichlet_counts_lpmf(c | 1e17 * (theta_pos[m] + 0.01));
    cells_A[m] = cells_of_A(mu[m], theta_pos[m], theta_neg[m])';
    cells_B[m] = cells_of_B(mu[m], theta_pos[m], theta_neg[m])';
    cells_one[m] = cells_of(mu[m], theta_pos[m, 1], theta_neg[m, 1])';
  }
}
"""


@pytest.fixture(scope="module")
def stan(tmp_path_factory):
    folder = tmp_path_factory.mktemp("functions")
    program = folder / "functions_alone.stan"
    program.write_text(PROGRAM)
    grid = [
        (cells, beta, zero)
        for cells in itertools.product((0.0, 1e-12, 0.25, 7.0), repeat=4)
        for beta, zero in ((0.0, 0.0), (0.5, 1.0), (1.0, 0.0), (3.0, 0.0), (float("inf"), 1.0))
    ]
    rng = np.random.default_rng(5)
    theta = rng.dirichlet(np.ones(4), (2, 50))
    theta[0, 0] = [1, 0, 0, 0]
    theta[1, 0] = [0, 0, 0, 1]
    mu = np.array([0.0, 1.0, *rng.uniform(size=48)])
    data = {
        "N": len(grid),
        "cells": [list(cells) for cells, _, _ in grid],
        "f_beta": [beta for _, beta, _ in grid],
        "zero_division": [zero for _, _, zero in grid],
        "c": [7, 0, 3, 12],
        "M": len(mu),
        "mu": mu.tolist(),
        "theta_pos": theta[0].tolist(),
        "theta_neg": theta[1].tolist(),
    }
    model = compile_program(program)
    fit = model.sample(
        data=data,
        fixed_param=True,
        chains=1,
        iter_sampling=1,
        seed=1,
        sig_figs=18,
        show_progress=False,
    )
    return grid, mu, theta, {name: values[0] for name, values in fit.stan_variables().items()}


@pytest.mark.parametrize("name", MEASURES)
def test_measures(stan, name):
    grid, _, _, values = stan
    ours = [float(get(name, beta=b, zero_division=z)(cells)) for cells, b, z in grid]
    column = MEASURES[name].code - 1
    np.testing.assert_allclose(values["values"][:, column], ours, rtol=1e-11, atol=1e-15)
    ours = [
        float(get(name, beta=b, zero_division=z, prevalence=0.2)(cells)) for cells, b, z in grid
    ]
    np.testing.assert_allclose(values["values_shifted"][:, column], ours, rtol=1e-11, atol=1e-15)


def test_codes_are_those_of_the_program():
    assert sorted(m.code for m in MEASURES.values()) == list(range(1, 21))


def test_outcomes(stan):
    _, mu, theta, values = stan
    pos, neg = theta
    rates = [(pos[:, 0] + pos[:, other], neg[:, 0] + neg[:, other]) for other in (1, 2)]
    rates.append((pos[:, 0], neg[:, 0]))
    for name, (rho_pos, rho_neg) in zip(("cells_A", "cells_B", "cells_one"), rates, strict=True):
        ours = [mu * rho_pos, (1 - mu) * rho_neg, mu * (1 - rho_pos), (1 - mu) * (1 - rho_neg)]
        np.testing.assert_allclose(values[name], np.stack(ours, axis=1), atol=1e-15)


def test_it_is_the_dirichlet_multinomial_up_to_a_constant(stan):
    _, _, theta, values = stan
    ours = [stats.dirichlet_multinomial(10 * t + 0.01, 22).logpmf([7, 0, 3, 12]) for t in theta[0]]
    apart = values["pooled"] - ours
    np.testing.assert_allclose(apart, apart[0], atol=1e-9)


def test_the_dirichlet_multinomial_tends_to_the_multinomial(stan):
    """With a huge concentration there is nothing to pool, and no noise either."""
    _, _, theta, values = stan
    eta = (theta[0] + 0.01) / 1.04
    np.testing.assert_allclose(values["huge"], np.log(eta) @ [7, 0, 3, 12], rtol=1e-9)
