"""The models: a Stan program, the data it asks for, and its conjugate sampler where it has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stanoff import graphs
from stanoff.confusion import ConfusionCounts
from stanoff.counts import OUTCOMES, PairedCounts, UnpairedCounts
from stanoff.engines import exact
from stanoff.engines.joint import joint
from stanoff.errors import InputError, invalid, unknown
from stanoff.graphs import Graph
from stanoff.measures import CELLS, Measure
from stanoff.priors import WEIGHTS, Prior, Priors, both, single
from stanoff.singularities import always_diverges, paired_diverges, unpaired_diverges

AnyCounts = PairedCounts | UnpairedCounts | ConfusionCounts
Data = dict[str, Any]
Sampler = Callable[[Mapping[str, Any], int, np.random.Generator], dict[str, NDArray[np.float64]]]

LEAST_MASS, MOST_MASS = 0.5, 25.0  # of the joint model: below, doubles underflow; above, it is slow

COORDS = {"outcome": OUTCOMES, "cell": CELLS, "classifier": ("A", "B")}
SHARED_DIMS = {
    "cells_A": ("category", "cell"),
    "cells_B": ("category", "cell"),
    "psi_A": ("category",),
    "psi_B": ("category",),
    "delta": ("category",),
}


@dataclass(frozen=True)
class Model:
    """A model of how two classifiers came to their predictions.

    Attributes
    ----------
    name : the word that ``compare(model=...)`` takes; its program is ``stan/<name>.stan``
    data : counts and prior to the data that only this program asks for
    observed : which of these data are counts
    dims : the dimensions of its own variables, after chain and draw
    exact : its conjugate sampler, or None
    diverges : whether the prior density of delta at 0 is infinite for this measure and prior
    file : its program, where that is not ``stan/<name>.stan``
    program : whether it has one; the joint model is drawn by conjugacy alone
    classes : whether it is about single-label classes rather than categories against the rest
    graph : what depends on what, as ``stanoff.plots.graph_plot`` draws it
    """

    name: str
    data: Callable[[AnyCounts, Priors], Data]
    observed: tuple[str, ...]
    dims: Mapping[str, tuple[str, ...]]
    exact: Sampler | None
    diverges: Callable[[Measure, Priors], bool]
    file: Path | None = None
    program: bool = True
    classes: bool = False
    graph: Graph | None = None

    @property
    def stan_file(self) -> Path:
        """Where its program is."""
        return self.file or stan_folder() / f"{self.name}.stan"

    def stan_data(self, counts: AnyCounts, prior: Priors, measure: Measure) -> Data:
        """Gather all that the program asks for."""
        return {
            "K": len(counts.categories),
            **self.data(counts, prior),
            **measure_data(measure),
            "prior_only": 0,
        }


def measure_data(measure: Measure) -> Data:
    """Tell a program which measure is meant; one that it does not know is computed later."""
    return {
        "measure": measure.code or 1,
        "f_beta": measure.beta,
        "zero_division": measure.zero_division,
        "prevalence": measure.prevalence or 0.0,
    }


def stan_folder() -> Path:
    """Find ``stan/``: inside the installed package, or at the top of the repository."""
    package = Path(__file__).resolve().parent
    for folder in (package / "stan", package.parents[1] / "stan"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"The Stan programs are missing from {package}; reinstall stanoff.")


def get(name: str | Path) -> Model:
    """Look up a model by its name, or make one of a Stan program by its path."""
    if isinstance(name, (str, Path)) and Path(name).suffix == ".stan":
        from stanoff.own_models import own_model

        return own_model(Path(name))
    if not isinstance(name, str) or name not in MODELS:
        raise unknown("model", name, [*MODELS, "path/to/your.stan"])
    return MODELS[name]


def paired_data(counts: AnyCounts, prior: Priors) -> Data:
    """Gather the data of a paired model."""
    if not isinstance(counts, PairedCounts):
        raise InputError(
            "The paired model needs both classifiers on the same documents; "
            "pass model='unpaired' for two different test sets."
        )
    shared = single(prior)
    return {
        "c_pos": counts.pos,
        "c_neg": counts.neg,
        "beta": shared.weights("beta", 2),
        "alpha_pos": shared.weights("alpha_pos", 4),
        "alpha_neg": shared.weights("alpha_neg", 4),
    }


def unpaired_data(counts: AnyCounts, prior: Priors) -> Data:
    """Gather the data of an unpaired model."""
    weights = {name: np.stack([p.weights(name, 2) for p in both(prior)]) for name in WEIGHTS}
    return {"c_A": counts.cells_A, "c_B": counts.cells_B, **weights}


def _multiclass_data(counts: AnyCounts, prior: Priors) -> Data:
    classes, shared = _need_classes(counts), _shared(prior, "beta", "kappa")
    cells = [classes.confusion(j) for j in (0, 1)]
    truth, said, n = (np.concatenate(parts) for parts in zip(*cells, strict=True))
    location, scale = shared.kappa
    return {
        "R": np.array([len(part[0]) for part in cells]),
        "truth": truth + 1,  # Stan counts from 1
        "said": said + 1,
        "n": n,
        "beta": shared.weights("beta", len(classes.categories)),
        "alpha_pos": np.stack([p.weights("alpha_pos", 2) for p in both(prior)]),
        "kappa_location": location,
        "kappa_scale": scale,
    }


def _joint_data(counts: AnyCounts, prior: Priors) -> Data:
    classes, shared = _need_classes(counts), single(prior)
    if (shared.alpha_pos, shared.alpha_neg) != (Prior().alpha_pos, Prior().alpha_neg):
        raise invalid("prior", "of beta and mass alone in the joint model", shared)
    mass = 1.0 if shared.mass is None else shared.mass
    if not LEAST_MASS <= mass <= MOST_MASS:
        raise invalid("prior.mass", f"{LEAST_MASS} to {MOST_MASS} in the joint model", mass)
    return {
        "rows": classes.rows,
        "n": classes.n,
        "mass": mass,
        "beta": shared.weights("beta", len(classes.categories)),
    }


def _shared(prior: Priors, *names: str) -> Prior:
    """Return the prior of A, after making sure that B's is the same in these parts."""
    of_a, of_b = both(prior)
    for name in names:
        if getattr(of_a, name) != getattr(of_b, name) or of_a.mass != of_b.mass:
            raise invalid(f"prior.{name}", "the same for both classifiers here", prior)
    return of_a


