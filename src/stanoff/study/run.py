"""A study as a folder: one linked page, tables, figures, and a page for every comparison."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import ValidationError

from stanoff import models, plots
from stanoff._lib import progress
from stanoff._lib.arguments import as_executor, as_jobs, as_systems
from stanoff._lib.files import write_bytes, write_text
from stanoff._lib.stopping import workers
from stanoff.data.folds import FoldValues
from stanoff.data.load import count, load_systems
from stanoff.data.types import Data
from stanoff.errors import SamplingWarning, StanoffError, invalid
from stanoff.question import Question, Sampling, check_direction
from stanoff.report.figures import draw_figures
from stanoff.report.page import comparison_page, contest_page
from stanoff.results.base import ALL
from stanoff.results.comparison import Comparison
from stanoff.results.contest import Contest
from stanoff.study.cache import PageRecord, StudyResult, fit_or_load, page_keys, sha256_of
from stanoff.study.config import (
    CONTEST_FIGURES,
    FIGURE_FORMATS,
    FIGURES,
    DataSet,
    Study,
    in_words_of_toml,
)
from stanoff.study.overview import write_overview
from stanoff.study.tables import SCORES
from stanoff.text.sentences import contest_caption
from stanoff.text.tables import PAPER, comparison_table, in_one_paragraph, legend_of

CHUNKS = 8  # of the pairs of a contest, for an executor that does not tell its number of workers
Results = dict[str, list[StudyResult | None]]  # a result per question, by the slug of the job


@dataclass(frozen=True, eq=False)
class Job:
    """Some systems on one data set under one model, judged by every measure of the study.

    Attributes
    ----------
    data : DataSet
        One of the study's.
    systems : tuple of str
        Two columns of predictions, or all of a contest.
    sampling : Sampling
        One of the study's.
    slug : str
        The beginning of its files' names.
    contest : Job or None
        The contest that two systems are taken out of, if there is one.
    """

    data: DataSet
    systems: tuple[str, ...]
    sampling: Sampling
    slug: str
    contest: Job | None = None

    def slug_for(self, question: Question, study: Study) -> str:
        """Name the files that are about one measure; two measures never share a name."""
        slugs: set[str] = set()
        names = {q: make_slug([q.measure.label], slugs) for q in study.questions}
        return f"{self.slug}-{names[question]}"

    def record_path(self, question: Question, study: Study, out: Path) -> Path:
        """Return the file with the record of a page."""
        return out / f"fits/{self.slug_for(question, study)}.json"

    def read_record(self, question: Question, study: Study, out: Path) -> PageRecord | None:
        """Read what was written before; None if there is nothing, or it is damaged."""
        with suppress(OSError, ValidationError):
            content = self.record_path(question, study, out).read_bytes()
            return PageRecord.model_validate_json(content)
        return None

    def keys(self, question: Question, study: Study) -> tuple[str, str]:
        """Hash all that a page depends on, and what its figures depend on beside the ROPE."""
        systems = [self.systems, (self.contest or self).systems]
        return page_keys(study, self.data, systems, self.sampling, question)


def list_jobs(study: Study) -> list[Job]:
    """List the contests of a study, then its comparisons."""
    slugs: set[str] = set()
    fits = list(product(study.data, study.samplings))
    contests: dict[int, Job] = {}
    for i, (data, sampling) in enumerate(fits):
        model = sampling.model
        joint = data.options.get("unmatched") != "pairs"
        if study.has_contests and joint and (model is None or models.takes_contests(model)):
            slug = make_slug([data.name, "contest", model.name if model else ""], slugs)
            contests[i] = Job(data, study.columns, sampling, slug)
    pairs = []
    for data, pair, sampling in product(study.data, study.all_pairs, study.samplings):
        names = [study.systems[column] for column in pair]
        slug = make_slug([data.name, *names, sampling.model.name if sampling.model else ""], slugs)
        contest = contests.get(fits.index((data, sampling)))
        pairs.append(Job(data, pair, sampling, slug, contest))
    return [*contests.values(), *pairs]


def make_slug(names: Sequence[str], slugs: set[str]) -> str:
    """Make a file name of names: letters, digits and ``_-.`` only, and none that is there.

    Examples
    --------
    >>> slugs = set()
    >>> make_slug(["a/b", "ü"], slugs), make_slug(["a b", "ü", ""], slugs)
    ('a_b-ü', 'a_b-ü-2')
    """
    plain = [re.sub(r"[^\w.]+", "_", name)[:40].strip("._") or "_" for name in names if name]
    slug, n = "-".join(plain), 2
    while slug.casefold() in slugs:
        slug, n = f"{'-'.join(plain)}-{n}", n + 1
    slugs.add(slug.casefold())
    return slug


def build_study(
    study: Study, out: Path, *, jobs: int = 1, executor: Any = None, quiet: bool = False
) -> list[StudyResult]:
    """Compare all systems by all measures under all models and write the report.

    Three classifiers or more are fitted together, in one contest, and their pairs are taken from
    it, if the model can do that. Fits that took long are kept, and so are pages whose data,
    settings and code are the same. A comparison that fails does not stop the others.

    Parameters
    ----------
    study : Study
        What :func:`stanoff.study.config.read_study` returned.
    out : Path
        The folder to write to.
    jobs : int
        How many comparisons are made at the same time.
    executor : Executor, optional
        Who makes them instead: any of ``concurrent.futures``, or a client of Dask whose workers see
        the same folders.
    quiet : bool
        Show no progress.

    Returns
    -------
    list of StudyResult
        The contests, then the comparisons, in the order of the study.
    """
    n_workers, executor = as_jobs(jobs), as_executor(executor)
    listed = list_jobs(study)
    title = f"Making {len(listed)} comparison{'s' * (len(listed) != 1)}"
    title += " and contests" * study.has_contests
    with progress.show_progress(title, total=len(listed), quiet=quiet) as advance:
        results = {job.slug: read_pages(study, job, out) for job in listed}
        missing = [job for job in listed if None in results[job.slug]]
        n_done = len(listed) - len(missing)
        for finished in run_jobs(study, missing, out.resolve(), n_workers, executor):
            results |= finished
            n_done += len(finished)
            advance(n_done)
    listed_results = [result for job in listed for result in results[job.slug] if result]
    write_overview(study, listed_results, out)
    return listed_results


def run_jobs(
    study: Study, jobs: Sequence[Job], out: Path, n_workers: int, executor: Any
) -> Iterator[Results]:
    """Make what jobs are about, here or elsewhere: contests first, and then their pairs."""
    groups: dict[Job, list[Job]] = {}  # of jobs that share a fit
    for job in jobs:
        groups.setdefault(job.contest or job, []).append(job)
    if executor is None and (n_workers == 1 or len(jobs) < 2):
        yield from (run_group(study, fit_job, group, out) for fit_job, group in groups.items())
        return
    n_chunks = n_workers if executor is None else CHUNKS
    first = [(fit_job, [fit_job]) for fit_job in groups if fit_job in jobs]
    second = [
        (fit_job, chunk)
        for fit_job, group in groups.items()
        for i in range(n_chunks)
        if (chunk := [job for job in group if job is not fit_job][i::n_chunks])
    ]
    waiting = {job.slug: job for job in jobs}
    pool = workers(min(n_workers, len(jobs))) if executor is None else nullcontext(executor.submit)
    try:
        with pool as submit:
            for stage in (first, second):
                for future in [submit(run_group, study, *group, out) for group in stage]:
                    finished: Results = future.result()
                    yield finished
                    waiting = {slug: waiting[slug] for slug in waiting.keys() - finished.keys()}
    except BrokenProcessPool as error:  # a worker was killed, perhaps for its memory
        yield {slug: failures(study, job, error) for slug, job in waiting.items()}


def run_group(study: Study, fit_job: Job, jobs: Sequence[Job], out: Path) -> Results:
    """Fit once, and make the pages of all jobs that share the fit."""
    fitted, results = try_fit(study, fit_job, out), Results()
    for job in jobs:
        result = fitted
        if isinstance(fitted, Exception) and job.contest is not None:
            result = try_fit(study, job, out)  # a pair can do without a system that is broken
        if isinstance(result, Exception):
            results[job.slug] = failures(study, job, result)
        else:
            pages = zip(study.questions, read_pages(study, job, out), strict=True)
            results[job.slug] = [p or make_page(study, job, q, result, out) for q, p in pages]
    return results


def try_fit(study: Study, job: Job, out: Path) -> Comparison | Contest | Exception:
    """Fit, or return what went wrong: whatever it is, the other comparisons are to be made."""
    question = study.questions[0].for_model(job.sampling.model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)  # the result has it in its own words
        try:
            observed = read_data(study, job.data, job.systems, question)
            return fit_or_load(observed, question, job.sampling, out / "fits" / job.slug)
        except Exception as error:
            return error


def read_data(study: Study, data: DataSet, systems: tuple[str, ...], question: Question) -> Data:
    """Count what systems said, or gather their scores or values."""
    options: dict[str, Any] = {
        **data.options,
        "truth": (data.truth_file, data.truth) if data.truth_file else data.truth,
        "pos_label": data.pos_label,
        "labels": data.labels,
        "average": question.average,
        "kind": question.measure.reads,
    }
    files: Any = data.file
    names = as_systems(tuple(study.systems[column] for column in systems))
    if isinstance(data.file, tuple):  # one per system
        files = tuple(data.file[study.columns.index(column)] for column in systems)
        systems = (options.pop("prediction"),) * len(systems)
    if len(systems) == 2:
        observed = count(files, a=systems[0], b=systems[1], **options)
    else:
        categories = {name: options.pop(name) for name in ("pos_label", "labels", "average")}
        kind, truth = options.pop("kind"), options.pop("truth")
        observed = load_systems(kind, files, None, truth, systems, options, categories)
    models.check_population(study.options.get("population"), observed)
    if isinstance(observed, FoldValues) and observed.negated and question.measure.higher_is_better:
        rule = f"false for {observed.scorer}, which is turned round to {observed.metric}"
        raise invalid("higher_is_better", rule, True)
    columns = (*systems, *map(data.options.get, ("value", "prediction")))
    check_direction(question.measure, study.options.get("higher_is_better"), columns)
    source = dict(observed.source)
    if "file" in source:  # where the study lies makes no difference to what it says
        source["file"] = ", ".join(dict.fromkeys(Path(file).name for file in data.files))
    return replace(observed.called(names), source=source)


def read_pages(study: Study, job: Job, out: Path) -> list[StudyResult | None]:
    """Find what was made before and depends on nothing that has changed, question by question."""
    results: list[StudyResult | None] = []
    for question in study.questions:
        record, (key, _) = job.read_record(question, study, out), job.keys(question, study)
        same = record and record.key == key != ""
        if record and same and len(record.intact_files(out)) == len(record.files):
            results.append(record.result.model_copy(update={"reused": True}))
        else:
            results.append(None)
    return results


def make_page(
    study: Study, job: Job, question: Question, fitted: Comparison | Contest, out: Path
) -> StudyResult:
    """Ask a question of a fit, or of a pair of it, and write the page and the figures."""
    import matplotlib as mpl

    mpl.use("Agg")  # nobody looks at a window
    try:
        result = _judge(study, job, question, fitted)
        category = result.default_category or result.categories[0]
        gallery = plots.GALLERY if result.is_pair else plots.CONTEST_GALLERY
        slug, formats = job.slug_for(question, study), study.figure_formats
        key, figure_key = job.keys(question, study)
        # A verdict that hangs on the ROPE may have taken more draws.
        figure_keys = {
            name: f"{figure_key} {result.fit.draws.shape} {plot.of_rope(result, category)!r}"
            for name, plot in gallery.items()
            if figure_key
        }
        paths = {
            (name, ending): f"figures/{slug}-{name}.{ending}"
            for name, ending in product((*FIGURES, *CONTEST_FIGURES), FIGURE_FORMATS)
        }
        record = job.read_record(question, study, out)
        contents = record.intact_files(out) if record and "svg" in formats else {}
        saved = {
            name: {ending: contents[paths[name, ending]] for ending in formats}
            for name, figure_key in figure_keys.items()
            if contents.keys() >= {paths[name, ending] for ending in formats}
            if record and record.figure_keys.get(name) == figure_key
        }
        figures = draw_figures(result, category, study.figures, formats, saved)
        written = {paths[f.name, e]: content for f in figures for e, content in f.files.items()}
        for path in set(paths.values()).difference(written):
            (out / path).unlink(missing_ok=True)  # an earlier study asked for it
        html = (
            contest_page(result, category, figures=figures)
            if isinstance(result, Contest)
            else comparison_page(result, figures=figures)
        )
        written[f"pages/{slug}.html"] = html.encode()
        for path, content in written.items():
            write_bytes(out / path, content)
        outcome = study_result(result, slug, job.data.name, [f.name for f in figures if formats])
        hashes = {path: sha256_of(content) for path, content in written.items()}
        record = PageRecord(key=key, figure_keys=figure_keys, files=hashes, result=outcome)
        write_text(job.record_path(question, study, out), record.model_dump_json())
        return outcome
    except Exception as error:
        return failure(study, job, question, error)


def _judge(
    study: Study, job: Job, question: Question, result: Comparison | Contest
) -> Comparison | Contest:
    """Ask a question of a fit, or of a pair of it."""
    has_no_cells = "cells" not in result.fit.draws.posterior
    keep_measure = has_no_cells and question == study.questions[0]  # it may have no other
    if job.contest is not None and isinstance(result, Contest):
        result = result.between(*(study.systems[column] for column in job.systems))
    return result.judge(
        measure=None if keep_measure else question.measure,
        rope=question.rope_option,
        hdi_prob=question.hdi_prob,
    )


def study_result(
    result: Comparison | Contest, slug: str, data: str, figures: list[str]
) -> StudyResult:
    """Gather what the overview and the tables show of a result."""
    caption = ""
    if isinstance(result, Contest):
        summary, cells = (
            pd.concat({c: table(c) for c in result.categories}, names=["category"])
            .reset_index("category")
            .reset_index(drop=True)
            for table in (result.summary, result.table)
        )
        caption = contest_caption(result, result.default_category or result.categories[0])
        caption += f" {in_one_paragraph(legend_of(result))}"
    else:
        columns = tuple(dict.fromkeys((*PAPER, *SCORES)))
        summary = result.summary().rename(columns={"group": "category"})
        cells = comparison_table(result, columns, by_name=False)
    return StudyResult(
        systems=result.names,
        measure=result.measure.label,
        model=next(iter(result.groups.values()), result).model.name,
        slug=slug,
        data=data,
        summary=summary,
        cells=cells,
        category=ALL if result.groups and not caption else result.default_category or "",
        sentence="\n".join(result.sentences),
        caption=caption,
        warnings=result.warnings,
        figures=tuple(figures),
        source=dict(result.data.source),
        versions=dict(result.provenance.versions),
        sha256=result.data.sha256,
    )


def failures(study: Study, job: Job, error: Exception) -> list[StudyResult | None]:
    """Say of every measure what went wrong."""
    return [failure(study, job, question, error) for question in study.questions]


def failure(study: Study, job: Job, question: Question, error: Exception) -> StudyResult:
    """Say what went wrong."""
    message = in_words_of_toml(error)
    return StudyResult(
        systems=tuple(study.systems[column] for column in job.systems),
        measure=question.measure.label,
        model=job.sampling.model.name if job.sampling.model else "",
        slug=job.slug_for(question, study),
        data=job.data.name,
        error=message if isinstance(error, StanoffError) else f"{type(error).__name__}: {message}",
    )
