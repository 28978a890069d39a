"""List the keys of a study for docs/study.md: ``python docs/study_keys.py`` writes them there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stanoff import options
from stanoff.study.config import DATA_KEYS, OPTION_KEYS, DataSet, Study

PAGE = Path(__file__).with_name("study.md")
BEGIN, END = "<!-- keys -->\n", "<!-- end of keys -->\n"
# Where the words of the command line are not those of a study.
MEANINGS = {
    "prediction": "in long format: column of predictions; of several files the column in each",
    "denominator": "of a ratio: column to divide by, or a list of one per system",
    "n_train": "documents of a training set, or the column that says so",
    "n_test": "documents of a test set, or the column that says so",
    "paired": "whether all systems were tested on the same folds; by default they were",
    "zero_division": "what a measure is at 0/0: 0, 1 or nan",
    "rope": "region of practical equivalence: a half-width, two ends as a list, or of values a "
    'share such as "2%"',
    "not_worse_by": "ask whether A is not worse than B by more than this",
    "better_by": "ask whether A is better than B by more than this",
    "prior": '"uniform", "jeffreys", "perks", or weights such as "beta=2,alpha_pos=0.5"',
    "sampler_options": "a table of options of CmdStan's sampler, such as `{adapt_delta = 0.99}`",
    "seed": "makes every number reproducible; by default 1",
}


def keys() -> Iterator[tuple[str, str]]:
    """Yield every key with what it means: the fields of the models, then their options."""
    for prefix, model, names in (("", Study, OPTION_KEYS), ("data.", DataSet, DATA_KEYS)):
        for name, field in model.model_fields.items():
            yield prefix + name, field.description or ""
        if model is Study:
            yield "pos_label", "the positive label of all data sets, by default 1; also `positive`"
            yield "labels", "the categories to average over, by default all"
        for name in names:
            yield prefix + name, meaning_of(name)


def meaning_of(name: str) -> str:
    """Describe an option in a cell of a table."""
    option: Any = options.DECLARED[name][1]
    text = MEANINGS.get(name, option.help)
    text, *default = re.split(r"  \[default: (.*)\]", text)
    text = f"{text[0].lower()}{text[1:]}".rstrip(".")
    if option.choices:
        text += f": {', '.join(option.choices)}"
    return f"{text}; by default {default[0]}" if default else text


def table() -> str:
    """Write the table in Markdown."""
    lines = [f"| `{name}` | {meaning} |" for name, meaning in keys()]
    return "\n".join(["| key | meaning |", "| --- | --- |", *lines, ""])


def page(text: str) -> str:
    """Put the table where the page has it."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}{table()}{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
