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
import numpy as np
import xarray as xr

mpl.use("Agg")


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
            found = az.loo(tree)
            assert np.isfinite(found.elpd), name
            sense = az.psense_summary(tree, var_names=["delta"])
            assert np.isfinite(sense[["prior", "likelihood"]].to_numpy(dtype=float)).all(), name
            var = "c_pos" if "c_pos" in tree["observed_data"] else "c_A"
            az.plot_ppc_dist(tree, var_names=[var], kind="ecdf", backend="matplotlib")
            az.plot_ppc_tstat(tree, var_names=[var], backend="matplotlib")
            # Some plots want one dimension.
            one = {"category": tree["posterior"]["category"].to_numpy()[0]}
            az.plot_ppc_rootogram(tree, var_names=[var], coords=one, backend="matplotlib")
            az.plot_ppc_pit(tree, var_names=[var], coords=one, backend="matplotlib")
            az.plot_ppc_dist(
                tree, group="prior_predictive", var_names=[var], kind="ecdf", backend="matplotlib"
            )
        print(f"{name}: elpd {found.elpd:.1f}, power-scaling {sense.iloc[0].to_dict()}")
    same = {name: tree for name, tree in trees.items() if name.startswith("pairs")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = az.compare(same)
    assert set(table.index) == set(same)
    print(table.to_string())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
