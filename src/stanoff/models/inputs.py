"""What a Stan program may ask for in its data block, by name.

A new name has one line in :data:`INPUTS`, and one in :data:`PROVIDERS` for every kind of data that
has it. Built-in programs and those of users ask in the same way. What comes from the prior and
from the measure is there with any data.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stanoff.data.items import ClusteredValues, ItemValues, RatioValues
from stanoff.data.scores import ScoredDocuments
from stanoff.data.types import (
    ConfusionCounts,
    Data,
    PairedCounts,
    PairedDocuments,
    PatternCounts,
    UnpairedCounts,
    response_patterns,
)
from stanoff.errors import InputError, invalid
from stanoff.measures import SCORES, VALUES, Measure
from stanoff.models.priors import WEIGHTS, Priors, both, single

SAME = "both classifiers on the same documents"
DOCUMENTS = f"{SAME}, labels or scores"
SCORED = "scores of one class against the rest (measure='auc')"
VALUED = "values per item (measure='mean')"
CLUSTERED = (
    "scores or values with cluster=; labels are counted, and their clusters are not kept: values "
    "of 0 and 1 keep them"
)
RATIOS = "ratios of sums (measure='ratio', denominator=)"
ITEM_DIMS = ("item", "system")


@dataclass(frozen=True)
class StanInput:
    """One name of a data block.

    Attributes
    ----------
    type : str
        ``"int"`` or ``"real"``, as stanc calls it.
    dimensions : tuple of int
        How many dimensions it may be declared with.
    needs : str
        What it takes to have it, in words; nothing where it is always there.
    observed : bool
        Whether it is what a model can be about.
    conditioned : bool
        Whether a model that simulates may leave it as it is.
    dims : tuple of str
        The names of its dimensions.
    """

    type: str
    dimensions: tuple[int, ...] = (0,)
    needs: str = ""
    observed: bool = False
    conditioned: bool = False
    dims: tuple[str, ...] = ()


_PAIRS = StanInput("int", (2,), SAME, observed=True, dims=("category", "outcome"))
_CELLS = StanInput("int", (2,), "labels", observed=True, dims=("category", "cell"))
_SCORE = StanInput("real", (2,), SCORED, observed=True, dims=("document", "system"))
INPUTS: dict[str, StanInput] = {
    "K": StanInput("int"),
    **dict.fromkeys(("c_pos", "c_neg"), _PAIRS),
    **dict.fromkeys(("c_A", "c_B"), _CELLS),
    "beta": StanInput("real", (1, 2)),
    **dict.fromkeys(("alpha_pos", "alpha_neg"), StanInput("real", (0, 1, 2))),
    **dict.fromkeys(("kappa_location", "kappa_scale"), StanInput("real")),
    **dict.fromkeys(("kappa_neg_location", "kappa_neg_scale"), StanInput("real")),
    "N": StanInput("int", needs=f"{DOCUMENTS}, or {VALUED}"),
    "truth": StanInput("int", (1,), DOCUMENTS, observed=True, conditioned=True),
    "category": StanInput("int", (1,), DOCUMENTS),
    "said": StanInput("int", (2,), SAME, observed=True),
    **dict.fromkeys(("score", "standard_score"), _SCORE),
    "S": StanInput("int", needs=VALUED),
    "y": StanInput("real", (2,), VALUED, observed=True, dims=ITEM_DIMS),
    "denominator": StanInput("real", (2,), RATIOS, dims=ITEM_DIMS),
    "runs": StanInput("int", (2,), VALUED, dims=ITEM_DIMS),
    "right": StanInput("int", (2,), VALUED, observed=True, dims=ITEM_DIMS),
    **dict.fromkeys(("centre", "spread"), StanInput("real", needs=VALUED)),
    "C": StanInput("int", needs=CLUSTERED),
    "cluster": StanInput("int", (1,), CLUSTERED),
    "measure": StanInput("int"),
    **dict.fromkeys(("f_beta", "zero_division", "prevalence"), StanInput("real")),
    **dict.fromkeys(("prior_only", "simulate"), StanInput("int")),
}
OBSERVED = tuple(name for name, declared in INPUTS.items() if declared.observed)
# What most built-in programs of labels declare, with the number of dimensions.
MEASURE_INPUTS = dict.fromkeys(("measure", "f_beta", "zero_division", "prevalence"), 0)
KAPPA_INPUTS = {"kappa_location": 0, "kappa_scale": 0}
KAPPA_NEG_INPUTS = {"kappa_neg_location": 0, "kappa_neg_scale": 0}


def write_documents(counts: PairedCounts) -> dict[str, Any]:
    """Write every document out again, by category, truth and outcome pair.

    Examples
    --------
    >>> documents = write_documents(PairedCounts(("x",), [[1, 0, 0, 1]], [[0, 0, 1, 0]]))
    >>> documents["truth"].tolist(), documents["said"].tolist()
    ([1, 1, 0], [[1, 1], [0, 0], [0, 1]])
    """
    cells = np.stack([counts.pos, counts.neg], axis=1)  # category, truth, outcome pair
    category, negative, outcome = (
        np.repeat(index.ravel(), cells.ravel()) for index in np.indices(cells.shape)
    )
    return {
        "N": int(cells.sum()),
        "category": category + 1,  # Stan counts from 1
        "truth": 1 - negative,
        "said": response_patterns(2)[outcome],
    }


def standardize_scores(score: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Bring scores to mean 0 and standard deviation 1; probabilities become log-odds first.

    Examples
    --------
    >>> (standardize_scores(np.array([0.1, 0.5, 0.9])).round(3) + 0.0).tolist()
    [-1.225, 0.0, 1.225]
    """
    if score.min() > 0 and score.max() < 1:
        score = np.log(score) - np.log1p(-score)
    sd = score.std()
    if not sd > 0:
        raise InputError("model='binormal' needs scores that differ; use 'bootstrap'.")
    return np.asarray((score - score.mean()) / sd)


