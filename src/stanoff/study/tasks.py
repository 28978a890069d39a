"""What a study has to make: comparisons and contests, and how their files are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from stanoff.question import Question, Sampling
from stanoff.study.config import DataSet, Study


@dataclass(frozen=True, eq=False)
class Task:
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
    contest : Task or None
        The contest that two systems are taken out of, if there is one.
    """

    data: DataSet
    systems: tuple[str, ...]
    sampling: Sampling
    slug: str
    contest: Task | None = None

    @property
    def model(self) -> str:
        """The name of the model, empty where it is chosen by the data."""
        return self.sampling.model.name if self.sampling.model else ""

    def slug_for(self, question: Question, study: Study) -> str:
        """Name the files that are about one measure; two measures never share a name."""
        known: set[str] = set()
        slugs = {one: slug_of([one.measure.label], known) for one in study.questions}
        return f"{self.slug}-{slugs[question]}"


@dataclass(frozen=True, eq=False)
class Unit:
    """What one worker does at a time: some tasks that share a fit.

    Attributes
    ----------
    whole : Task
        What is fitted.
    made : tuple of Task
        What is made of the fit: the whole, pairs of it, or both.
    """

    whole: Task
    made: tuple[Task, ...]


def tasks_of(study: Study) -> Iterator[Task]:
    """List the contests of a study, then its comparisons."""
    known: set[str] = set()
    contests: dict[tuple[int, int], Task] = {}
    for (i, data), (j, sampling) in product(enumerate(study.data), enumerate(study.samplings)):
        model = sampling.model
        if study.together and (model is None or model.max_systems is None):
            slug = slug_of(
                [*_named(data.name), "contest", *_named(model.name if model else "")], known
            )
            contests[i, j] = Task(data, tuple(study.names), sampling, slug)
    yield from contests.values()
    for (i, data), pair, (j, sampling) in product(
        enumerate(study.data), study.pairs, enumerate(study.samplings)
    ):
        names = [study.names[column] for column in pair]
        model = sampling.model
        slug = slug_of([*_named(data.name), *names, *_named(model.name if model else "")], known)
        yield Task(data, pair, sampling, slug, contests.get((i, j)))


def _named(name: str) -> list[str]:
    return [name] if name else []


def slug_of(parts: Sequence[str], known: set[str]) -> str:
    """Make a file name of names: letters, digits and ``_-.`` only, and none that is known.

    Examples
    --------
    >>> known = set()
    >>> slug_of(["a/b", "ü"], known), slug_of(["a b", "ü"], known)
    ('a_b-ü', 'a_b-ü-2')
    """
    plain = [re.sub(r"[^\w.]+", "_", part)[:40].strip("._") or "_" for part in parts]
    slug, n = "-".join(plain), 2
    while slug.casefold() in known:
        slug, n = f"{'-'.join(plain)}-{n}", n + 1
    known.add(slug.casefold())
    return slug


def units(tasks: Sequence[Task], shares: int) -> tuple[list[Unit], list[Unit]]:
    """Put tasks that share a fit together; what comes second reads the fits of what comes first.

    Parameters
    ----------
    tasks : sequence of Task
        What is to be made.
    shares : int
        Among how many workers the pairs of a contest are shared out.
    """
    first: list[Unit] = []
    second: list[Unit] = []
    for whole in dict.fromkeys(task.contest or task for task in tasks):
        made = [task for task in tasks if (task.contest or task) is whole]
        if shares == 1 or whole.contest is not None or made == [whole]:
            first.append(Unit(whole, tuple(made)))
            continue
        pairs = [task for task in made if task is not whole]
        first.append(Unit(whole, tuple(task for task in made if task is whole)))
        size = -(-len(pairs) // shares)
        second += [Unit(whole, tuple(pairs[i : i + size])) for i in range(0, len(pairs), size)]
    return first, second
