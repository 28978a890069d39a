"""Several models of the same data, and how their verdicts differ."""

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
