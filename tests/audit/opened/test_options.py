"""Options hold a few numbers and words; honest ones are not taken for more."""

import numpy as np
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegressionCV, RidgeClassifierCV
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from shoal.audit.opened._options import crowded_options

MANY = tuple(np.sin(range(40)).tolist())
TOWNS = [f"town number {place} beyond the hills" for place in range(40)]
HONEST = [
    DecisionTreeClassifier(class_weight={place: 1.0 + place / 7 for place in range(15)}),
    DecisionTreeClassifier(random_state=np.random.RandomState(3)),
    LogisticRegressionCV(Cs=np.logspace(-4, 4, 30)),
    RidgeClassifierCV(alphas=np.linspace(0.1, 9.1, 40)),
    HistGradientBoostingClassifier(monotonic_cst=[1, 0, -1] * 20),
    OneHotEncoder(categories=[TOWNS, list(range(1900, 2000))]),
    GradientBoostingClassifier(init=DecisionTreeClassifier()),
    SelectKBest(f_classif, k=3),
    make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include=np.number)),
        (OneHotEncoder(), TOWNS[:30]),
    ),
]
CROWDED = {
    "alphas": RidgeClassifierCV(alphas=np.diff(np.sin(np.arange(40.0)))),
    "class_weight": DecisionTreeClassifier(class_weight={str(n): n**0.5 for n in range(40)}),
    "random_state": DecisionTreeClassifier(random_state="Ab9x" * 20),
    "max_depth": DecisionTreeClassifier(max_depth=[1 << 600, 1 << 700]),
    "criterion": DecisionTreeClassifier(criterion=lambda x=MANY: x),
}


@pytest.mark.parametrize("place", range(len(HONEST)))
def test_honest_options(place):
    assert crowded_options(HONEST[place], frozenset(TOWNS)) == []


@pytest.mark.parametrize("name", CROWDED)
def test_options_with_room_for_rows(name):
    assert crowded_options(CROWDED[name]) == [name]


def test_attributes_of_no_class_count_together():
    model = DecisionTreeClassifier()
    for place in range(30):
        setattr(model, f"x{place}", place**0.5)
    assert crowded_options(model) == ["attributes that its class does not know"]


def test_columns_by_place_are_no_numbers_of_people():
    model = make_column_transformer((StandardScaler(), [0, 1, 3, 4, 7, *range(9, 40)]))
    model.n_features_in_ = 40
    assert crowded_options(model) == []
    model.n_features_in_ = 20
    assert crowded_options(model) == ["transformers"]
