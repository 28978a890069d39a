"""The models: a family per file, registered here by one line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stanoff.data.folds import DatasetFolds, FoldValues, UnpairedFolds
from stanoff.data.items import ClusteredValues, DatasetScores
from stanoff.data.out_of_fold import OutOfFold
from stanoff.data.trained import TrainedCopies
from stanoff.data.types import ConfusionCounts, Data
from stanoff.engines.programs import stan_folder
from stanoff.errors import InputError, invalid, unknown
from stanoff.models.base import Model, is_conjugate
from stanoff.models.binormal import Binormal
from stanoff.models.bootstrap import BOOTSTRAP
from stanoff.models.counts import (
    PAIRED,
    Hierarchical,
    HierarchicalUnpaired,
    PairedCategories,
    Unpaired,
    UnpairedCategories,
)
from stanoff.models.custom import CustomModel, custom_model
from stanoff.models.folds import TRAINING_SETS, Folds, FoldsDatasets, FoldsUnpaired
from stanoff.models.items import Clusters, Datasets, Items, Repeated, Runs, ValuesModel
from stanoff.models.patterns import Contest, Joint, Multiclass
from stanoff.models.priors import NAMED, WEIGHTS, Prior
from stanoff.models.seeds import OutOfFoldDocuments, OutOfFoldRankings, Seeds, SeedsOfLabels

__all__ = [
    "MODELS",
    "POPULATIONS",
    "Model",
    "check_population",
    "describe_population",
    "for_data",
    "get",
    "is_conjugate",
    "priors_of",
    "stan_folder",
    "suit",
    "takes_contests",
]

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
# What a verdict is about, under the models that are not about the documents at hand.
POPULATION_OF: dict[type[Model], str] = {
    Items: "new items",
    Repeated: "new items",
    Clusters: "new clusters of items",
    Runs: "these items asked again",
    Datasets: "a new data set",
    FoldsDatasets: "new data sets",
    FoldsUnpaired: TRAINING_SETS,
    Folds: TRAINING_SETS,
    Seeds: "new items and a new training of each system",
    SeedsOfLabels: "new documents and a new training of each system",
    OutOfFoldDocuments: "new documents, these trained systems",
    OutOfFoldRankings: "new documents, these trained systems",
}
TWO_SYSTEMS = (
    *(PairedCategories, UnpairedCategories, Multiclass),
    *(Binormal, Repeated, CustomModel),
)


def get(name: str | Path) -> Model:
    """Look up a model by its name, or make one of a Stan program by its path."""
    if isinstance(name, (str, Path)) and Path(name).suffix == ".stan":
        return custom_model(Path(name))
    if not isinstance(name, str) or name not in MODELS:
        raise unknown("model", name, [*MODELS, "path/to/your.stan"])
    return MODELS[name]


def takes_contests(model: Model) -> bool:
    """Return whether a model is about any number of systems."""
    return not isinstance(model, TWO_SYSTEMS)


def priors_of(model: Model) -> Mapping[str, Prior]:
    """Return priors of a model that are worth comparing, by name."""
    if isinstance(model, Joint):
        return {f"mass {mass:g}": Prior(mass=mass) for mass in (0.5, 1.0, 2.0)}
    if isinstance(model, Binormal):
        return {"uniform": Prior(), "jeffreys": Prior.jeffreys(), "two": Prior(2, 2, 2)}
    if isinstance(model, FoldsDatasets):
        return {
            "Student's t over data sets": Prior(),
            "normal over data sets": Prior(datasets="normal"),
            "Corani et al. (2017)": Prior(datasets="corani2017"),
        }
    weightless = isinstance(model, CustomModel) and not set(WEIGHTS) & set(model.inputs)
    # A prior of differences depends on the unit of the values: no others suit all of them.
    own_only = isinstance(model, (ValuesModel, SeedsOfLabels)) or weightless
    return {"the model's own": Prior()} if own_only else NAMED


def describe_population(model: Model, data: Data) -> str:
    """Say in words what values are averaged over; nothing of labels."""
    if isinstance(data, DatasetScores):
        return POPULATION_OF[FoldsDatasets]
    if isinstance(data, ClusteredValues) and data.clusters == data.items:
        return POPULATION_OF[Items]
    return POPULATION_OF.get(type(model), "")


def suit(model: Model | None, data: Data, engine: str | None = None) -> tuple[Model, Data]:
    """Return the model that was requested, or the default of the data, and the data as it has them.

    These are classes, or categories against the rest. Folds of several data sets have no exact
    posterior, their means do.
    """
    averaged = engine == "exact" and not isinstance(model, FoldsDatasets)
    if averaged and isinstance(data, DatasetFolds):
        data = data.average()
    suitable = _resolve_model(model, data)
    return suitable, data if suitable.accepts is ConfusionCounts else data.one_vs_rest()


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
