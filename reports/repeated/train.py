"""Train two text classifiers with five seeds each, and keep which posts every run got right.

Both are logistic regressions, one on words and one on groups of three letters. They are trained by
stochastic gradient descent in two epochs over 20newsgroups, so that the seed, which shuffles the
posts, makes a difference. Posts of one thread (one subject line) hang together.
Needs scikit-learn and its copy of 20newsgroups, which it downloads when it is not there:

    cd reports && python -m repeated.train [DATA_HOME]

Everything else starts from the file that this writes, ``answers.csv``.
"""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import SGDClassifier

RUNS, THREADS = 5, 250
SYSTEMS = {
    "words": TfidfVectorizer(sublinear_tf=True, min_df=2),
    "letters": TfidfVectorizer(
        analyzer="char_wb", ngram_range=(3, 3), sublinear_tf=True, min_df=5, max_features=50_000
    ),
}


def main(data_home: str | None = None) -> None:
    """Fetch, train, answer, write."""
    train, test = (
        fetch_20newsgroups(
            subset=subset, remove=("headers", "footers", "quotes"), data_home=data_home
        )
        for subset in ("train", "test")
    )
    whole = fetch_20newsgroups(subset="test", data_home=data_home)
    thread = np.array([subject(text) for text in whole.data])
    items = choose(thread, test.data)
    rows = []
    for name, vectors in SYSTEMS.items():
        print(f"training on {name} ...", file=sys.stderr, flush=True)
        learned, asked = vectors.fit_transform(train.data), vectors.transform(test.data)[items]
        for run in range(RUNS):
            fitted = SGDClassifier(
                loss="log_loss", alpha=1e-6, max_iter=2, tol=None, random_state=run
            )
            right = fitted.fit(learned, train.target).predict(asked) == test.target[items]
            rows.append(right.astype(int))
    numbers, _ = pd.factorize(thread[items])
    table = pd.DataFrame({"post": items, "thread": numbers})
    for k, name in enumerate(SYSTEMS):
        runs = np.array(rows[k * RUNS : (k + 1) * RUNS])
        table[name] = ["".join(map(str, column)) for column in runs.T]  # 10110: right in three
    table.to_csv(Path(__file__).with_name("answers.csv"), index=False)


def subject(text: str) -> str:
    """Find the subject of a post, without what marks it as an answer."""
    line = re.search(r"^Subject:(.*)$", text, re.MULTILINE)
    title = line[1] if line else text[:40]
    return re.sub(r"^(\s*re\s*:)+", "", title, flags=re.I).strip().lower()


def choose(thread: np.ndarray, texts: list[str]) -> np.ndarray:
    """Choose threads at random, and of each the posts that have any text left."""
    rng = np.random.default_rng(20)
    selected = rng.choice(np.unique(thread), THREADS, replace=False)
    long = np.array([len(text.split()) >= 5 for text in texts])
    return np.flatnonzero(np.isin(thread, selected) & long)


if __name__ == "__main__":
    main(*sys.argv[1:2])
