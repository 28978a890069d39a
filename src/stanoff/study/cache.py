"""What a study keeps: fits that took long, and a record of every page, each under a hash.

Both lie in the folder ``fits``: what is missing there, damaged or of something else is made again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from glob import escape
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import pandas as pd
from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer

import stanoff
from stanoff import models
from stanoff.api import load
from stanoff.data.readers import data_paths
from stanoff.data.types import Data
from stanoff.engines.cmdstan import program_hash, stan_folder
from stanoff.engines.sampling import gather_provenance, select_engine
from stanoff.errors import StanoffError
from stanoff.models.custom import CustomModel
from stanoff.question import Question, Sampling
from stanoff.results.comparison import Comparison, compare_data
from stanoff.results.contest import Contest, contest_data
from stanoff.study.config import DataSet, Study

# That drawing takes; quicker fits are made again. Such fits are as long as they were asked to be,
# whatever the ROPE: only quicker ones draw on where a verdict hangs on it.
MIN_SECONDS = 1.0
CODE = (".py", ".html", ".css", ".js", ".stan", ".stanfunctions")
PACKAGES = ("matplotlib", "seaborn", "scipy", "pandas", "arviz-stats")  # that draw

Frame = Annotated[
    pd.DataFrame,
    PlainSerializer(lambda frame: frame.astype(object).to_dict("tight")),
    BeforeValidator(
        lambda v: v if isinstance(v, pd.DataFrame) else pd.DataFrame.from_dict(v, orient="tight")
    ),
]


class StudyResult(BaseModel):
    """A comparison or contest of a study: what is shown of it, or why there is nothing to show.

    Attributes
    ----------
    systems : tuple of str
        What was compared, as it is called: two systems, or all of a contest.
    measure, model : str
        By what.
    slug : str
        How its files are called.
    data : str
        The name of the data set; empty where it has none.
    error : str
        What went wrong, if anything.
    reused : bool
        Whether it was there, page and all, before the study was built.
    summary : DataFrame
        The numbers, a row per category; of a contest per category and system.
    cells : DataFrame
        The same as text.
    category : str
        The row that is decided upon; empty where there are several and no average.
    sentence : str
        The verdict; one line per category where there is no average.
    caption : str
        What the table of a contest shows.
    warnings : tuple of str
        What to know before trusting it.
    figures : tuple of str
        The figures that were drawn, by name.
    source : mapping
        Where the labels come from, as far as it is known.
    versions : mapping
        The versions of packages that numbers depend on.
    sha256 : str
        The hash by which the data are known again.
    """

    model_config = ConfigDict(
        frozen=True, arbitrary_types_allowed=True, ser_json_inf_nan="constants"
    )

    systems: tuple[str, ...]
    measure: str
    model: str
    slug: str
    data: str = ""
    error: str = ""
    reused: bool = False
    summary: Frame = pd.DataFrame()
    cells: Frame = pd.DataFrame()
    category: str = ""
    sentence: str = ""
    caption: str = ""
    warnings: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    source: dict[str, str] = {}
    versions: dict[str, str] = {}
    sha256: str = ""

    @property
    def is_contest(self) -> bool:
        """Whether it is about more than two systems."""
        return len(self.systems) > 2

    @property
    def a(self) -> str:
        """What the first system is called."""
        return self.systems[0]

    @property
    def b(self) -> str:
        """What the second system is called."""
        return self.systems[1]

    @property
    def title(self) -> str:
        """What was compared, in words."""
        model = f" ({self.model})" if self.model else ""
        where = f" on {self.data}" if self.data else ""
        who = f"All {len(self.systems)} systems" if self.is_contest else f"{self.a} and {self.b}"
        return f"{who} in {self.measure}{where}{model}"

    def rows_of(self, category: str) -> pd.DataFrame:
        """Return the cells of one category."""
        return self.cells[(self.summary["category"] == category).to_numpy()]


def fit_or_load(
    observed: Data, question: Question, sampling: Sampling, store: Path
) -> Comparison | Contest:
    """Fit a model to two systems or more, or read what was fitted before.

    Parameters
    ----------
    observed : Data
        What the systems did.
    question, sampling : Question, Sampling
        What is asked first, and how it is drawn.
    store : Path
        The beginning of the file's name; a hash and ``.nc`` follow.
    """
    file = store.with_name(f"{store.name}-{fit_key(observed, question, sampling)[:16]}.nc")
    try:
        saved = load(file)
        # The same labels may have moved since.
        data = replace(saved.data, source=observed.source, notes=observed.notes)
        return replace(saved, fit=replace(saved.fit, data=data))
    except StanoffError:
        pass  # not there, or damaged
    judge = compare_data if len(observed.systems) == 2 else contest_data
    result = judge(observed, question, sampling)
    for outdated in store.parent.glob(f"{escape(store.name)}-{'[0-9a-f]' * 16}.nc"):
        outdated.unlink()
    if result.fit.seconds >= MIN_SECONDS:
        result.save(file)
    return result


def fit_key(data: Data, question: Question, sampling: Sampling) -> str:
    """Hash all that a fit depends on; ROPE, HDI and most measures are chosen afterwards."""
    model = sampling.model or models.for_data(data)
    engine, _ = select_engine(model, sampling.engine)
    provenance = gather_provenance(model, engine, {})
    # A program of the user's own may have no other score than the one that was asked for, and
    # weights of documents are kept as a measure.
    has_one_measure = isinstance(model, CustomModel) or data.kind in ("scores", "numbers")
    return _hash(
        *(data.sha256, data.systems, question.average),
        *(model.name, provenance.program, sorted(provenance.versions.items()), engine),
        replace(sampling, model=None, progress=False),
        question.measure.label if has_one_measure else None,
        [(name, fit_key(group, question, sampling)) for name, group in data.groups.items()],
    )


def page_keys(
    study: Study,
    data: DataSet,
    systems: Sequence[tuple[str, ...]],
    sampling: Sampling,
    question: Question,
) -> tuple[str, str]:
    """Hash all that a page depends on, and what its figures depend on beside the ROPE.

    Both are empty where that cannot be known.

    Parameters
    ----------
    study : Study
        What is studied.
    data : DataSet
        One of the study's.
    systems : sequence of tuple of str
        The columns that are shown, and those that were fitted together.
    sampling, question : Sampling, Question
        Those of the study.
    """
    model, questions = sampling.model, (question, study.questions[0])
    if any(q.measure.function.__module__.partition(".")[0] != "stanoff" for q in questions):
        return "", ""  # other code may change unseen
    try:
        files = [Path(path) for file in data.files for path in data_paths(file)]
        labels = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    except (StanoffError, OSError):
        return "", ""  # whoever reads them will say why
    shared = (
        labels,
        data.model_dump(exclude={"file", "truth_file"}),
        [[(name, study.systems[name]) for name in columns] for columns in systems],
        [q.measure.label for q in questions],
        replace(sampling, model=None, progress=False),
        model and model.name,
        program_hash(model.stan_file) if isinstance(model, CustomModel) else None,
        (study.figures, study.figure_formats),
        _code_hash(),
    )
    without_rope = [replace(q, rope=(0.0, 0.0), rope_of=None) for q in questions]
    return _hash(*shared, questions), _hash(*shared, without_rope)


class PageRecord(BaseModel):
    """What a page and its figures depend on, and what was found.

    Attributes
    ----------
    key : str
        The hash of what the page depends on.
    figure_keys : mapping
        What each figure depends on: a hash, the number of draws, and what it shows of the ROPE.
    files : mapping
        The hashes of its files by their names, relative to the folder of the study.
    result : StudyResult
        What is on the page.
    """

    model_config = ConfigDict(ser_json_inf_nan="constants")

    key: str
    figure_keys: dict[str, str]
    files: dict[str, str]
    result: StudyResult

    def intact_files(self, out: Path) -> dict[str, bytes]:
        """Read its files; those that are not as they were are left out."""
        contents = {name: (out / name).read_bytes() for name in self.files if (out / name).exists()}
        return {
            n: content for n, content in contents.items() if sha256_of(content) == self.files[n]
        }


@cache
def _code_hash() -> str:
    """Hash the code that draws: stanoff's own, and which versions it draws with."""
    digest = hashlib.sha256(repr([version(name) for name in PACKAGES]).encode())
    for folder in (Path(stanoff.__file__).parent, stan_folder()):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in CODE):
            digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _hash(*parts: object) -> str:
    return sha256_of(repr(parts).encode())


def sha256_of(content: bytes) -> str:
    """Hash the content of a file."""
    return hashlib.sha256(content).hexdigest()
