"""Simulate the powers of Table 3 of Zhang et al. (2016) with 5,000 data sets per cell.

Writes ``table3.csv`` beside this script, in a few minutes:

    cd reports && python -m benchmark.table3
"""

from pathlib import Path

from common import as_csv
from zhang2016 import table3

from stanoff._lib.files import write_text

HERE = Path(__file__).resolve().parent


def main(n_simulations: int = 5000) -> None:
    """Simulate the whole study."""
    table = table3.simulated(n_simulations, draws=4000, progress=True)
    write_text(HERE / "table3.csv", as_csv(table))


if __name__ == "__main__":
    main()