def _by_document(score: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Turn (system, category, document) into a row per document, category after category."""
    return np.asarray(score.reshape(len(score), -1).T)


def count_runs(data: ItemValues) -> np.ndarray[Any, Any]:
    """Return how many runs each system had of every item (system, item)."""
    runs = data.runs if data.repeated else np.ones(data.values.shape, dtype=np.int64)
    return np.asarray(runs)


def count_right(data: ItemValues, asker: str = "The repeated model") -> np.ndarray[Any, Any]:
    """Return how many runs of every item were right, or refuse in the name of who asks."""
    if isinstance(data, RatioValues):
        raise InputError(f"{asker} takes runs that are right or wrong, not ratios.")
    runs = count_runs(data)
    right = data.values * runs
    scatter = data.scatter if data.repeated else np.zeros(data.values.shape)
    # Runs of 0 and 1 have the scatter r p (1 - p), and nothing else between 0 and 1 has.
    binary = np.abs(scatter - right * (1 - data.values)) <= 1e-6 * runs
    if not binary.all() or (np.abs(right - np.round(right)) > 1e-6).any():
        raise InputError(f"{asker} takes runs that are right (1) or wrong (0) only.")
    return np.asarray(np.round(right), dtype=np.int64)


BY_DOCUMENT: dict[str, Callable[[Any], Any]] = {  # in the user's order, category after category
    "N": lambda data: data.truth.size,
    "category": lambda data: np.indices(data.truth.shape)[0].ravel() + 1,
    "truth": lambda data: data.truth.ravel(),
}
# What every kind of data has; None where these data have not got it. A kind has what those have
# that it is made of.
PROVIDERS: dict[type[Data], Mapping[str, Callable[[Any], Any]]] = {
    Data: {"K": lambda data: len(data.categories)},
    PairedCounts: {
        "c_pos": lambda data: data.pos,
        "c_neg": lambda data: data.neg,
        "c_A": lambda data: data.cells[0],
        "c_B": lambda data: data.cells[1],
        "N": lambda data: write_documents(data)["N"],
        "category": lambda data: write_documents(data)["category"],
        "truth": lambda data: write_documents(data)["truth"],
        "said": lambda data: write_documents(data)["said"],
    },
    PairedDocuments: {**BY_DOCUMENT, "said": lambda data: data.said.reshape(-1, 2)},
    UnpairedCounts: {"c_A": lambda data: data.cells_A, "c_B": lambda data: data.cells_B},
    PatternCounts: {
        "S": lambda data: len(data.systems),
        "R": lambda data: len(data.said),
        "category": lambda data: data.category + 1,  # Stan counts from 1
        "said": lambda data: data.said,
        "c_pos": lambda data: data.pos,
        "c_neg": lambda data: data.neg,
    },
    ConfusionCounts: {
        "K": lambda data: data.classes,
        "R": lambda data: len(data.n),
        "rows": lambda data: data.rows + 1,  # Stan counts from 1
        "n": lambda data: data.n,
    },
    ScoredDocuments: {
        **BY_DOCUMENT,
        "score": lambda data: _by_document(data.score),
        "standard_score": lambda data: _by_document(
            np.array([[standardize_scores(x) for x in scores] for scores in data.score])
        ),
        "C": lambda data: int(data.cluster.max()) + 1 if len(data.cluster) else None,
        "cluster": lambda data: (
            np.tile(data.cluster + 1, len(data.categories)) if len(data.cluster) else None
        ),
    },
    ItemValues: {
        "S": lambda data: len(data.systems),
        "N": lambda data: data.items,
        "y": lambda data: data.values.T,
        "runs": lambda data: count_runs(data).T,
        "right": lambda data: count_right(data, "'right'").T,
        "centre": lambda data: float(data.values.mean()),
        "spread": lambda data: float(data.values.std()),
    },
    ClusteredValues: {"C": lambda data: data.clusters, "cluster": lambda data: data.cluster + 1},
    RatioValues: {"denominator": lambda data: data.denominator.T},
}
UNSEEN = {"cluster": "hang together in clusters", "denominator": "are ratios of sums"}


def _providers(data: Data) -> dict[str, Callable[[Any], Any]]:
    """Return what data have by name: what their kind has, and those that it is made of."""
    kinds = [PROVIDERS.get(kind, {}) for kind in reversed(type(data).__mro__)]
    return {name: provider for kind in kinds for name, provider in kind.items()}


def collect_inputs(
    program: str,
    declared: Mapping[str, int],
    data: Data,
    prior: Priors,
    measure: Measure | None = None,
) -> dict[str, Any]:
    """Return what a program asks for, or say what the data have not got.

    Parameters
    ----------
    program : str
        What an error shall call it.
    declared : mapping
        What it declares, each with its number of dimensions.
    data : Data
        What was observed.
    prior : Prior
        The weights of the prior.
    measure : Measure, optional
        What the program computes; without it, inputs that depend on it are left out.
    """
    offered = _providers(data)
    stan_data = {name: offered[name](data) for name in declared if name in offered}
    missing = [
        name
        for name in declared
        if name in INPUTS and INPUTS[name].needs and stan_data.get(name) is None
    ]
    if missing:
        needs = " and ".join(dict.fromkeys(INPUTS[name].needs for name in missing))
        listed = " and ".join(map(repr, missing))
        raise InputError(
            f"{program} asks for {listed}, which these {data.kind} do not have: it needs {needs}."
        )
    stan_data |= prior_inputs(declared, prior)
    if measure is not None:
        stan_data |= measure_inputs(measure)
    stan_data |= {"prior_only": 0, "simulate": 1}
    return {name: values for name, values in stan_data.items() if name in declared}


def refuse_unseen(program: str, declared: Collection[str], data: Data) -> None:
    """Refuse data that are more than the program knows, as the built-in models do."""
    alone = isinstance(data, RatioValues) and data.clusters == data.items
    for name, message in UNSEEN.items():
        if name in declared or (name == "cluster" and alone):
            continue
        if (provider := _providers(data).get(name)) and provider(data) is not None:
            hint = f"declare {name!r} in its data, or leave {name}= out"
            lacking = f"{program} does not ask for {name!r}"
            raise InputError(f"{lacking}, but these {data.kind} {message}: {hint}.")


def prior_inputs(declared: Mapping[str, int], prior: Priors) -> dict[str, Any]:
    """Return what a program asks for of the prior.

    One number is the weight of all outcomes, a vector is for outcome pairs, and two rows are for A
    and for B.
    """
    stan_data: dict[str, Any] = {}
    for name in ("kappa", "kappa_neg"):
        if f"{name}_location" in declared:
            kappas = {getattr(p, name) for p in both(prior)}
            if len(kappas) > 1:
                raise invalid(f"prior.{name}", "the same for both classifiers here", prior)
            [(stan_data[f"{name}_location"], stan_data[f"{name}_scale"])] = kappas
    for name in WEIGHTS:
        match declared.get(name):
            case 0:
                stan_data[name] = float(single(prior).weights(name, 1)[0])
            case 1:
                stan_data[name] = single(prior).weights(name, 2 if name == "beta" else 4)
            case 2:
                stan_data[name] = np.stack([p.weights(name, 2) for p in both(prior)])
    return stan_data


def measure_inputs(measure: Measure) -> dict[str, Any]:
    """Say to a program which measure is meant: those of scores and of values have codes, too.

    A measure of labels that the programs do not know is computed later: they get the first.

    Examples
    --------
    >>> measure_inputs(SCORES["auc"])["measure"], measure_inputs(VALUES["ratio"])["measure"]
    (1, 2)
    """
    code = measure.code or 1
    if measure.kind != "labels":
        names = list(SCORES if measure.kind == "scores" else VALUES)
        code = 1 + names.index(measure.name) if measure.name in names else 0
    return {
        "measure": code,
        "f_beta": measure.beta,
        "zero_division": measure.zero_division,
        "prevalence": measure.prevalence or 0.0,
    }


def data_kind(declared: Collection[str]) -> str:
    """Return which kind of data a program asks for: labels, scores or values."""
    needs = {INPUTS[name].needs for name in declared if name in INPUTS}
    if VALUED in needs or "denominator" in declared:
        return "values"
    return "scores" if {"score", "standard_score"} & set(declared) else "labels"
