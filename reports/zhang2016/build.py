"""Compare two classifiers of Zhang et al. (2016) on category 8, the case of its Figure 6."""

from pathlib import Path

import stanoff
from stanoff.files import write_bytes
from stanoff.report.figures import as_bytes

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Write the table, the figures and the page next to this script."""
    result = stanoff.compare(
        HERE / "predictions.csv",
        truth="truth",
        a="nb_mult",
        b="svm_l2",
        pos_label=8,
        names=("NB_Mult", "SVM_L2"),
        rope=0.05,
        seed=2016,
        progress=True,
    )
    result.to_csv(HERE / "table.csv")
    result.to_markdown(HERE / "table.md")
    for style in ("svg", "pdf"):
        write_bytes(HERE / f"posterior.{style}", as_bytes(result.plot_posterior(), style))
        write_bytes(HERE / f"factor.{style}", as_bytes(result.plot_factor(), style))
    write_bytes(HERE / "trace.svg", as_bytes(result.plot_trace()))
    result.to_html(HERE / "index.html")
    print(result)
    print(f"Wrote {HERE / 'index.html'}")


if __name__ == "__main__":
    main()
