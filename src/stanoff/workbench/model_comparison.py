"""Several models of the same data, and how their verdicts differ; what wrong labels do to one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any

import pandas as pd

from stanoff import models
from stanoff._lib.escaping import shown
from stanoff._lib.showing import ReprMixin
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.fit import fit
from stanoff.models.custom import CustomModel
from stanoff.question import read
from stanoff.results.comparison import Comparison
from stanoff.store.predictive import log_likelihood

if TYPE_CHECKING:
    from arviz_stats.utils import ELPDData


import numpy as np

from stanoff._lib.arguments import check_float
from stanoff.engines.cmdstan import stan_folder

ERRORS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2)
CALIBRATION_SIZE = 1_000_000  # documents of a calibration set that leaves nothing open
NOT_LABELLED = -1

COLUMNS = ["psi_A", "psi_B", "mean", "hdi_low", "hdi_high", "p_below", "p_rope", "p_above"]


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison(ReprMixin):
    """Comparisons of the same data by several models.

    Attributes
    ----------
    results : dict of str to Comparison
        What each model said, by its name.
    """

    results: dict[str, Comparison]

    @cached_property
    def elpd(self) -> dict[str, ELPDData]:
        """What leaving documents out says of every model that has a likelihood of them."""
        return {
            name: result.loo()
            for name, result in self.results.items()
            if log_likelihood(result) is not None
        }

    def compare(self) -> pd.DataFrame:
        """Rank the models by how well they predict new documents, with ``arviz_stats.compare``."""
        from arviz_stats import compare

        of_others = [name for name in self.elpd if not self._same_observations(name)]
        if of_others:
            raise InputError(
                f"{' and '.join(map(shown, of_others))} and {shown(next(iter(self.elpd)))} are "
                "models of different observations, so that their elpd cannot be compared: the "
                "paired model is of both answers to a document, the unpaired one of one answer."
            )
        if len(self.elpd) < 2:
            raise InputError("compare() takes two models or more that have a likelihood.")
        table: pd.DataFrame = compare(self.elpd)
        return table

    def _same_observations(self, name: str) -> bool:
        """Return whether a model is of the observations that the first one is of."""
        first, *_ = self.elpd
        return (
            self.results[name].model.observed == self.results[first].model.observed
            and self.elpd[name].n_data_points == self.elpd[first].n_data_points
        )

    def summary(self) -> pd.DataFrame:
        """Return a row per model: scores, delta, its interval, the verdict, elpd, the diagnosis.

        ``elpd`` is that of :meth:`Comparison.loo`, where the model is of the observations that the
        first one is of; of others it cannot be compared, and is NaN.
        """
        rows = []
        for name, result in self.results.items():
            evidence = result.evidence()
            low, high = evidence.hdi
            comparable = name in self.elpd and self._same_observations(name)
            numbers = vars(evidence) | {"model": name, "hdi_low": low, "hdi_high": high}
            numbers["decision"] = str(evidence.decision)
            numbers["elpd"] = self.elpd[name].elpd if comparable else nan
            rows.append(numbers | {"diagnosis": " ".join(result.sampler_warnings)})
        return pd.DataFrame(rows, columns=["model", *COLUMNS, "decision", "elpd", "diagnosis"])

    @property
    def agree(self) -> bool:
        """Whether all models come to the same verdict."""
        return self.summary()["decision"].nunique() == 1

    def sentence(self) -> str:
        """Describe in words how the verdicts differ."""
        table = self.summary()
        a, b = map(shown, next(iter(self.results.values())).names)
        width = table["hdi_high"] - table["hdi_low"]
        ranges = (
            f"Their means of delta range from {table['mean'].min():.3f} to "
            f"{table['mean'].max():.3f}, the widths of their intervals from {width.min():.3f} to "
            f"{width.max():.3f}."
        )
        if self.agree:
            return f"All {len(table)} models say {a} {table['decision'][0]} {b}. {ranges}"
        verdicts = table.groupby("decision", sort=False)["model"]
        listed = "; ".join(
            f"{', '.join(map(shown, n))}: {a} {symbol} {b}" for symbol, n in verdicts
        )
        return f"The models differ: {listed}. {ranges}"

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        table = self.summary()
        cells = table.drop(columns="diagnosis")
        cells = cells.map(lambda x: f"{x:.3f}" if isinstance(x, float) else str(x))
        diagnoses = zip(table["model"], table["diagnosis"], strict=True)
        return [self.sentence(), cells, *(f"{shown(n)}: {text}" for n, text in diagnoses if text)]


def compare_models(
    counts: Data,
    model: Sequence[str | os.PathLike[str]],
    *,
    data: Mapping[str, Any] | None = None,
    **options: Any,
) -> ModelComparison:
    """Fit several models to the same data, and tell how their verdicts differ.

    Parameters
    ----------
    counts : Data
        What :func:`stanoff.count` returned.
    model : sequence of str or path
        Names of models, and paths of Stan programs.
    data : mapping, optional
        What only you have, for all programs: each takes what it declares.
    **options
        As in :func:`stanoff.compare`.

    Examples
    --------
    >>> from stanoff import count
    >>> counts = count([1, 1, 1, 0, 0, 0] * 20, [1, 1, 1, 0, 0, 1] * 20, [1, 0, 1, 0, 1, 0] * 20)
    >>> comparison = compare_models(counts, ["paired", "unpaired"], engine="exact", seed=1)
    >>> comparison.summary()["model"].tolist(), comparison.agree
    (['paired', 'unpaired'], True)
    """
    if isinstance(model, (str, os.PathLike)) or len(model) < 2:
        raise invalid("model", "two models or more", model)
    results: dict[str, Comparison] = {}
    a, b = counts.systems
    for path in [os.fspath(program) for program in model]:
        program = models.get(path)
        model_options = dict(options)
        if isinstance(program, CustomModel):
            names = program.program.user_data
            model_options["data"] = {k: v for k, v in (data or {}).items() if k in names}
        question, sampling = read(model=path, **model_options)
        name = program.name if program.name not in results else path
        results[name] = Comparison.from_fit(fit(counts, question, sampling), a, b, question)
    return ModelComparison(results)


def annotator_counts(
    frame: Any,
    *,
    annotators: Sequence[str],
    a: str,
    b: str,
    pos_label: Any = 1,
    calibration: Sequence[Sequence[int]] | None = None,
    errors: tuple[float, float] = (1.0, 1.0),
) -> dict[str, Any]:
    """Count the distinct rows of what annotators and two systems said.

    Parameters
    ----------
    frame : DataFrame or mapping
        A row per document.
    annotators : sequence of str
        The columns of their labels; a label that is missing was not given.
    a, b : str
        The columns of the systems.
    pos_label : optional
        The positive label; all others are negative.
    calibration : sequence, optional
        Of each annotator: positives called positive, all positives, negatives called negative, all
        negatives.
    errors : tuple of float
        The prior weights of a right and of a wrong label.

    Returns
    -------
    dict
        What to pass as ``data=`` with the program ``examples/annotators.stan``.

    Examples
    --------
    >>> labels = {"x": [1, 1, None], "y": [1, 1, 0], "svm": [1, 1, 0], "nb": [0, 0, 0]}
    >>> data = annotator_counts(labels, annotators=["x", "y"], a="svm", b="nb")
    >>> data["labels"], data["outcome"], data["n"]
    ([[-1, 0], [1, 1]], [4, 2], [1, 2])
    """
    names = list(annotators)
    if isinstance(annotators, str) or not names or len(set(names)) < len(names):
        raise invalid("annotators", "the names of one column or more", annotators)
    try:
        labels = pd.DataFrame({n: np.asarray(frame[n], dtype=object) for n in (*names, a, b)})
    except KeyError as error:
        raise invalid("frame", f"a table with the column {error.args[0]!r}", "none") from error
    for name in (a, b):
        if labels[name].isna().any():
            raise InputError(f"{name} lacks {int(labels[name].isna().sum()):,} predictions.")
    positive = (labels == pos_label).astype(np.int64)
    if not positive.to_numpy().any():
        raise invalid("pos_label", "a label that occurs", pos_label)
    rows = positive[names].mask(labels[names].isna(), NOT_LABELLED)
    rows["outcome"] = 4 - 2 * positive[a] - positive[b]  # both, only A, only B, neither
    counts = rows.groupby([*names, "outcome"], as_index=False).size()
    return {
        "R": len(names),
        "M": len(counts),
        "labels": counts[names].to_numpy().tolist(),
        "outcome": counts["outcome"].tolist(),
        "n": counts["size"].tolist(),
        "calibration": [[0] * 4] * len(names) if calibration is None else calibration,
        "errors": list(errors),
    }


def label_noise_sensitivity(
    counts: Data, errors: Sequence[float] = ERRORS, **options: Any
) -> pd.DataFrame:
    """Judge the same labels under several shares of wrong ones among them.

    The model is ``stan/examples/noisy_truth.stan``: the labels of both classes are taken to be
    wrong with this probability, independently of what the systems said.

    Parameters
    ----------
    counts : Data
        What :func:`stanoff.count` returned: by the labels, as if they were true.
    errors : sequence of float
        Shares of wrong labels, from 0 to less than 0.5.
    **options
        As in :func:`stanoff.compare`.

    Returns
    -------
    DataFrame
        A row per share: ``error``, ``mean``, ``hdi_low``, ``hdi_high``, ``decision``, and
        ``flipped``, whether the decision is another than that of the first row.
    """
    shares = [check_float("errors", error, "a number from 0 to less than 0.5") for error in errors]
    if not shares or not all(0 <= share < 0.5 for share in shares):
        raise invalid("errors", "from 0 to less than 0.5", list(errors))
    program = str(stan_folder() / "examples/noisy_truth.stan")
    a, b = counts.systems
    rows = []
    for share in shares:
        right = round(CALIBRATION_SIZE * (1 - share))
        data = {"calibration": [right, CALIBRATION_SIZE] * 2, "errors": [1, 1]}
        question, sampling = read(model=program, data=data, **options)
        comparison = Comparison.from_fit(fit(counts, question, sampling), a, b, question)
        evidence = comparison.evidence()
        rows.append((share, evidence.mean, *evidence.hdi, str(evidence.decision)))
    table = pd.DataFrame(rows, columns=["error", "mean", "hdi_low", "hdi_high", "decision"])
    return table.assign(flipped=table["decision"] != table["decision"].iloc[0])
