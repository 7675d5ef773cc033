"""What the classifier learns and publishes."""

import datetime as dt
import json

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB

from shoal.errors import GuaranteeError, ParameterError, ShoalError, TableError
from shoal.models import KAnonymousNaiveBayes
from shoal.models._json import seal
from shoal.privacy import DeltaPresence, DistinctDiversity, KAnonymity
from shoal.schema import Schema
from tests.models.tables import SCHEMA, people
from tests.models.test_json import mutate


def test_one_column_is_counted_as_scikit_learn_counts_it():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (200, 1))
    y = (X[:, 0] + rng.integers(0, 3, 200) > 2).astype(int)
    ours = KAnonymousNaiveBayes(privacy=1, ranges=50).fit(X, y)
    prior = (np.bincount(y) + 1) / (len(y) + 2)
    theirs = CategoricalNB(class_prior=prior).fit(X, y)
    assert ours.columns_[0].counts.T.tolist() == theirs.category_count_[0].tolist()
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X))


@pytest.fixture(scope="module")
def bayes():
    X, y = people(2000)
    return KAnonymousNaiveBayes(SCHEMA, 10).fit(X, y)


def test_columns_of_every_kind(bayes):
    X, y = people(2000)
    assert bayes.score(X, y) > 0.75
    by_name = {column.name: column for column in bayes.columns_}
    assert [*by_name] == ["age", "job", "size", "born", "debt"]
    assert by_name["job"].labels.names == ["baker", "clerk", "judge", "smith"]
    assert by_name["size"].labels.names[0] == "at most small"
    assert by_name["born"].labels.names[0].startswith("at most 19")
    assert min(c.counts.sum(axis=1).min() for c in bayes.columns_) >= 10
    assert sum(int(c.counts.sum()) for c in bayes.columns_) <= 2000
    new = {
        "age": [40, np.nan], "job": ["smith", "pilot"], "size": ["small", None],
        "born": [dt.date(1980, 1, 1), None], "debt": [0.0, np.nan],
    }  # fmt: skip
    # of the second row nothing is known: its shares are those of the classes
    known = bayes.class_counts_ + 1
    assert np.allclose(bayes.predict_proba(new)[1], known / known.sum())


def test_rare_values_are_lifted_or_share_a_label():
    jobs = ["clerk"] * 40 + ["judge"] * 4 + ["smith"] * 6 + ["baker"] * 6
    X, y = {"job": np.array(jobs)}, np.arange(56) % 2
    schema = Schema({name: SCHEMA[name] for name in ("job", "class")})
    column = KAnonymousNaiveBayes(schema, 10).fit(X, y).columns_[0]
    assert column.labels.names == ["desk", "hands"]
    flat = KAnonymousNaiveBayes(privacy=10).fit(X, y).columns_[0]
    assert flat.labels.names == ["clerk", "any other"]
    assert flat.counts.sum(axis=1).tolist() == [40, 16]
    few = KAnonymousNaiveBayes(privacy=20).fit(X, y)
    assert few.columns_[0].labels.names == ["clerk"]
    assert few.bins_.population[0] == 16  # in no count
    assert "counts tell nothing private about 16" in few.guarantee()


def test_what_is_written_is_what_was_fitted(bayes, tmp_path):
    X, _ = people(300, seed=1)
    bayes.to_json(tmp_path / "bayes.json")
    again = KAnonymousNaiveBayes.from_json(tmp_path / "bayes.json")
    assert (again.predict_proba(X) == bayes.predict_proba(X)).all()
    assert again.to_dict() == bayes.to_dict()
    assert again.export_text().splitlines()[1] == "age"
    assert again.guarantee().endswith(f"The smallest has {bayes.spans_.largest_k} rows.")


def small():
    X = np.column_stack([np.arange(60.0), np.arange(60) % 7])
    return KAnonymousNaiveBayes(privacy=5).fit(X, np.arange(60) // 20), X


def test_no_changed_file_is_taken():
    model, _ = small()
    written, rng = model.to_dict(), np.random.default_rng(0)
    assert KAnonymousNaiveBayes.from_dict(json.loads(json.dumps(written)))
    for _ in range(1000):
        changed = mutate(written, rng)
        if json.dumps(changed) == json.dumps(written):
            continue
        with pytest.raises(TableError):
            KAnonymousNaiveBayes.from_dict(changed)


def test_a_changed_file_with_a_digest_of_its_own_is_refused_or_a_whole_classifier():
    model, X = small()
    written, rng, refused = model.to_dict(), np.random.default_rng(1), 0
    for _ in range(600):
        changed = mutate(written, rng)
        changed.pop("digest", None)
        try:
            again = KAnonymousNaiveBayes.from_dict(seal(changed))
        except ShoalError:
            refused += 1
            continue
        shares = again.predict_proba(X)
        assert np.allclose(shares.sum(axis=1), 1)
        assert again.spans_.largest_k >= again.privacy_.minimum_size
    assert refused > 400


def test_small_groups_are_withheld_even_if_the_search_errs(monkeypatch):
    X, y = people(300)
    monkeypatch.setattr(
        "shoal.models.bayes._naive_bayes._asked_of_model",
        lambda *_: lambda group_of, n_groups: np.ones(n_groups, bool),
    )
    with pytest.raises(GuaranteeError):
        KAnonymousNaiveBayes(SCHEMA, 25, ranges=10).fit(X, y)


def test_diversity_is_kept():
    X, y = people(1000)
    asked = KAnonymity(5) & DistinctDiversity(2, "class")
    model = KAnonymousNaiveBayes(SCHEMA, asked).fit(X, y)
    assert model.exposure_.exposed == 0
    assert model.exposure_.confidence < 1


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"ranges": 0}, "ranges must be"),
        ({"alpha": 0}, "alpha must be above 0"),
        ({"random_state": -1}, "random_state must be"),
        ({"privacy": DeltaPresence(0.1, 0.5, "all.csv")}, "DeltaPresence does not apply"),
    ],
)
def test_parameters_are_checked(parameters, said):
    X, y = people(100)
    with pytest.raises(ParameterError, match=said):
        KAnonymousNaiveBayes(**parameters).fit(X, y)
