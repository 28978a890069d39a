"""The page, the figures and the numbers of one comparison or contest of a study."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from stanoff._lib.files import write_bytes, write_text
from stanoff.results.comparison import Comparison
from stanoff.results.contest import Contest
from stanoff.study.config import CONTEST_FIGURES, FIGURE_FORMATS, FIGURES, Study
from stanoff.study.outcomes import Outcome

if TYPE_CHECKING:
    import pandas as pd

    from stanoff.report.gallery import Picture

PAGES, DRAWN = "pages", "figures"


def written(
    study: Study, data: str, result: Comparison | Contest, slug: str, out: Path
) -> tuple[Outcome, list[Path]]:
    """Write the page and the figures of a result.

    Parameters
    ----------
    study : Study
        Which figures are asked for.
    data : str
        The name of the data set.
    result : Comparison or Contest
        What is shown.
    slug : str
        How its files are called.
    out : Path
        The folder of the study.

    Returns
    -------
    tuple
        What the overview shows of it, and the files.
    """
    if isinstance(result, Contest):
        return _of_contest(study, data, result, slug, out)
    return _of_pair(study, data, result, slug, out)


def _of_pair(
    study: Study, data: str, result: Comparison, slug: str, out: Path
) -> tuple[Outcome, list[Path]]:
    from stanoff.report.gallery import pictures
    from stanoff.report.page import page
    from stanoff.study.tables import SCORES
    from stanoff.text.tables import PAPER, comparison_table

    shown = result.default_category or result.categories[0]
    drawn = list(pictures(result, shown, study.figures, study.figure_formats))
    files = _figures(drawn, slug, out)
    html = write_text(out / PAGES / f"{slug}.html", page(result, drawn=drawn))
    one = comparison_table(
        result, ["category", "mean", "hdi", "p_rope", "decision"], categories=[shown]
    )
    outcome = Outcome(
        systems=result.names,
        measure=result.measure.label,
        model=result.model.name,
        slug=slug,
        data=data,
        summary=result.summary(),
        cells=comparison_table(result, PAPER),
        scores=comparison_table(result, SCORES, by_name=False),
        sentence=str(result),
        shown=tuple(one.iloc[0]) if result.default_category else (),
        warnings=result.warnings,
        figures=tuple(picture.name for picture in drawn) if study.figure_formats else (),
        source=dict(result.data.source),
    )
    return outcome, [*files, html]


def _of_contest(
    study: Study, data: str, result: Contest, slug: str, out: Path
) -> tuple[Outcome, list[Path]]:
    import pandas as pd

    from stanoff.report.contest import page, pictures
    from stanoff.text.sentences import contest_caption, join_names
    from stanoff.text.tables import contest_table

    shown = result.default_category or result.categories[0]
    drawn = list(pictures(result, shown, study.figures, study.figure_formats))
    files = _figures(drawn, slug, out)
    html = write_text(out / PAGES / f"{slug}.html", page(result, shown, drawn=drawn))
    numbers, cells = (
        pd.concat([_by(category, of(category)) for category in result.categories])
        for of in (result.summary, lambda category: contest_table(result, category))
    )
    tiers = [join_names(tier, max_names=len(tier)) for tier in result.tiers(shown)]
    outcome = Outcome(
        systems=result.systems,
        measure=result.measure.label,
        model=result.model.name,
        slug=slug,
        data=data,
        summary=numbers.reset_index(drop=True),
        cells=cells.reset_index(drop=True),
        sentence=str(result),
        shown=(shown, *tiers) if result.default_category else (),
        caption=contest_caption(result, shown),
        warnings=result.warnings,
        figures=tuple(picture.name for picture in drawn) if study.figure_formats else (),
        source=dict(result.data.source),
    )
    return outcome, [*files, html]


def _by(category: str, frame: pd.DataFrame) -> pd.DataFrame:
    frame.insert(0, "category", category)
    return frame


def _figures(drawn: list[Picture], slug: str, out: Path) -> list[Path]:
    """Write the figures, and remove those that an earlier study asked for."""
    files = {
        out / DRAWN / f"{slug}-{picture.name}.{style}": content
        for picture in drawn
        for style, content in picture.files.items()
    }
    for name, style in product((*FIGURES, *CONTEST_FIGURES), FIGURE_FORMATS):
        if (old := out / DRAWN / f"{slug}-{name}.{style}") not in files:
            old.unlink(missing_ok=True)
    for path, content in files.items():
        write_bytes(path, content)
    return list(files)
