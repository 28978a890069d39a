"""Cross-validate estimators of scikit-learn on the same folds, and judge them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stanoff.api import contest
from stanoff.data.folds import select_metric
from stanoff.errors import invalid
from stanoff.results.contest import Contest


def cross_validate(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any = None,
    *,
    cv: Any = 10,
    scoring: Any = None,
    groups: Any = None,
    params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    metric: str | None = None,
    **options: Any,
) -> Contest:
    """Fit and score estimators on the same folds, and return their contest.

    The folds are made once, so that all estimators are tested on the same documents whatever the
    ``random_state`` of the splitter.

    Parameters
    ----------
    estimators : mapping
        What is fitted, by the names of the systems.
    X, y : array_like
        Documents and their labels, as scikit-learn takes them.
    cv : int, splitter or iterable
        As in ``sklearn.model_selection.cross_validate``; 10 folds by default.
    scoring : str, callable, list or mapping, optional
        As there; by default the score of the estimators themselves.
    groups, params, n_jobs : optional
        As there.
    metric : str, optional
        Which score is judged, where ``scoring`` has several.
    **options
        Those of :func:`stanoff.contest`: ``rope``, ``hdi_prob``, ``engine``, ``seed`` ...

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> estimators = {"nb": GaussianNB(), "dummy": DummyClassifier()}
    >>> result = cross_validate(
    ...     estimators, *load_iris(return_X_y=True), scoring="accuracy", rope=0.01, seed=1
    ... )
    >>> result.best(), result.data.format_count(10)
    (('nb',), '10-fold cross-validation')
    """
    from sklearn import model_selection
    from sklearn.base import is_classifier

    if not isinstance(estimators, Mapping) or len(estimators) < 2:
        raise invalid("estimators", "a mapping of names to two estimators or more", estimators)
    if scoring is not None and not callable(scoring):
        metric, scorer = _select_scorer(scoring, metric)
        scoring = {metric: scorer}
    splitter = model_selection.check_cv(
        cv, y, classifier=is_classifier(next(iter(estimators.values())))
    )
    splits = list(splitter.split(X, y, groups))
    indices = dict(zip(("train", "test"), zip(*splits, strict=True), strict=True))
    scores = {}
    for name, estimator in estimators.items():
        fitted = model_selection.cross_validate(
            estimator, X, y, cv=splits, scoring=scoring, params=params, n_jobs=n_jobs
        )
        scores[name] = {**fitted, "indices": indices}
    return contest(scores, metric=metric, **options)


def _select_scorer(scoring: Any, metric: str | None) -> tuple[str, Any]:
    """Return the scorer that is judged, by its own name if it has one: that may say neg_."""
    name = select_metric([scoring] if isinstance(scoring, str) else list(scoring), metric)
    scorer = scoring[name] if isinstance(scoring, Mapping) else name
    return scorer if isinstance(scorer, str) else name, scorer
