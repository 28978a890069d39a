"""Readers of arguments: each takes what a caller gave and returns what the code works with.

What cannot be used is refused with an error that names the parameter, the rule and the value.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence, Set
from math import inf
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from stanoff.errors import invalid, unknown

Interval = tuple[float, float]

MAX_SEED = 2**31 - 1
MAX_PERCENT = 10_000


def check_choice(parameter: str, value: Any, choices: Iterable[str]) -> str:
    """Read a word out of a list of known ones."""
    names = list(choices)
    if not isinstance(value, str) or value not in names:
        raise unknown(parameter, value, names)
    return value


def check_int(parameter: str, value: Any, *, least: int = 1, most: int | None = None) -> int:
    """Read a whole number within bounds.

    Examples
    --------
    >>> check_int("draws", 100)
    100
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not least <= int(value) <= (inf if most is None else most):
        bounds = f">= {least}" if most is None else f"from {least} to {most:,}"
        raise invalid(parameter, f"a whole number {bounds}", value)
    return int(value)


def check_float(parameter: str, value: Any, rule: str) -> float:
    """Read a number, which is as large as a float can be.

    Examples
    --------
    >>> check_float("hdi_prob", 1, "a number")
    1.0
    """
    try:
        if isinstance(value, Real) and not isinstance(value, bool):
            return float(value)
    except OverflowError:
        pass
    raise invalid(parameter, rule, value)


def as_string(parameter: str, value: Any) -> str | None:
    """Read a text, or nothing."""
    if value is not None and not isinstance(value, str):
        raise invalid(parameter, "a text", value)
    return value


def check_utf8(parameter: str, text: str) -> str:
    """Refuse halves of characters (lone surrogates), which no file can hold.

    Examples
    --------
    >>> check_utf8("labels", "spam")
    'spam'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise invalid(parameter, "text that UTF-8 can write", text) from None
    return text


def as_path(parameter: str, value: Any) -> Path:
    """Read the name of a file or folder; ``~`` is the home of a user.

    Examples
    --------
    >>> as_path("path", "a/b.csv").name
    'b.csv'
    """
    rule = "the path of a file"
    try:
        name = os.fspath(value)
        os.fsencode(name)
        if isinstance(name, str) and name and "\0" not in name:
            return Path(name).expanduser()
    except (TypeError, UnicodeEncodeError):
        pass
    except RuntimeError:
        rule += "; there is no such user"
    raise invalid(parameter, rule, value) from None


def as_seed(seed: Any) -> int:
    """Read a seed, or take a random one."""
    if seed is None:
        return secrets.randbelow(MAX_SEED) + 1
    return check_int("seed", seed, least=0, most=MAX_SEED)


def check_bool(parameter: str, value: Any) -> bool:
    """Read True or False."""
    if not isinstance(value, bool):
        raise invalid(parameter, "True or False", value)
    return value


def check_probability(parameter: str, value: Any) -> float:
    """Read a probability strictly between 0 and 1."""
    rule = "a number between 0 and 1, both excluded"
    number = check_float(parameter, value, rule)
    if not 0 < number < 1:
        raise invalid(parameter, rule, value)
    return number


def as_rope(rope: Any) -> Interval:
    """Read a ROPE: a half-width around 0, or its two ends.

    Examples
    --------
    >>> as_rope(0.05), as_rope((-0.01, 0.03))
    ((-0.05, 0.05), (-0.01, 0.03))
    """
    rule = "a half-width >= 0 or two finite ends in ascending order"
    both = isinstance(rope, Real) and not isinstance(rope, bool)
    try:
        if not isinstance(rope, (str, bytes, Mapping, Set)):
            # + 0.0 turns -0.0 into 0.0
            low, high = (float(end) + 0.0 for end in ((-rope, rope) if both else rope))
            if -inf < low <= high < inf:
                return low, high
    except (TypeError, ValueError, OverflowError):
        pass
    raise invalid("rope", rule, rope) from None


def as_share(rope: str) -> tuple[Interval, str]:
    """Read a ROPE that is a share of what was observed: of its mean, or of its range.

    Examples
    --------
    >>> as_share("2%"), as_share("5% of range")
    (((-0.02, 0.02), 'mean'), ((-0.05, 0.05), 'range'))
    """
    number = r"\d+\.?\d*(?:e-?\d+)?|\.\d+(?:e-?\d+)?"
    share = re.fullmatch(rf"\s*({number})\s*%(?:\s*of\s+(?:the\s+)?(mean|range))?\s*", rope)
    if not share or float(share[1]) >= MAX_PERCENT:
        rule = "a number, two ends, or a share such as '2%', '2% of mean' or '2% of range'"
        raise invalid("rope", rule, rope)
    half = float(share[1]) / 100
    return (-half, half), share[2] or "mean"


def as_names(names: Any) -> tuple[str, str]:
    """Read what A and B are called."""
    called = _names("names", names)
    if len(called) != 2 or len(set(called)) != 2:
        raise invalid("names", "two different names", names)
    return called[0], called[1]


def as_systems(names: Any) -> tuple[str, ...]:
    """Read what the systems of a contest are called: two or more, all different."""
    called = _names("systems", names)
    if len(called) < 2:
        raise invalid("systems", "two systems or more", names)
    if repeated := [name for name in called if called.count(name) > 1]:
        raise invalid("systems", "different systems", f"{repeated[0]} twice")
    return tuple(called)


def _names(parameter: str, names: Any) -> list[str]:
    listed = isinstance(names, Sequence) and not isinstance(names, str)
    called = [" ".join(str(name).split()) for name in names] if listed else []
    for name in called:
        if not name.isprintable():
            raise invalid(parameter, "printable", name)
    return called if all(called) else []


def as_executor(executor: Any) -> Any:
    """Read who does the work: a ``concurrent.futures.Executor``, or a client of Dask."""
    if callable(getattr(executor, "get_executor", None)):
        return executor.get_executor()
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise invalid("executor", "a concurrent.futures.Executor or a client of Dask", executor)
    return executor


def as_jobs(jobs: Any) -> int:
    """Read how many workers to employ; None means one per processor that this process may use."""
    return cores() if jobs is None else check_int("jobs", jobs)


def cores() -> int:
    """Count the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
