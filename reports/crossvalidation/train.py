"""Cross-validate five classifiers on the data that scikit-learn brings along, and keep the scores.

Accuracies on ten folds, repeated three times, and on two folds, repeated five times (``scheme``).
The folds of a data set are the same for all classifiers:

    cd reports && python -m crossvalidation.train

Everything else starts from the file that this writes, ``scores.csv``.
"""

from pathlib import Path

import pandas as pd
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

DATA = {
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
}
SCHEMES = {"10x3": (10, 3), "2x5": (2, 5)}  # folds and repeats
CLASSIFIERS = {
    "centroid": NearestCentroid(),
    "1-NN": KNeighborsClassifier(1),
    "stump": DecisionTreeClassifier(max_depth=1, random_state=1),
    "logistic": LogisticRegression(max_iter=1000),
    "forest": RandomForestClassifier(10, random_state=1),
}


def main() -> None:
    """Load, train, score, write."""
    rows = []
    for name, load in DATA.items():
        x, y = load(return_X_y=True)
        for scheme, (folds, repeats) in SCHEMES.items():
            cv = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=1)
            for system, classifier in CLASSIFIERS.items():
                scaled = make_pipeline(StandardScaler(), classifier)
                for i, score in enumerate(cross_val_score(scaled, x, y, cv=cv)):
                    rows.append((name, scheme, system, i // folds, i % folds, score))
    columns = ["dataset", "scheme", "system", "repeat", "fold", "accuracy"]
    table = pd.DataFrame(rows, columns=columns).round(6)
    table.to_csv(Path(__file__).with_name("scores.csv"), index=False)


if __name__ == "__main__":
    main()
