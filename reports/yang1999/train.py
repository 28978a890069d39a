"""Train the five classifiers of Yang and Liu (1999) on Reuters-21578 and keep their decisions.

Needs scikit-learn, and npm to download the corpus into a folder, which is not part of the project:

    cd reports && python -m yang1999.train [FOLDER]

Everything after training starts from what this writes: ``decisions.jsonl.gz``, a line per test
document with the categories that it has and that each classifier gave it, and ``categories.csv``.
"""

import gzip
import json
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from common import write_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold
from sklearn.preprocessing import MultiLabelBinarizer

from yang1999 import reuters_corpus, text_classifiers
from yang1999.published import HERE

FOLDS = 4
MIN_F1 = 0.2


def main(folder: str | None = None) -> None:
    """Fetch, split, train, tune, decide, write."""
    home = Path(folder or Path(tempfile.gettempdir()) / "stanoff-reuters-21578")
    train, test = reuters_corpus.split(reuters_corpus.documents(reuters_corpus.fetch(home)))
    binarizer = MultiLabelBinarizer().fit(train.topics)
    truth, true_test = (binarizer.transform(half.topics) for half in (train, test))
    texts = np.array(train.texts, dtype=object)
    decided = {"truth": true_test.astype(bool)}
    warnings.simplefilter("ignore", ConvergenceWarning)  # the network's epochs are fixed
    warnings.filterwarnings("ignore", "Label not")  # some categories are in a single fold
    for name, scorer in text_classifiers.SCORERS.items():
        print(f"training {name}", flush=True)
        limits = thresholds(scorer, texts, truth)
        decided[name] = scorer().fit(texts, truth).scores(test.texts) > limits
    for name in text_classifiers.SCORERS:
        micro, macro = (
            f1_score(true_test, decided[name], average=average, zero_division=0)
            for average in ("micro", "macro")
        )
        print(f"{name:5} micro F1 {micro:.4f}  macro F1 {macro:.4f}")
    categories = list(binarizer.classes_)
    numbers = pd.DataFrame(
        {"category": categories, "train": truth.sum(axis=0), "test": true_test.sum(axis=0)}
    )
    write_file(HERE / "categories.csv", numbers.to_csv(index=False))
    write_file(HERE / "decisions.jsonl.gz", packed(test.numbers, categories, decided))


def thresholds(scorer, texts, truth):
    """Learn per category the threshold with the best F1 on documents that were held out."""
    held_out = np.empty(truth.shape)
    for learned, judged in KFold(FOLDS, shuffle=True, random_state=0).split(texts):
        model = scorer().fit(texts[learned], truth[learned])
        held_out[judged] = model.scores(texts[judged])
    return np.array([best_threshold(s, t) for s, t in zip(held_out.T, truth.T, strict=True)])


def best_threshold(scores, truth):
    """Return the threshold, halfway between two scores, whose F1 is the best.

    A rare category whose best is poor gets the highest score instead: what would be accepted
    at a low score is not it.
    """
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], np.cumsum(truth[order])
    f1 = 2 * hits / (np.arange(1, len(hits) + 1) + truth.sum())
    f1[:-1][ranked[:-1] == ranked[1:]] = 0  # no threshold falls between equal scores
    best = int(np.argmax(f1))
    if f1[best] < MIN_F1 or best + 1 == len(ranked):
        return ranked[0]
    below = ranked[best + 1]
    return (ranked[best] + below) / 2 if np.isfinite(below) else ranked[best] - 1


def packed(numbers, categories, decided) -> bytes:
    """Write the decisions as gzipped JSON lines, the same bytes every time."""
    names = np.array(categories, dtype=object)
    lines = [
        json.dumps(
            {"document": number, **{who: names[yes[i]].tolist() for who, yes in decided.items()}},
            separators=(",", ":"),
        )
        for i, number in enumerate(numbers)
    ]
    return gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0)


if __name__ == "__main__":
    main(*sys.argv[1:2])
