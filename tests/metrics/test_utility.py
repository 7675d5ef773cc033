import subprocess
import sys

import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB
from sklearn.tree import DecisionTreeClassifier

from shoal.errors import ParameterError
from shoal.metrics import classification_utility
from shoal.metrics._utility import examples
from tests.metrics.tables import random_release


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (400, 3))
    classes = np.where(codes[:, 0] >= 2, "yes", "no")
    return codes[:300], classes[:300], codes[300:], classes[300:]


@pytest.mark.parametrize(
    "classifier", ["tree", "logistic", "naive-bayes", DecisionTreeClassifier()]
)
def test_a_visible_rule_is_learned(people, classifier):
    found = classification_utility(*people, classifier=classifier)
    assert found.accuracy == 1.0
    assert found.baseline < 0.6
    assert (found.n_train, found.n_test) == (300, 100)
    assert "(" in found.to_dict()["classifier"]


def test_a_hidden_rule_is_not(people):
    train, classes, test, test_classes = people
    found = classification_utility(train[:, 1:], classes, test[:, 1:], test_classes)
    assert found.accuracy < 0.75
    assert found.error == pytest.approx(1 - found.accuracy)


@pytest.mark.parametrize("classifier", ["naive-bayes", BernoulliNB(alpha=0.5)])
def test_counted_lines_are_the_rows_they_stand_for(people, classifier):
    train, classes, test, test_classes = people
    rng = np.random.default_rng(1)
    rows, test_rows = rng.integers(0, 4, len(train)), rng.integers(0, 4, len(test))
    counted = classification_utility(
        train,
        classes,
        test,
        test_classes,
        train_rows=rows,
        test_rows=test_rows,
        classifier=classifier,
    )
    repeated = classification_utility(
        train.repeat(rows, 0),
        classes.repeat(rows),
        test.repeat(test_rows, 0),
        test_classes.repeat(test_rows),
        classifier=classifier,
    )
    assert counted == repeated


def test_a_release_gives_its_examples():
    recoded, rows, classes = random_release(np.random.default_rng(0))
    codes, labels, counts = examples(recoded, "class")
    assert counts.sum() == sum(released is not None for _, released in rows)
    texts = recoded.cells.histograms["class"].coding.texts
    released = [c for (_, sets), c in zip(rows, classes, strict=True) if sets is not None]
    for code, text in enumerate(texts):
        assert counts[labels == code].sum() == released.count(text)
    assert codes.shape == (len(counts), 3)


def test_one_class_and_unknown_labels_are_no_trouble():
    found = classification_utility([[0], [1]], ["a", "a"], [[2], [0]], ["a", "b"])
    assert found.accuracy == found.baseline == 0.5
    found = classification_utility([[0], [1]], ["a", "b"], [[7]], ["a"])
    assert found.n_test == 1


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[0]], ["a"], [[0, 1]], ["a"]), {}, "1 training columns and 2 test"),
        (([[0]], ["a"], np.empty((0, 1)), []), {}, "needs training rows and test rows"),
        (([[0]], ["a"], [[0]], ["a"]), {"classifier": "oracle"}, "unknown classifier 'oracle'"),
        (([[0]], ["a"], [[0]], ["a"]), {"train_rows": [1, 2]}, "one count of rows per line"),
    ],
)
def test_wrong_parameters_are_refused(arguments, options, message):
    with pytest.raises(ParameterError, match=message):
        classification_utility(*arguments, **options)


def test_importing_the_metrics_loads_no_scikit_learn():
    code = "import sys, shoal.metrics; assert not {'sklearn', 'numba', 'pandas'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
