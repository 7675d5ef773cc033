"""Names in a skops file that run something while it is loaded."""

import json
import zipfile

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import BisectingKMeans
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier, TweedieRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from shoal.audit import load_model
from shoal.errors import ParameterError
from tests.audit.trials import quick_trials as quick_trials, trial_server as trial_server
from tests.extras import need

skops = need("skops.io")
ROWS = np.abs(np.random.default_rng(0).normal(size=(60, 3)))
CLASSES = np.arange(60) % 2


def listed(value):
    """What skops writes about a value, to be put into the list of another file."""
    return {"__class__": type(value).__name__, "__module__": "builtins", "__id__": id(value)} | (
        {"__loader__": "JsonNode", "content": json.dumps(value), "is_json": True}
        if isinstance(value, str)
        else {
            "__loader__": {list: "ListNode", tuple: "TupleNode"}[type(value)],
            "content": [listed(item) for item in value],
        }
    )


def called(loader, name, *arguments):
    """An object of a skops file that calls a name, with some arguments or with a list of them."""
    module, _, own = name.rpartition(".")
    node = {"__class__": own, "__module__": module, "__loader__": loader, "__id__": 7}
    if loader != "LossNode":
        return node | {"content": [listed(one) for one in arguments]}
    nothing = {"__class__": "dict", "__module__": "builtins", "__loader__": "DictNode", "__id__": 8}
    nothing |= {"key_types": listed([]), "content": {}}
    return node | {"__reduce__": {"args": listed(arguments)}, "content": nothing}


def hang_on(path, node):
    """A tree whose `splitter` is an object that runs something while it is loaded."""
    tree = DecisionTreeClassifier(max_depth=1).fit(ROWS, CLASSES)
    skops.dump(tree, path)
    with zipfile.ZipFile(path) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    said = json.loads(entries["schema.json"])
    said["content"]["content"]["splitter"] = node
    with zipfile.ZipFile(path, "w") as file:
        for name, raw in (entries | {"schema.json": json.dumps(said).encode()}).items():
            file.writestr(name, raw)
    return path


def test_a_program_that_scikit_learn_imports_is_not_run(tmp_path):
    for loader in ("LossNode", "ListNode"):
        seen = tmp_path / loader
        words = ["touch", str(seen)]
        arguments = [words] if loader == "LossNode" else words
        node = called(loader, "sklearn.utils._testing.check_output", *arguments)
        path = hang_on(tmp_path / "model.skops", node)
        with pytest.raises(ParameterError, match="skops nor Shoal knows to be harmless"):
            load_model(path)
        assert not seen.exists(), loader


@pytest.mark.usefixtures("quick_trials")
@pytest.mark.parametrize(
    "name",
    [
        "sklearn.datasets._base.clear_data_home",  # of scikit-learn itself, and removes a folder
        "sklearn.datasets._base.urlretrieve",
        "sklearn.metrics._classification.warnings",  # not defined where it is named
        "sklearn.cluster._kmeans._kmeans_single_lloyd",  # known, and not to be called
    ],
)
def test_names_are_known_by_where_they_are_defined_and_used(tmp_path, name):
    seen = tmp_path / "data"
    seen.mkdir()
    path = hang_on(tmp_path / "model.skops", called("LossNode", name, str(seen)))
    with pytest.raises(ParameterError, match="harmless"):
        load_model(path)
    assert seen.exists()


ORDINARY = [
    make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
    make_pipeline(FunctionTransformer(np.log1p), SelectKBest(chi2, k=2), DecisionTreeClassifier()),
    make_pipeline(
        make_column_transformer((StandardScaler(), make_column_selector("a"))), SGDClassifier()
    ),
    RandomForestClassifier(2),
    GradientBoostingClassifier(n_estimators=2),
    HistGradientBoostingRegressor(max_iter=2),
    TweedieRegressor(),
    CalibratedClassifierCV(LogisticRegression(), cv=2),
    GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, scoring="accuracy", cv=2),
    VotingClassifier([("a", LogisticRegression())]),
    KNeighborsClassifier(),
    MLPClassifier(max_iter=300, hidden_layer_sizes=2, tol=10.0),
    BisectingKMeans(2),
]


@pytest.mark.usefixtures("quick_trials")
@pytest.mark.parametrize("model", ORDINARY, ids=lambda model: type(model).__name__)
def test_models_of_scikit_learn_need_no_trust(tmp_path, model):
    import pandas as pd

    path = tmp_path / "model.skops"
    skops.dump(model.fit(pd.DataFrame(ROWS, columns=list("abc")), CLASSES), path)
    assert type(load_model(path)) is type(model)
