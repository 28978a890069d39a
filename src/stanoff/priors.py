"""The prior weights: how many imagined documents stand behind each outcome."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stanoff.errors import invalid

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Prior:
    """Hyper-parameters of the models; a single number stands for all cells of its kind.

    Attributes
    ----------
    beta : weights of the positive and the negative class (2)
    alpha_pos : weights of the outcomes on positive documents: of the four outcome pairs in the
        paired model, of yes and no in the unpaired one
    alpha_neg : the same on negative documents

    Examples
    --------
    >>> Prior(beta=2).weights("beta", 2)
    array([2., 2.])
    """

    beta: ArrayLike = 1.0
    alpha_pos: ArrayLike = 1.0
    alpha_neg: ArrayLike = 1.0

    def __post_init__(self) -> None:
        for field in fields(self):
            given = getattr(self, field.name)
            try:
                values = np.asarray(given, dtype=np.float64)
            except (TypeError, ValueError):
                raise invalid(f"prior.{field.name}", "numbers", given) from None
            if values.ndim > 1 or not (np.isfinite(values) & (values > 0)).all():
                raise invalid(f"prior.{field.name}", "positive and finite", given)
            plain = float(values) if values.ndim == 0 else tuple(values.tolist())
            object.__setattr__(self, field.name, plain)

    @classmethod
    def uniform(cls) -> Prior:
        """Give every simplex the flat prior that the paper uses."""
        return cls()

    def weights(self, name: str, size: int) -> Array:
        """Return the weights called ``name`` as a vector of this size."""
        values = np.asarray(getattr(self, name), dtype=np.float64)
        if values.ndim and values.shape != (size,):
            raise invalid(f"prior.{name}", f"one number or {size} of them", getattr(self, name))
        return np.broadcast_to(values, (size,)).copy()
