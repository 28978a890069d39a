"""The models: a family per file, registered here by one line."""

from __future__ import annotations

from pathlib import Path

from stanoff.data.folds import DatasetFolds, FoldValues, UnpairedFolds
from stanoff.data.items import DatasetScores
from stanoff.data.out_of_fold import OutOfFold
from stanoff.data.trained import TrainedCopies
from stanoff.data.types import Data
from stanoff.engines.programs import stan_folder
from stanoff.errors import InputError, invalid, unknown
from stanoff.models.base import Model
from stanoff.models.binormal import Binormal
from stanoff.models.bootstrap import BOOTSTRAP
from stanoff.models.counts import PAIRED, Hierarchical, HierarchicalUnpaired, Unpaired
from stanoff.models.custom import custom_model
from stanoff.models.folds import Folds, FoldsUnpaired
from stanoff.models.folds_datasets import FoldsDatasets
from stanoff.models.items import Clusters, Datasets, Items, Repeated, Runs
from stanoff.models.multiclass import Multiclass
from stanoff.models.out_of_fold import OutOfFoldDocuments, OutOfFoldRankings
from stanoff.models.patterns import Contest, Joint
from stanoff.models.seeds import Seeds, SeedsOfLabels

__all__ = ["MODELS", "POPULATIONS", "Model", "check_population", "for_data", "get", "stan_folder"]

MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        PAIRED,
        Contest(),
        Unpaired(),
        Hierarchical(),
        HierarchicalUnpaired(),
        Joint(),
        Multiclass(),
        BOOTSTRAP,
        Binormal(),
        Clusters(),  # before the items model, which would take clustered values, too
        Items(),
        Runs(),
        Datasets(),
        Repeated(),
        FoldsDatasets(),  # before the folds model, which is about one data set
        FoldsUnpaired(),  # before the folds model, which would take them, too
        Folds(),
        OutOfFoldDocuments(),  # before seeds_labels, which would take them, too
        OutOfFoldRankings(),
        Seeds(),
        SeedsOfLabels(),
    )
}

# What values per item can be asked about; None is the default model of the data.
POPULATIONS: dict[str, Model | None] = {
    "items": None,
    "runs": MODELS["runs"],
    "datasets": MODELS["datasets"],
    "training sets": MODELS["folds"],
    "trainings": None,
}


def get(name: str | Path) -> Model:
    """Look up a model by its name, or make one of a Stan program by its path."""
    if isinstance(name, (str, Path)) and Path(name).suffix == ".stan":
        return custom_model(Path(name))
    if not isinstance(name, str) or name not in MODELS:
        raise unknown("model", name, [*MODELS, "path/to/your.stan"])
    return MODELS[name]


def suit(model: Model | None, data: Data, engine: str | None = None) -> tuple[Model, Data]:
    """Return the model that was requested, or the default of the data, and the data as it has them.

    These are classes, or categories against the rest. Folds of several data sets have no exact
    posterior, their means do.
    """
    if (
        engine == "exact"
        and isinstance(data, DatasetFolds)
        and not isinstance(model, FoldsDatasets)
    ):
        data = data.average()
    suitable = _resolve_model(model, data)
    return suitable, data if suitable.single_label else data.one_vs_rest()


def _resolve_model(model: Model | None, data: Data) -> Model:
    """Return the model; new data sets are asked of differences, or of what model knows them."""
    if isinstance(model, Folds) and isinstance(data, UnpairedFolds):
        return MODELS["folds_unpaired"]
    if isinstance(model, Datasets):
        if isinstance(data, DatasetScores):
            return MODELS["items"]
        if isinstance(data, FoldValues) or len(data.systems) > 2:
            return MODELS["folds_datasets"]
    return model or for_data(data)


def check_population(population: str | None, data: Data) -> None:
    """Refuse to judge new trainings, or new training sets, by data that do not tell of them."""
    one_training = isinstance(data, OutOfFold) or not isinstance(data, TrainedCopies)
    if population == "trainings" and one_training:
        rule = "'trainings' only where trained= names the column of the trained copies"
        raise invalid("population", rule, population)
    no_folds = isinstance(data, DatasetFolds) or not isinstance(data, FoldValues)
    if population == "training sets" and no_folds:
        rule = "'training sets' only for scores of folds of one data set"
        raise invalid("population", rule, population)


def for_data(data: Data) -> Model:
    """Return the default model of a kind of data."""
    for model in MODELS.values():
        if isinstance(data, model.accepts):
            return model
    raise InputError(f"There is no default model for {type(data).__name__}: pass model=.")
