"""Write trees of all models for ``arviz_tree.py``:  python tests/peers/write_trees.py FOLDER"""

import sys
import warnings
from pathlib import Path

from stanoff import Prior, SamplingWarning
from stanoff.models import MODELS
from stanoff.models.base import PredictiveModel

sys.path.append(str(Path(__file__).parents[1] / "stored"))
from make_reference import contested, fitted

PRIORS = {"joint": Prior(beta=2), "items": Prior(items=(2.0, 0.2, 3.0)), "repeated": Prior()}
USUAL = Prior(beta=2, alpha_pos=2)  # a uniform prior cannot be power-scaled
HOW = {"seed": 1, "draws": 1000, "chains": 4}
EXACT = ("paired", "unpaired", "contest", "joint", "items")


def tree(name, **how):
    """Fit a model to the data of its reference draws."""
    prior = PRIORS.get(name, USUAL)
    fit = contested if name == "contest" else lambda **more: fitted(name, **more)
    return fit(prior=prior, **HOW, **how).tree


def main(folder: Path) -> None:
    """Write a tree of every program, and of exact draws where there are any."""
    folder.mkdir(parents=True, exist_ok=True)
    # What has no new documents knows no document by itself: folds, data sets and seeds.
    models = [model for model in MODELS.values() if model.inputs]
    programs = [model.name for model in models if isinstance(model, PredictiveModel)]
    for engine, names in (("stan", programs), ("exact", EXACT)):
        for name in names:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SamplingWarning)
                made = tree(name, engine=engine)
            made.to_netcdf(folder / f"{name}-{engine}.nc", engine="h5netcdf")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
