"""The five families of Yang and Liu (1999) with scikit-learn, each a scorer of categories.

Every scorer has ``fit(texts, truth)`` and ``scores(texts)``: a row per document, a column per
category, high where the category fits. Sizes are those of the paper's section 5.1.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import chi2
from sklearn.linear_model import Ridge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC

WORDS = r"(?u)\b[a-zA-Z][a-zA-Z]+\b"


class Scorer:
    """Words to weights of the words most associated with a category (chi-square), to scores."""

    features: int
    weighted = True  # log(tf) x idf, at unit length; else plain word counts

    def fit(self, texts, truth):
        """Learn the vocabulary, the features and the classifier."""
        self._words = CountVectorizer(stop_words="english", token_pattern=WORDS, min_df=2)
        counts = self._words.fit_transform(texts)
        present, best = (counts > 0).astype(float), np.zeros(counts.shape[1])
        for column in truth.T:
            if column.any():
                best = np.maximum(best, np.nan_to_num(chi2(present, column)[0]))
        self._selected = np.sort(np.argsort(-best, kind="stable")[: self.features])
        self._weights = TfidfTransformer(sublinear_tf=True).fit(counts[:, self._selected])
        self.learn(self._vectors(counts), truth)
        return self

    def scores(self, texts):
        """Score every document in every category."""
        return self.score(self._vectors(self._words.transform(texts)))

    def _vectors(self, counts):
        features = counts[:, self._selected]
        return self._weights.transform(features) if self.weighted else features


class SVM(Scorer):
    """A linear support vector machine per category."""

    features = 10_000

    def learn(self, vectors, truth):
        """Fit one machine per category."""
        self._model = OneVsRestClassifier(LinearSVC(C=1.0, dual=True, random_state=0))
        self._model.fit(vectors, truth)

    def score(self, vectors):
        """Return the distances from the planes."""
        return self._model.decision_function(vectors)


class KNN(Scorer):
    """The 45 nearest documents vote with their cosines."""

    features = 2_415
    neighbours = 45

    def learn(self, vectors, truth):
        """Remember the documents."""
        self._vectors_seen, self._truth = vectors, truth

    def score(self, vectors):
        """Add up the cosines of the neighbours that have the category."""
        cosines = (vectors @ self._vectors_seen.T).toarray()
        cut = np.partition(cosines, -self.neighbours, axis=1)[:, [-self.neighbours]]
        return np.where(cosines >= cut, cosines, 0.0) @ self._truth


class LLSF(Scorer):
    """Linear least squares fit; a small ridge stands in for the 500 singular values."""

    features = 2_415

    def learn(self, vectors, truth):
        """Solve for all categories at once."""
        self._model = Ridge(alpha=1.0, solver="cholesky").fit(vectors.toarray(), truth)

    def score(self, vectors):
        """Return the fitted values."""
        return self._model.predict(vectors.toarray())


class NNet(Scorer):
    """One network for all categories, with a hidden layer of 64."""

    features = 1_000

    def learn(self, vectors, truth):
        """Train for a fixed number of epochs."""
        self._model = MLPClassifier(
            hidden_layer_sizes=(64,),
            activation="logistic",
            learning_rate_init=0.01,
            batch_size=128,
            max_iter=EPOCHS,
            n_iter_no_change=EPOCHS,
            random_state=0,
        ).fit(vectors, truth)

    def score(self, vectors):
        """Return the probabilities."""
        return self._model.predict_proba(vectors)


class NB(Scorer):
    """One multinomial naive Bayes over all categories, documents counted once per category."""

    features = 2_000
    weighted = False

    def learn(self, vectors, truth):
        """Count words per category."""
        rows, labels = np.nonzero(truth)
        self._width = truth.shape[1]
        self._model = MultinomialNB(alpha=0.1).fit(vectors[rows], labels)

    def score(self, vectors):
        """Return the log probabilities of the categories given the document."""
        logs = np.full((vectors.shape[0], self._width), -np.inf)
        logs[:, self._model.classes_] = self._model.predict_log_proba(vectors)
        return logs


EPOCHS = 30
SCORERS = {"SVM": SVM, "kNN": KNN, "LLSF": LLSF, "NNet": NNet, "NB": NB}
