"""The models: a family per file, registered here by one line."""

from __future__ import annotations

from pathlib import Path

from stanoff.data.types import Data
from stanoff.engines.programs import stan_folder
from stanoff.errors import InputError, unknown
from stanoff.models.base import Model
from stanoff.models.binormal import Binormal
from stanoff.models.bootstrap import BOOTSTRAP
from stanoff.models.counts import PAIRED, Hierarchical, HierarchicalUnpaired, Unpaired
from stanoff.models.custom import custom_model
from stanoff.models.items import Clusters, Datasets, Items, Repeated, Runs
from stanoff.models.multiclass import Multiclass
from stanoff.models.patterns import Contest, Joint

__all__ = ["MODELS", "POPULATIONS", "Model", "for_data", "get", "stan_folder"]

MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        PAIRED,
        Contest(),
        Unpaired(),
        Hierarchical(),
        HierarchicalUnpaired(),
        Multiclass(),
        Joint(),
        BOOTSTRAP,
        Binormal(),
        Clusters(),  # before the items model, which would take clustered values, too
        Items(),
        Runs(),
        Datasets(),
        Repeated(),
    )
}

# What values per item can be asked about; None is the default model of the data.
POPULATIONS: dict[str, Model | None] = {
    "items": None,
    "runs": MODELS["runs"],
    "datasets": MODELS["datasets"],
}


def get(name: str | Path) -> Model:
    """Look up a model by its name, or make one of a Stan program by its path."""
    if isinstance(name, (str, Path)) and Path(name).suffix == ".stan":
        return custom_model(Path(name))
    if not isinstance(name, str) or name not in MODELS:
        raise unknown("model", name, [*MODELS, "path/to/your.stan"])
    return MODELS[name]


def for_data(data: Data) -> Model:
    """Return the default model of a kind of data."""
    for model in MODELS.values():
        if model.default_for is not None and isinstance(data, model.default_for):
            return model
    raise InputError(f"There is no default model for {type(data).__name__}: pass model=.")
