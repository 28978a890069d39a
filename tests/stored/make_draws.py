"""Make the stored draws: 4 x 500 of the paired model, kept without what follows from them."""

from pathlib import Path

import numpy as np

from stanoff import compare_counts

result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], draws=500, seed=1)
arrays = {
    f"{group}.{name}": values
    for group in ("posterior", "prior", "sample_stats")
    for name, values in getattr(result.draws, group).items()
    if not name.startswith(("psi", "delta", "step_size"))
}
np.savez_compressed(Path(__file__).with_name("paired.npz"), **arrays)
