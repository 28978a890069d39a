"""Simulate the powers of Table 3 of Zhang et al. (2016) with 5,000 data sets per cell.

Writes ``table3.csv`` beside this script, in a few minutes:

    cd reports && python -m validation.table3
"""

from zhang2016 import table3

from validation.harness import keep


def main(n_simulations: int = 5000) -> None:
    """Simulate the whole study."""
    keep("table3", table3.simulated(n_simulations, draws=4000, progress=True))


if __name__ == "__main__":
    main()
