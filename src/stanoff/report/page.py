"""One comparison as one HTML page: the verdict, the table, the figures, the settings."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from stanoff import __version__
from stanoff.report.figures import as_bytes
from stanoff.result import Comparison
from stanoff.tables import formatted
from stanoff.words import documents


def page(result: Comparison) -> str:
    """Render a self-contained page; whatever the user named is escaped."""
    environment = Environment(
        loader=PackageLoader("stanoff.report", "."), autoescape=True, undefined=StrictUndefined
    )
    table = formatted(result)
    shown = result.average or result.categories[0]
    settled = result.average or len(result.categories) == 1
    return environment.get_template("page.html").render(
        a=result.names[0],
        b=result.names[1],
        symbol=result.evidence(shown).decision.symbol if settled else "and",
        sentence=str(result),
        headings=list(table.columns),
        rows=table.to_numpy().tolist(),
        figures=[
            (title, Markup(_inline(as_bytes(draw(shown)))))
            for title, draw in (
                ("Posterior of the difference", result.plot_posterior),
                ("Bayes factor", result.plot_factor),
                ("Trace of the sampler", result.plot_trace),
            )
            if result.draws.prior or draw != result.plot_factor
        ],
        warnings=result.warnings,
        settings={
            "documents": documents(result),
            "measure": result.measure_used.label,
            "formula": result.measure_used.formula,
            "model": result.model.name,
            "engine": result.engine,
            "prior": str(result.prior),
            "ROPE": f"[{result.rope_used[0]:+g}, {result.rope_used[1]:+g}]",
            "HDI": f"{100 * result.hdi_used:g}%",
            "draws": " × ".join(map(str, result.draws.posterior["delta"].shape[:2])),
            "seed": str(result.seed),
            "stanoff": __version__,
        },
    )


def _inline(svg: bytes) -> str:
    """Drop what stands before the <svg> element: inside HTML it has no meaning."""
    text = svg.decode("utf-8")
    return text[text.index("<svg") :]
