import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from shoal.audit._foreign import foreign_names, is_of_library
from tests.extras import need

pd = need("pandas")
FRAME = pd.DataFrame({"a": np.arange(40) % 7, "b": np.arange(40) % 3})
TARGET = np.arange(40) % 2
HONEST = [
    GaussianNB(),
    GradientBoostingClassifier(n_estimators=2),
    KMeans(2, n_init=1),
    LogisticRegression(),
    RandomForestClassifier(2),
    make_pipeline(ColumnTransformer([("one", OneHotEncoder(), ["b"])]), StandardScaler()),
]


@pytest.mark.parametrize("model", HONEST, ids=lambda model: type(model).__name__)
def test_a_library_names_what_its_models_have(model):
    model.fit(FRAME, TARGET)
    assert foreign_names(model) == []
    vars(model).update(kept_rows=FRAME)
    assert foreign_names(model) == ["kept_rows"]


def test_of_other_classes_nothing_is_said():
    class Own:
        pass

    made = Own()
    made.rows = FRAME
    assert foreign_names(made) == []


def test_a_class_that_only_says_that_it_is_of_a_library_is_not():
    class DecisionTreeClassifier:
        __module__ = "sklearn.tree._classes"
        __qualname__ = "DecisionTreeClassifier"

    assert not is_of_library(DecisionTreeClassifier)
    assert is_of_library(LogisticRegression)
