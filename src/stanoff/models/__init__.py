"""The models: each in a file of its own, registered here by one line."""

from __future__ import annotations

from pathlib import Path

from stanoff.data.types import Data
from stanoff.engines.programs import stan_folder
from stanoff.errors import InputError, unknown
from stanoff.models.base import Model
from stanoff.models.binormal import BINORMAL
from stanoff.models.clusters import CLUSTERS
from stanoff.models.contest import CONTEST
from stanoff.models.datasets import DATASETS
from stanoff.models.hierarchical import HIERARCHICAL
from stanoff.models.hierarchical_unpaired import HIERARCHICAL_UNPAIRED
from stanoff.models.items import ITEMS_MODEL
from stanoff.models.joint import JOINT
from stanoff.models.multiclass import MULTICLASS
from stanoff.models.paired import PAIRED
from stanoff.models.repeated import REPEATED
from stanoff.models.runs import RUNS
from stanoff.models.unpaired import UNPAIRED
from stanoff.models.weights import WEIGHTS

__all__ = ["MODELS", "POPULATIONS", "Model", "for_data", "get", "stan_folder"]

MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        PAIRED,
        CONTEST,
        UNPAIRED,
        HIERARCHICAL,
        HIERARCHICAL_UNPAIRED,
        MULTICLASS,
        JOINT,
        WEIGHTS,
        BINORMAL,
        CLUSTERS,  # before the items model, which would take clustered values, too
        ITEMS_MODEL,
        RUNS,
        DATASETS,
        REPEATED,
    )
}

# What values per item can be asked about; None is the default model of the data.
POPULATIONS: dict[str, Model | None] = {"items": None, "runs": RUNS, "datasets": DATASETS}


def get(name: str | Path) -> Model:
    """Look up a model by its name, or make one of a Stan program by its path."""
    if isinstance(name, (str, Path)) and Path(name).suffix == ".stan":
        from stanoff.models.own import own_model

        return own_model(Path(name))
    if not isinstance(name, str) or name not in MODELS:
        raise unknown("model", name, [*MODELS, "path/to/your.stan"])
    return MODELS[name]


def for_data(data: Data) -> Model:
    """Return the default model of a kind of data."""
    for model in MODELS.values():
        if model.default_for is not None and isinstance(data, model.default_for):
            return model
    raise InputError(f"There is no default model for {type(data).__name__}: pass model=.")