def _need_classes(counts: AnyCounts) -> ConfusionCounts:
    if not isinstance(counts, ConfusionCounts):
        raise InputError(
            "Models of classes need the labels of both classifiers on the same documents, one "
            "label per document."
        )
    return counts


def _hierarchical_data(counts: AnyCounts, prior: Priors) -> Data:
    location, scale = single(prior).kappa
    return paired_data(counts, prior) | {"kappa_location": location, "kappa_scale": scale}


def _hierarchical_unpaired_data(counts: AnyCounts, prior: Priors) -> Data:
    location, scale = _shared(prior, "kappa").kappa
    return unpaired_data(counts, prior) | {"kappa_location": location, "kappa_scale": scale}


def _documents_data(counts: AnyCounts, prior: Priors) -> Data:
    if len(counts.categories) > 1:
        raise invalid("model", "another one for many categories", "documents")
    data = unpaired_data(counts, prior)
    for name in ("A", "B"):
        cells = data.pop(f"c_{name}")[0]
        data[f"N_{name}"] = int(cells.sum())
        data[f"y_{name}"] = np.repeat([1, 0, 1, 0], cells)
        data[f"said_{name}"] = np.repeat([1, 1, 0, 0], cells)
    return data


PAIRED_DIMS = {
    "mu": ("category",),
    **dict.fromkeys(("theta_pos", "theta_neg", "c_pos", "c_neg"), ("category", "outcome")),
}
UNPAIRED_DIMS = {
    **dict.fromkeys(("mu", "rho_pos", "rho_neg"), ("classifier", "category")),
    **dict.fromkeys(("c_A", "c_B"), ("category", "cell")),
}
MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model(
            name="paired",
            data=paired_data,
            observed=("c_pos", "c_neg"),
            dims=PAIRED_DIMS,
            exact=exact.paired,
            diverges=paired_diverges,
            graph=graphs.PAIRED,
        ),
        Model(
            name="unpaired",
            data=unpaired_data,
            observed=("c_A", "c_B"),
            dims=UNPAIRED_DIMS,
            exact=exact.unpaired,
            diverges=unpaired_diverges,
            graph=graphs.UNPAIRED,
        ),
        Model(
            name="hierarchical",
            data=_hierarchical_data,
            observed=("c_pos", "c_neg"),
            dims=PAIRED_DIMS | dict.fromkeys(("eta_pos", "eta_neg"), ("outcome",)),
            exact=None,
            diverges=always_diverges,
            graph=graphs.HIERARCHICAL,
        ),
        Model(
            name="hierarchical_unpaired",
            data=_hierarchical_unpaired_data,
            observed=("c_A", "c_B"),
            dims=UNPAIRED_DIMS
            | dict.fromkeys(("eta_pos", "eta_neg", "kappa_pos", "kappa_neg"), ("classifier",)),
            exact=None,
            diverges=always_diverges,
            graph=graphs.HIERARCHICAL_UNPAIRED,
        ),
        Model(
            name="multiclass",
            data=_multiclass_data,
            observed=("n",),
            dims=dict.fromkeys(("eta", "kappa"), ("classifier",)) | {"n": ("confusion_cell",)},
            exact=None,
            diverges=always_diverges,
            classes=True,
            graph=graphs.MULTICLASS,
        ),
        Model(
            name="joint",
            data=_joint_data,
            observed=("n",),
            dims={"n": ("joint_cell",)},
            exact=joint,
            diverges=always_diverges,
            program=False,
            classes=True,
            graph=graphs.JOINT,
        ),
        Model(
            name="documents",
            data=_documents_data,
            observed=("y_A", "said_A", "y_B", "said_B"),
            dims=UNPAIRED_DIMS
            | dict.fromkeys(("y_A", "said_A"), ("document_A",))
            | dict.fromkeys(("y_B", "said_B"), ("document_B",)),
            exact=None,
            diverges=unpaired_diverges,
            graph=graphs.BY_DOCUMENT,
        ),
    )
}
