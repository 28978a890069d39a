"""What the models of values have in common: they draw the scores themselves."""

from __future__ import annotations

from collections.abc import Mapping

from stanoff.data.items import ItemValues, RatioValues
from stanoff.data.types import Data
from stanoff.errors import InputError, invalid
from stanoff.measures import Measure
from stanoff.models.base import Array, Block, Model, Variables
from stanoff.models.priors import Prior, Priors, single

# A prior of differences depends on the unit of the values: none but the model's own suits all of
# them, so that sensitivity takes others only if they are given.
ONLY = {"the model's own": Prior()}


class OfValues(Model):
    """A model of values per item, whose draws have psi in them."""

    def stan_data(self, data: Data, prior: Priors, measure: Measure) -> Block:
        """Gather what the program asks for: it knows no categories and no measure."""
        ratio = isinstance(data, RatioValues)
        if ratio != (measure.name == "ratio"):
            rule = "'ratio' where denominator= is given, and only there"
            raise invalid("measure", rule, measure.name)
        return self.data(data, prior)

    def named(self, measure: Measure) -> Measure:
        """Return the measure, which must be one of values."""
        if measure.kind != "values":
            raise invalid("measure", "'mean' or 'ratio' for values per item", measure.name)
        return measure

    def scores(self, draws: Variables, measure: Measure, average: str | None) -> Array:
        """Return psi (chain, draw, system, 1) as it was drawn."""
        if average is not None:
            raise invalid("average", "None for values per item, which have no categories", average)
        return draws["psi"]

    def observed_scores(self, data: Data, measure: Measure, average: str | None) -> Array:
        """Return the mean, or the ratio, of each system (system, 1)."""
        return values_of(data).observed[:, None]

    def has_other_measures(self, draws: Variables) -> bool:
        """Return True: whether the measure is one of values is checked where it is named."""
        return True


def values_of(data: Data) -> ItemValues:
    """Return data that are values, or refuse."""
    if not isinstance(data, ItemValues):
        raise InputError("This model needs values per item: pass measure='mean'.")
    return data


def without_weights(prior: Priors, model: str) -> Prior:
    """Refuse a prior of differences where a model has none."""
    given = single(prior)
    if given.items is not None:
        raise invalid("prior.items", f"None for the {model} model, which has no prior", given.items)
    return given


def no_prior(data: Mapping[str, object]) -> bool:
    """Return whether the prior is asked for of a model that has none."""
    return bool(data["prior_only"])
