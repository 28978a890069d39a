"""The models: a family per file, registered here by one line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stanoff.data.folds import DatasetFolds, FoldValues, UnpairedFolds
from stanoff.data.items import ClusteredValues, DatasetScores
from stanoff.data.trained import OutOfFold, TrainedCopies
from stanoff.data.types import ConfusionCounts, Data
from stanoff.engines.cmdstan import stan_folder
from stanoff.errors import InputError, invalid, unknown
from stanoff.models import binormal, bootstrap, counts, custom, folds, items, patterns, seeds
from stanoff.models.base import Model, is_conjugate
from stanoff.models.counts import PAIRED
from stanoff.models.priors import NAMED, WEIGHTS, Prior

__all__ = ["MODELS", "PAIRED", "POPULATIONS", "Model", "get", "is_conjugate", "stan_folder"]

MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        PAIRED,
        patterns.Contest(),
        counts.Unpaired(),
        counts.Hierarchical(),
        counts.HierarchicalUnpaired(),
        patterns.Joint(),
        patterns.Multiclass(),
        bootstrap.BOOTSTRAP,
        binormal.Binormal(),
        items.Clusters(),  # before the items model, which would take clustered values, too
        items.Items(),
        items.Runs(),
        items.Datasets(),
        items.Repeated(),
        folds.FoldsDatasets(),  # before the folds model, which is about one data set
        folds.FoldsUnpaired(),  # before the folds model, which would take them, too
        folds.Folds(),
        seeds.OutOfFoldDocuments(),  # before seeds_labels, which would take them, too
        seeds.OutOfFoldRankings(),
        seeds.Seeds(),
        seeds.SeedsOfLabels(),
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
    **dict.fromkeys((items.Items, items.Repeated), "new items"),
    items.Clusters: "new clusters of items",
    items.Runs: "these items asked again",
    items.Datasets: "a new data set",
    folds.FoldsDatasets: "new data sets",
    **dict.fromkeys((folds.Folds, folds.FoldsUnpaired), folds.TRAINING_SETS),
    seeds.Seeds: "new items and a new training of each system",
    seeds.SeedsOfLabels: "new documents and a new training of each system",
    seeds.OutOfFoldDocuments: "new documents, these trained systems",
    seeds.OutOfFoldRankings: "new documents, these trained systems",
}
ANY_NUMBER = (patterns.Contest, patterns.Joint, bootstrap.Bootstrap, seeds.SeedsOfLabels)


def get(name: str | Path) -> Model:
    """Look up a model by its name, or make one of a Stan program by its path."""
    if isinstance(name, (str, Path)) and Path(name).suffix == ".stan":
        return custom.custom_model(Path(name))
    if not isinstance(name, str) or name not in MODELS:
        raise unknown("model", name, [*MODELS, "path/to/your.stan"])
    return MODELS[name]


def takes_contests(model: Model) -> bool:
    """Return whether a model is about any number of systems."""
    of_values = isinstance(model, items.ValuesModel) and not isinstance(model, items.Repeated)
    return isinstance(model, ANY_NUMBER) or of_values


def priors_of(model: Model) -> Mapping[str, Prior]:
    """Return priors of a model that are worth comparing, by name."""
    if isinstance(model, patterns.Joint):
        return {f"mass {mass:g}": Prior(mass=mass) for mass in (0.5, 1.0, 2.0)}
    if isinstance(model, binormal.Binormal):
        return {"uniform": Prior(), "jeffreys": Prior.jeffreys(), "two": Prior(2, 2, 2)}
    if isinstance(model, folds.FoldsDatasets):
        return {
            "Student's t over data sets": Prior(),
            "normal over data sets": Prior(datasets="normal"),
            "Corani et al. (2017)": Prior(datasets="corani2017"),
        }
    weightless = isinstance(model, custom.CustomModel) and not set(WEIGHTS) & set(model.inputs)
    # A prior of differences depends on the unit of the values: no others suit all of them.
    own_only = isinstance(model, (items.ValuesModel, seeds.SeedsOfLabels)) or weightless
    return {"the model's own": Prior()} if own_only else NAMED


def describe_population(model: Model, data: Data) -> str:
    """Say in words what values are averaged over; nothing of labels."""
    if isinstance(data, DatasetScores):
        return POPULATION_OF[folds.FoldsDatasets]
    if isinstance(data, ClusteredValues) and data.clusters == data.items:
        return POPULATION_OF[items.Items]
    return POPULATION_OF.get(type(model), "")


def suit(model: Model | None, data: Data, engine: str | None = None) -> tuple[Model, Data]:
    """Return the model that was requested, or the default of the data, and the data as it has them.

    These are classes, or categories against the rest. Folds of several data sets have no exact
    posterior, their means do.
    """
    averaged = engine == "exact" and not isinstance(model, folds.FoldsDatasets)
    if averaged and isinstance(data, DatasetFolds):
        data = data.average()
    suitable = _resolve_model(model, data)
    return suitable, data if suitable.accepts is ConfusionCounts else data.one_vs_rest()


def _resolve_model(model: Model | None, data: Data) -> Model:
    """Return the model; new data sets are asked of differences, or of what model knows them."""
    if isinstance(model, folds.Folds) and isinstance(data, UnpairedFolds):
        return MODELS["folds_unpaired"]
    if isinstance(model, items.Datasets):
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
