"""Several models of the same data, and how their verdicts differ."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from stanoff import models
from stanoff._lib.escaping import shown
from stanoff._lib.showing import ReprMixin
from stanoff.data.types import Data
from stanoff.errors import invalid
from stanoff.fit import fit
from stanoff.models import Model
from stanoff.models.own import OwnModel
from stanoff.question import read
from stanoff.results.comparison import Comparison

COLUMNS = ("psi_A", "psi_B", "mean", "hdi_low", "hdi_high", "p_below", "p_rope", "p_above")


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison(ReprMixin):
    """Comparisons of the same data by several models.

    Attributes
    ----------
    results : dict of str to Comparison
        What each model said, by its name.
    """

    results: dict[str, Comparison]

    def summary(self) -> pd.DataFrame:
        """Return a row per model: scores, delta, its interval and the verdict."""
        rows = []
        for name, result in self.results.items():
            said = result.evidence()
            numbers = vars(said) | {"hdi_low": said.hdi[0], "hdi_high": said.hdi[1]}
            told = {"trouble": " ".join(result.sampler_warnings)}
            rows.append(
                {"model": name}
                | {column: numbers[column] for column in COLUMNS}
                | {"decision": str(said.decision)}
                | told
            )
        return pd.DataFrame(rows)

    @property
    def agree(self) -> bool:
        """Whether all models come to the same verdict."""
        return len({str(result.decision) for result in self.results.values()}) == 1

    def sentence(self) -> str:
        """Describe in words how the verdicts differ."""
        verdicts: dict[str, list[str]] = {}
        for name, result in self.results.items():
            verdicts.setdefault(str(result.decision), []).append(shown(name))
        first = next(iter(self.results.values()))
        a, b = map(shown, first.names)
        means = [result.evidence().mean for result in self.results.values()]
        widths = [high - low for low, high in (r.evidence().hdi for r in self.results.values())]
        apart = (
            f"Their means of delta range from {min(means):.3f} to {max(means):.3f}, the widths of "
            f"their intervals from {min(widths):.3f} to {max(widths):.3f}."
        )
        if self.agree:
            return f"All {len(self.results)} models say {a} {next(iter(verdicts))} {b}. {apart}"
        each = "; ".join(f"{', '.join(who)}: {a} {sign} {b}" for sign, who in verdicts.items())
        return f"The models differ: {each}. {apart}"

    def _repr_blocks(self) -> list[str | pd.DataFrame]:
        table = self.summary().drop(columns="trouble")
        shown_table = table.map(lambda x: f"{x:.3f}" if isinstance(x, float) else str(x))
        return [self.sentence(), shown_table, *self._warnings()]

    def _warnings(self) -> list[str]:
        return [
            f"{shown(name)}: {warning}"
            for name, result in self.results.items()
            for warning in result.sampler_warnings
        ]


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
    >>> rivals = compare_models(counts, ["paired", "unpaired"], engine="exact", seed=1)
    >>> rivals.summary()["model"].tolist(), rivals.agree
    (['paired', 'unpaired'], True)
    """
    if isinstance(model, (str, os.PathLike)) or len(model) < 2:
        raise invalid("model", "two models or more", model)
    results: dict[str, Comparison] = {}
    for each in model:
        fitted: Model = models.get(each if isinstance(each, str) else os.fspath(each))
        asked = dict(options)
        if isinstance(fitted, OwnModel):
            names = fitted.program_of.own_data
            asked["data"] = {name: value for name, value in (data or {}).items() if name in names}
        question, sampling = read(model=os.fspath(each), **asked)
        name = fitted.name if fitted.name not in results else os.fspath(each)
        made = fit(counts, question, sampling)
        a, b = counts.systems
        results[name] = Comparison.from_fit(made, a, b, question)
    return ModelComparison(results)
