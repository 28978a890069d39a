"""Write trees for ``arviz_tree.py``:  python tests/peers/write_trees.py FOLDER"""

import sys
from pathlib import Path

from stanoff import Prior, compare_counts

POS = [[30, 4, 1, 5], [9, 3, 0, 2], [12, 2, 2, 2]]
NEG = [[1, 2, 1, 90], [0, 1, 3, 60], [2, 2, 1, 55]]


def main(folder: Path) -> None:
    """Write a tree of each kind."""
    folder.mkdir(parents=True, exist_ok=True)
    how = {"seed": 1, "draws": 1000, "chains": 4}
    pairs, rates = Prior(beta=2, alpha_pos=2), Prior(beta=2, alpha_pos=2)
    trees = {
        "pairs": compare_counts(POS, NEG, prior=pairs, engine="exact", **how).tree,
        "pairs_hierarchical": compare_counts(
            POS, NEG, prior=pairs, model="hierarchical", engine="stan", **how
        ).tree,
        "rates": compare_counts(
            POS, NEG, prior=rates, model="unpaired", engine="exact", **how
        ).tree,
    }
    for name, tree in trees.items():
        tree.to_netcdf(folder / f"{name}.nc", engine="h5netcdf")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
