"""What a Stan program of the user's own may ask for, and which kind of data has it.

A new name has one line in :data:`DATA`, and one in :data:`OFFERS` for every kind of data that has
it. What comes from the prior and from the question is there with any data.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff.data.items import ClusteredValues, ItemValues, RatioValues
from stanoff.data.scores import ScoredDocuments
from stanoff.data.types import Data, PairedCounts, UnpairedCounts, response_patterns
from stanoff.errors import InputError
from stanoff.measures import SCORES, VALUES, Measure
from stanoff.models.base import Array, Block, kappa_data, measure_data
from stanoff.models.binormal import standardised
from stanoff.models.priors import WEIGHTS, Priors, both, single
from stanoff.models.repeated import right_of, runs_of

SAME = "both classifiers on the same documents"
DOCUMENTS = f"{SAME}, labels or scores"
SCORED = "scores of one class against the rest (measure='auc')"
VALUED = "values per item (measure='mean')"
CLUSTERED = (
    "scores or values with cluster=; labels are counted, and their clusters are not kept: values "
    "of 0 and 1 keep them"
)


@dataclass(frozen=True)
class Part:
    """One part of the data block that a program may ask for.

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
    given : bool
        Whether a model that simulates may leave it as it is.
    dims : tuple of str
        The names of its dimensions.
    """

    type: str
    dimensions: tuple[int, ...]
    needs: str = ""
    observed: bool = False
    given: bool = False
    dims: tuple[str, ...] = ()


_PAIRS = Part("int", (2,), SAME, observed=True, dims=("category", "outcome"))
_CELLS = Part("int", (2,), "labels", observed=True, dims=("category", "cell"))
_SCORE = Part("real", (2,), SCORED, observed=True, dims=("document", "system"))
_ITEMS = ("item", "system")
_NUMBER = Part("real", (0,))
DATA: dict[str, Part] = {
    "K": Part("int", (0,)),
    **dict.fromkeys(("c_pos", "c_neg"), _PAIRS),
    **dict.fromkeys(("c_A", "c_B"), _CELLS),
    "beta": Part("real", (1, 2)),
    **dict.fromkeys(("alpha_pos", "alpha_neg"), Part("real", (0, 1, 2))),
    **dict.fromkeys(("kappa_location", "kappa_scale"), _NUMBER),
    "N": Part("int", (0,), f"{DOCUMENTS}, or {VALUED}"),
    "truth": Part("int", (1,), DOCUMENTS, observed=True, given=True),
    "category": Part("int", (1,), DOCUMENTS),
    "said": Part("int", (2,), SAME, observed=True),
    **dict.fromkeys(("score", "standard_score"), _SCORE),
    "S": Part("int", (0,), VALUED),
    "y": Part("real", (2,), VALUED, observed=True, dims=_ITEMS),
    "denominator": Part(
        "real", (2,), "ratios of sums (measure='ratio', denominator=)", dims=_ITEMS
    ),
    "runs": Part("int", (2,), VALUED, dims=_ITEMS),
    "right": Part("int", (2,), VALUED, observed=True, dims=_ITEMS),
    **dict.fromkeys(("centre", "spread"), Part("real", (0,), VALUED)),
    "C": Part("int", (0,), CLUSTERED),
    "cluster": Part("int", (1,), CLUSTERED),
    "measure": Part("int", (0,)),
    **dict.fromkeys(("f_beta", "zero_division", "prevalence"), _NUMBER),
    **dict.fromkeys(("prior_only", "simulate"), Part("int", (0,))),
}
OBSERVED = tuple(name for name, part in DATA.items() if part.observed)
COUNTED = ("c_pos", "c_neg", "c_A", "c_B", "truth", "said")  # of labels


def documents_of(counts: PairedCounts) -> Block:
    """Write every document out again, by category, truth and outcome pair.

    Examples
    --------
    >>> block = documents_of(PairedCounts(("x",), [[1, 0, 0, 1]], [[0, 0, 1, 0]]))
    >>> block["truth"].tolist(), block["said"].tolist()
    ([1, 1, 0], [[1, 1], [0, 0], [0, 1]])
    """
    cells = np.stack([counts.pos, counts.neg], axis=1)  # category, truth, outcome pair
    category, negative, outcome = (
        np.repeat(place.ravel(), cells.ravel()) for place in np.indices(cells.shape)
    )
    return {
        "N": int(cells.sum()),
        "category": category + 1,  # Stan counts from 1
        "truth": 1 - negative,
        "said": response_patterns(2)[outcome],
    }


def _document(name: str) -> Callable[[PairedCounts], Any]:
    return lambda counts: documents_of(counts)[name]


def _by_document(score: Array) -> Array:
    """Turn (system, category, document) into a row per document, category after category."""
    return np.asarray(score.reshape(len(score), -1).T)


def _standard(data: ScoredDocuments) -> Array:
    each = [[standardised(score) for score in of_system] for of_system in data.score]
    return _by_document(np.array(each))


def _clusters(data: ScoredDocuments) -> int | None:
    return int(data.cluster.max()) + 1 if len(data.cluster) else None


def _cluster(data: ScoredDocuments) -> NDArray[np.int64] | None:
    return np.tile(data.cluster + 1, len(data.categories)) if len(data.cluster) else None


# What every kind of data has; None where these data have not got it. A kind has what those have
# that it is made of.
OFFERS: dict[type[Data], Mapping[str, Callable[[Any], Any]]] = {
    Data: {"K": lambda data: len(data.categories)},
    PairedCounts: {
        "c_pos": lambda data: data.pos,
        "c_neg": lambda data: data.neg,
        "c_A": lambda data: data.cells[0],
        "c_B": lambda data: data.cells[1],
        **{name: _document(name) for name in ("N", "category", "truth", "said")},
    },
    UnpairedCounts: {"c_A": lambda data: data.cells_A, "c_B": lambda data: data.cells_B},
    ScoredDocuments: {
        "N": lambda data: data.truth.size,
        "category": lambda data: np.indices(data.truth.shape)[0].ravel() + 1,
        "truth": lambda data: data.truth.ravel(),
        "score": lambda data: _by_document(data.score),
        "standard_score": _standard,
        "C": _clusters,
        "cluster": _cluster,
    },
    ItemValues: {
        "S": lambda data: len(data.systems),
        "N": lambda data: data.items,
        "y": lambda data: data.values.T,
        "runs": lambda data: runs_of(data).T,
        "right": lambda data: right_of(data, "'right'").T,
        "centre": lambda data: float(data.values.mean()),
        "spread": lambda data: float(data.values.std()),
    },
    ClusteredValues: {
        "C": lambda data: data.clusters,
        "cluster": lambda data: data.cluster + 1,
    },
    RatioValues: {"denominator": lambda data: data.denominator.T},
}
UNSEEN = {"cluster": "hang together in clusters", "denominator": "are ratios of sums"}


def gathered(program: str, asked: Mapping[str, Mapping[str, Any]], data: Data) -> Block:
    """Return what a program asks for of data, or say what these have not got.

    Parameters
    ----------
    program : str
        What an error shall call it.
    asked : mapping
        What it declares, each with type and number of dimensions.
    data : Data
        What was observed.
    """
    offered: dict[str, Callable[[Any], Any]] = {}
    for kind in reversed(type(data).__mro__):
        offered |= OFFERS.get(kind, {})
    names = [name for name in asked if name in DATA]
    block = {name: offered[name](data) for name in names if name in offered}
    missing = [name for name in names if DATA[name].needs and block.get(name) is None]
    if missing:
        needs = " and ".join(dict.fromkeys(DATA[name].needs for name in missing))
        listed = " and ".join(map(repr, missing))
        raise InputError(
            f"{program} asks for {listed}, which these {data.kind} do not have: it needs {needs}."
        )
    _refuse_unseen(program, names, offered, data)
    return block


def _refuse_unseen(
    program: str, names: Collection[str], offered: Mapping[str, Callable[[Any], Any]], data: Data
) -> None:
    """Refuse data that are more than the program knows, as the built-in models do."""
    alone = isinstance(data, RatioValues) and data.clusters == data.items
    for name, told in UNSEEN.items():
        if name in names or name not in offered or (name == "cluster" and alone):
            continue
        if offered[name](data) is not None:
            raise InputError(
                f"{program} does not ask for {name!r}, but these {data.kind} {told}: declare "
                f"{name!r} in its data, or leave {name}= out."
            )


def weighted(asked: Mapping[str, Mapping[str, Any]], prior: Priors) -> Block:
    """Return what a program asks for of the prior.

    One number is the weight of all outcomes, a vector is for outcome pairs, and two rows are for A
    and for B.
    """
    block = kappa_data(both(prior)[0])
    for name in WEIGHTS:
        if name not in asked:
            continue
        match asked[name]["dimensions"]:
            case 0:
                block[name] = float(single(prior).weights(name, 1)[0])
            case 1:
                block[name] = single(prior).weights(name, 2 if name == "beta" else 4)
            case _:
                block[name] = np.stack([p.weights(name, 2) for p in both(prior)])
    return {name: values for name, values in block.items() if name in asked}


def asked_measure(measure: Measure) -> Block:
    """Say to a program which measure is meant: those of scores and of values have codes, too.

    Examples
    --------
    >>> asked_measure(SCORES["auc"])["measure"], asked_measure(VALUES["ratio"])["measure"]
    (1, 2)
    """
    block = measure_data(measure)
    if measure.kind != "labels":
        known = list(SCORES if measure.kind == "scores" else VALUES)
        block["measure"] = 1 + known.index(measure.name) if measure.name in known else 0
    return block


def kind_asked(asked: Collection[str]) -> str:
    """Return which kind of data a program asks for: labels, scores or values."""
    if any(DATA[name].needs == VALUED for name in asked if name in DATA) or "denominator" in asked:
        return "values"
    return "scores" if {"score", "standard_score"} & set(asked) else "labels"
