"""ArviZ 1.x takes the trees of stanoff: loo, compare, power-scaling, plots of predictive checks.

    python tests/peers/arviz_tree.py FOLDER

runs in an environment of its own (Python 3.12 or newer, ``tests/peers/arviz.txt``) on trees that
``tests/peers/write_trees.py`` has written to FOLDER with ``tree.to_netcdf``.
"""

import sys
import warnings
from pathlib import Path

import arviz as az
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

mpl.use("Agg")

DRAWN = ("c_pos", "c_A", "n", "y", "right", "x_pos", "y_A")  # what a model draws anew, by its name
COUNTS = ("c_pos", "c_A", "n", "right")
ONE_OF = ("category", "system", "classifier")  # dimensions of which some plots want one place
SAME_DATA = ("paired-stan", "paired-exact", "hierarchical-stan")


def main(folder: Path) -> None:
    """Use every tree as a user of ArviZ would."""
    trees = {}
    for file in sorted(folder.glob("*.nc")):
        with xr.open_datatree(file, engine="netcdf4") as opened:
            trees[file.stem] = opened.load()
    assert trees, f"no trees in {folder}"
    for name, tree in trees.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # whole groups of documents are much to leave out
            elpd, sense = used(name, tree)
        print(f"{name}: elpd {elpd:.1f}, power-scaling {sense}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = az.compare({name: trees[name] for name in SAME_DATA})
    assert set(table.index) == set(SAME_DATA)
    print(table.to_string())


def used(name, tree):
    """Leave one out, scale prior and likelihood, and draw the predictive checks."""
    found = az.loo(tree)
    assert np.isfinite(found.elpd), name
    asked = "delta" if "delta" in tree["posterior"] else "psi"
    sense = az.psense_summary(tree, var_names=[asked])[["prior", "likelihood"]]
    assert np.isfinite(sense.to_numpy(dtype=float)).all(), name
    [var] = [each for each in DRAWN if each in tree["posterior_predictive"]]
    observed = tree["observed_data"][var]
    one = {dim: observed[dim].to_numpy()[0] for dim in ONE_OF if dim in observed.dims}
    for plot in (az.plot_dist, az.plot_forest, az.plot_trace_dist):
        plot(tree, var_names=[asked], backend="matplotlib")
    how = {"var_names": [var], "backend": "matplotlib"}
    az.plot_ppc_dist(tree, kind="ecdf", **how)
    az.plot_ppc_tstat(tree, **how)
    az.plot_ppc_pit(tree, coords=one, **how)
    if var in COUNTS:
        az.plot_ppc_rootogram(tree, coords=one, **how)
    if "prior_predictive" in tree.children:
        az.plot_ppc_dist(tree, group="prior_predictive", kind="ecdf", **how)
    plt.close("all")
    return found.elpd, sense.iloc[0].to_dict()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
