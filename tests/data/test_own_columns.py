"""Columns of the user's own stay with their documents, whatever way these are read."""

import numpy as np
import pandas as pd
import pytest

from stanoff import InputError, compare
from stanoff.data.load import load_pair

N = 400
PROGRAM = """
data {
  int<lower=0> N;
  array[N] int<lower=0, upper=1> truth;
  array[N, 2] int<lower=0, upper=1> said;
  vector[N] x;
}
parameters {
  vector[2] intercept;
  vector[2] slope;
}
model {
  intercept ~ normal(0, 2);
  slope ~ normal(0, 2);
  for (j in 1 : 2) {
    for (i in 1 : N) {
      int right = said[i, j] == truth[i];
      right ~ bernoulli_logit(intercept[j] + slope[j] * x[i]);
    }
  }
}
generated quantities {
  real psi_A = slope[1];
  real psi_B = slope[2];
  real delta = psi_A - psi_B;
}
"""


@pytest.fixture(scope="module")
def frame():
    """Whether A and B are right depends on the length, by a slope that is known."""
    rng = np.random.default_rng(3)
    length, y = rng.normal(size=N), rng.integers(0, 2, N)
    said = {
        name: np.where(rng.random(N) < 1 / (1 + np.exp(-slope * length)), y, 1 - y)
        for name, slope in (("svm", 1.5), ("nb", -1.0))
    }
    return pd.DataFrame({"doc": rng.permutation(N), "y": y, **said, "length": length})


def read(data, columns, **layout):
    options = {"documents": True, "own_columns": {"x": "length"}}
    return load_pair("labels", (data, None, None), columns, layout, {}, **options)


COLUMNS = {"truth": "y", "a": "svm", "b": "nb"}


def same(data, expected):
    np.testing.assert_array_equal(data.truth[0], expected["y"])
    np.testing.assert_array_equal(data.said[0], expected[["svm", "nb"]])
    np.testing.assert_allclose(data.columns["x"], expected["length"])
    assert data.pos.sum() == expected["y"].sum()


@pytest.mark.parametrize("kind", ["pandas", "csv", "parquet"])
def test_wide_tables_keep_their_order(frame, tmp_path, kind):
    data = frame
    if kind != "pandas":
        data = tmp_path / f"x.{kind}"
        frame.to_csv(data, index=False) if kind == "csv" else frame.to_parquet(data)
    same(read(data, COLUMNS), frame)


def test_joined_and_long_tables_are_aligned(frame, tmp_path):
    ordered = frame.sort_values("doc")
    tables = frame[["doc", "y", "svm"]], frame[["doc", "nb", "length"]][::-1]
    same(read(tables, COLUMNS, id="doc"), ordered)
    long = frame.melt(["doc", "y", "length"], ["svm", "nb"], "model", "said")
    long = long.sample(frac=1, random_state=1)
    layout = {"item": "doc", "system": "model", "prediction": "said"}
    same(read(long, COLUMNS, **layout), ordered)
    fewer = tables[0], tables[1][:300]
    kept = ordered[ordered["doc"].isin(fewer[1]["doc"])]
    same(read(fewer, COLUMNS, id="doc", unmatched="drop"), kept)


def test_a_column_that_is_not_there(frame):
    with pytest.raises(InputError, match=r"no column 'length' for 'data\.x'"):
        read(frame.drop(columns="length"), COLUMNS)


@pytest.mark.slow
def test_a_slope_that_is_known(frame, tmp_path):
    """The slopes are found by name and by array; in another order they would be near 0."""
    program = tmp_path / "slopes.stan"
    program.write_text(PROGRAM)
    options = {"model": program, "seed": 1, "chains": 2, "draws": 500, "warmup": 500}
    by_name = compare(frame, **COLUMNS, data={"x": "length"}, **options)
    arrays = [frame[name] for name in COLUMNS.values()]
    by_array = compare(*arrays, data={"x": frame["length"].to_numpy()}, **options)
    for result in (by_name, by_array):
        assert result.evidence().mean == pytest.approx(2.5, abs=0.5)
