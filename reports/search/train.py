"""Search 20newsgroups with four systems, and keep how well each topic was answered.

The collection are the posts of the training set, the topics 240 held-out posts, twelve of every
newsgroup; a post is relevant if it is from the same newsgroup. Needs scikit-learn with its copy of
20newsgroups, which it downloads when it is not there, and ir-measures:

    cd reports && python -m search.train [DATA_HOME]

Everything else starts from the file that this writes, ``topics.csv``.
"""

import sys
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import AP, P, nDCG
from scipy import sparse
from sklearn.datasets import fetch_20newsgroups
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize

PER_GROUP, MIN_WORDS, DEPTH = 12, 30, 1000
K1, B = 1.2, 0.75  # of BM25
MASS = 1000.0  # of the Dirichlet prior of the language model, in words
PARTS = ("headers", "footers", "quotes")


def main(data_home: str | None = None) -> None:
    """Fetch, index, search, measure, write."""
    held, collection = (
        fetch_20newsgroups(subset=subset, remove=PARTS, data_home=data_home)
        for subset in ("test", "train")
    )
    vectors = CountVectorizer(stop_words="english", min_df=2, max_features=50_000)
    documents = vectors.fit_transform(collection.data)
    topics = choose_topics(held, vectors)
    queries = vectors.transform([held.data[i] for i in topics])
    groups = np.array(held.target_names)
    relevant = [
        ir_measures.Qrel(f"t{i}", f"d{j}", 1)
        for i in topics
        for j in np.flatnonzero(collection.target == held.target[i])
    ]
    rows = []
    for name, search in SYSTEMS.items():
        print(f"searching with {name} ...", file=sys.stderr, flush=True)
        runs = ranked(search(documents, queries), topics)
        for value in ir_measures.iter_calc([AP, nDCG @ 10, P @ 10], relevant, runs):
            rows.append((value.query_id, name, str(value.measure), value.value))
    long = pd.DataFrame(rows, columns=["topic", "system", "measure", "value"])
    wide = long.pivot(index=["topic", "system"], columns="measure", values="value").reset_index()
    wide["newsgroup"] = groups[held.target[[int(topic[1:]) for topic in wide["topic"]]]]
    wide = wide[["topic", "newsgroup", "system", "AP", "nDCG@10", "P@10"]]
    wide.round(4).to_csv(Path(__file__).with_name("topics.csv"), index=False)


def choose_topics(held, vectors) -> list[int]:
    """Choose topics: as many of every newsgroup, and none of a few words only."""
    rng = np.random.default_rng(20)
    words = np.asarray((vectors.transform(held.data) > 0).sum(axis=1)).ravel()
    topics = []
    for group in range(len(held.target_names)):
        long = np.flatnonzero((held.target == group) & (words >= MIN_WORDS))
        topics += rng.choice(long, PER_GROUP, replace=False).tolist()
    return sorted(topics)


def ranked(scores, topics) -> list:
    """List the best documents of every topic."""
    return [
        ir_measures.ScoredDoc(f"t{i}", f"d{j}", float(row[j]))
        for i, row in zip(topics, scores, strict=True)
        for j in np.argsort(-row, kind="stable")[:DEPTH]
    ]


def bm25(documents, queries) -> np.ndarray:
    """Weigh by Okapi BM25; a word counts as often as the topic has it."""
    length = np.asarray(documents.sum(axis=1)).ravel()
    n = documents.shape[0]
    holding = np.asarray((documents > 0).sum(axis=0)).ravel()
    rarity = np.log1p((n - holding + 0.5) / (holding + 0.5))
    cells = documents.tocoo()
    norm = K1 * (1 - B + B * length / length.mean())
    weight = cells.data * (K1 + 1) / (cells.data + norm[cells.row]) * rarity[cells.col]
    index = sparse.csr_matrix((weight, (cells.row, cells.col)), documents.shape)
    return (queries @ index.T).toarray()


def tfidf(documents, queries) -> np.ndarray:
    """Take the cosine of TF-IDF vectors, with logarithmic counts."""
    weighting = TfidfTransformer(sublinear_tf=True).fit(documents)
    return (weighting.transform(queries) @ weighting.transform(documents).T).toarray()


def lsi(documents, queries) -> np.ndarray:
    """Take the cosine of TF-IDF vectors in 200 dimensions: latent semantic indexing."""
    weighting = TfidfTransformer(sublinear_tf=True).fit(documents)
    reduce = TruncatedSVD(200, random_state=0).fit(weighting.transform(documents))
    few = [normalize(reduce.transform(weighting.transform(x))) for x in (queries, documents)]
    return few[0] @ few[1].T


def language_model(documents, queries) -> np.ndarray:
    """Take the likelihood of the topic under each document, smoothed by a Dirichlet prior."""
    length = np.asarray(documents.sum(axis=1)).ravel()
    common = np.asarray(documents.sum(axis=0)).ravel() / documents.sum()
    cells = documents.tocoo()
    gain = np.log1p(cells.data / (MASS * common[cells.col]))
    index = sparse.csr_matrix((gain, (cells.row, cells.col)), documents.shape)
    words = np.asarray(queries.sum(axis=1)).ravel()
    return (queries @ index.T).toarray() - np.outer(words, np.log(length + MASS))


SYSTEMS = {"bm25": bm25, "tfidf": tfidf, "lsi": lsi, "lm": language_model}

if __name__ == "__main__":
    main(*sys.argv[1:2])
