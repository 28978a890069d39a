"""A small data set that comes along, so that examples run as they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

EMAILS = {  # how often each row occurs: (truth, what bayes said, what rules said)
    ("spam", "spam", "spam"): 160,
    ("spam", "spam", "ham"): 18,
    ("spam", "ham", "spam"): 8,
    ("spam", "ham", "ham"): 14,
    ("ham", "spam", "spam"): 6,
    ("ham", "spam", "ham"): 5,
    ("ham", "ham", "spam"): 9,
    ("ham", "ham", "ham"): 280,
}


def load_example() -> pd.DataFrame:
    """Return what two spam filters said of the same 500 emails.

    The data are made up. The columns are ``email``, a number; ``truth``; and the two filters,
    ``bayes`` and ``rules``. All but the number are "spam" or "ham".

    Examples
    --------
    >>> from stanoff.datasets import load_example
    >>> emails = load_example()
    >>> emails.shape
    (500, 4)
    """
    import pandas as pd

    rows = [row for row, n in EMAILS.items() for _ in range(n)]
    emails = pd.DataFrame(rows, columns=["truth", "bayes", "rules"])
    shuffled = emails.sample(frac=1, random_state=1, ignore_index=True)
    shuffled.insert(0, "email", range(1, len(shuffled) + 1))
    return shuffled
