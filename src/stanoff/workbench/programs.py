"""A new Stan program that keeps the contract, to be changed."""

from __future__ import annotations

import os
from pathlib import Path

from stanoff._lib.arguments import as_path, check_choice
from stanoff._lib.files import write_text
from stanoff.engines.programs import stan_folder
from stanoff.errors import invalid

# What one can begin with: where its program is.
BASES = {
    "paired": "paired.stan",
    "unpaired": "unpaired.stan",
    "hierarchical": "hierarchical.stan",
    "hierarchical_unpaired": "hierarchical_unpaired.stan",
    "logistic_normal": "examples/logistic_normal.stan",
    "items": "examples/values.stan",
    "repeated": "examples/runs.stan",
    "binormal": "examples/scores.stan",
}
INTRODUCTION = """\
// {name}, begun as a copy of {base}.
// Say here what the model says, and then ask
//   stanoff models check {name}
//   stanoff models calibrate {name}
//   stanoff compare FILE {columns} --model {name}
//
// Change the parameters, their priors and the likelihood. Keep the names in
// data and in generated quantities: they are the contract of stan/README.md.
// Data that only you have may be declared, too: pass them by data= or --data.
"""
COLUMNS = {
    "labels": "--truth y --a svm --b nb",
    "scores": "--truth y --a a --b b --measure auc",
    "values": "--a bm25 --b dense --measure mean",
}
TAKES = {"items": "values", "repeated": "values", "binormal": "scores"}  # the others: labels
COMMENTS = {
    "functions {": "// Measures and cells, as everywhere in stanoff.",
    "data {": "// What stanoff gives; leave out what you do not need.",
    "transformed data {": "// What follows from the data alone.",
    "parameters {": "// What is sampled, with its bounds.",
    "transformed parameters {": "// What follows from the parameters.",
    "model {": "// The prior, and behind prior_only the likelihood.",
    "generated quantities {": "// What is judged; then what loo and calibrate take.",
}
DECLARED = "  int<lower=0, upper=1> prior_only; // 1: draw from the prior\n"
LAST = "  vector[K] delta;\n"
JUDGED = "                          prevalence);\n  }\n  delta ="
PAIRS = (
    """  array[K] vector[8] log_lik; // of each outcome pair, positive documents first
  array[K, 4] int c_pos_rep = rep_array(0, K, 4); // documents as drawn
  array[K, 4] int c_neg_rep = rep_array(0, K, 4);
""",
    """    log_lik[k] = log_lik_of_pairs(c_pos[k], c_neg[k], mu[k], theta_pos[k],
                                  theta_neg[k]);
    if (simulate) {
      array[2, 4] int drawn = pairs_rng(sum(c_pos[k]) + sum(c_neg[k]), mu[k],
                                        theta_pos[k], theta_neg[k]);
      c_pos_rep[k] = drawn[1];
      c_neg_rep[k] = drawn[2];
    }
""",
)
CELLS = (
    """  array[K] vector[8] log_lik; // of each cell, those of A first
  array[K, 4] int c_A_rep = rep_array(0, K, 4); // documents as drawn
  array[K, 4] int c_B_rep = rep_array(0, K, 4);
""",
    """    log_lik[k] = append_row(log_lik_of_cells(c_A[k], cells_A[k]),
                            log_lik_of_cells(c_B[k], cells_B[k]));
    if (simulate) {
      c_A_rep[k] = outcomes_rng(cells_A[k], sum(c_A[k]));
      c_B_rep[k] = outcomes_rng(cells_B[k], sum(c_B[k]));
    }
""",
)


def new_program(path: str | os.PathLike[str], base: str = "paired") -> str:
    """Write a commented Stan program that keeps the contract, to be changed.

    Parameters
    ----------
    path : path
        Where to write it; it ends in ``.stan``, and nothing is there yet.
    base : str
        What it begins as: of labels ``"paired"``, ``"unpaired"``, ``"hierarchical"``,
        ``"hierarchical_unpaired"`` or ``"logistic_normal"``; of values ``"items"`` or
        ``"repeated"``, of scores ``"binormal"``.

    Returns
    -------
    str
        What was written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = new_program(f"{folder}/mine.stan", "hierarchical")
    >>> text.splitlines()[0]
    '// mine.stan, begun as a copy of hierarchical.stan.'
    """
    file = as_path("path", path)
    check_choice("base", base, BASES)
    if file.suffix != ".stan":
        raise invalid("path", "the path of a new .stan file", str(path))
    if file.exists():
        raise invalid("path", "where no file is yet", str(path))
    text = (stan_folder() / BASES[base]).read_text("utf8")
    if "log_lik" not in text:
        text = _predicting(text)
    lines = [
        f"{COMMENTS[line]}\n{line}" if line in COMMENTS else line for line in text.splitlines()
    ]
    how = COLUMNS[TAKES.get(base, "labels")]
    begun = INTRODUCTION.format(name=file.name, base=Path(BASES[base]).name, columns=how)
    told = begun + "//\n" + "\n".join(lines) + "\n"
    write_text(file, told)
    return told


def _predicting(text: str) -> str:
    """Let a program generate log_lik and new documents, too."""
    declared, computed = PAIRS if "theta_pos" in text else CELLS
    for old, new in (
        (
            "  #include functions/outcomes.stanfunctions\n",
            "  #include functions/outcomes.stanfunctions\n"
            "  #include functions/predictive.stanfunctions\n",
        ),
        (DECLARED, DECLARED + "  int<lower=0, upper=1> simulate; // 1: draw documents, too\n"),
        (LAST, LAST + declared),
        (JUDGED, JUDGED.replace("  }\n", computed + "  }\n", 1)),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text
