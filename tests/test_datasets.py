"""The example that comes along has the scores that scikit-learn finds in it."""

import pytest
from sklearn.metrics import f1_score

from stanoff import compare, datasets


def test_the_example_is_of_500_emails_and_the_same_each_time():
    emails = datasets.load_example()
    assert emails.equals(datasets.load_example())
    assert emails["email"].is_unique
    assert set(emails[["truth", "bayes", "rules"]].to_numpy().ravel()) == {"spam", "ham"}
    assert (emails["truth"] == "spam").sum() == 200


def test_the_example_can_be_judged_without_a_warning():
    emails = datasets.load_example()
    columns = {"truth": "truth", "a": "bayes", "b": "rules", "pos_label": "spam"}
    result = compare(emails, **columns, engine="exact", seed=1)
    scores = [f1_score(emails["truth"], emails[n], pos_label="spam") for n in ("bayes", "rules")]
    said = result.evidence()
    assert (said.observed_A, said.observed_B) == pytest.approx(scores)
    assert not result.warnings
