"""Models trained elsewhere, on the people among the inputs: what is audited."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

NUMBERS, TEXTS = ["age", "income"], ["sex", "school", "job"]


def read_people() -> pd.DataFrame:
    """The people as a model's author has them: zip codes are text."""
    return pd.read_csv("../inputs/people.csv", dtype={"zip": str})


def fit_estimators() -> dict[str, Any]:
    """A model of every sort that scikit-learn has and an audit reads, fitted."""
    table = read_people()
    ill = np.where(table["illness"] == "none", "well", "ill")
    ordinal = make_column_transformer((OrdinalEncoder(), TEXTS), ("passthrough", NUMBERS))
    one_hot = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["sex", "school"]), (StandardScaler(), NUMBERS)
    )
    leaves = {"min_samples_leaf": 20, "random_state": 0}
    models = {
        "tree": make_pipeline(ordinal, DecisionTreeClassifier(**leaves)),
        "forest": make_pipeline(ordinal, RandomForestClassifier(3, max_depth=3, **leaves)),
        "boosting": make_pipeline(
            ordinal, GradientBoostingClassifier(n_estimators=3, max_depth=2, **leaves)
        ),
        "histograms": make_pipeline(
            ordinal, HistGradientBoostingClassifier(max_iter=3, max_depth=2, **leaves)
        ),
        "one-hot": make_pipeline(one_hot, DecisionTreeClassifier(max_depth=4, **leaves)),
        "logistic": make_pipeline(one_hot, LogisticRegression()),
        "centroids": make_pipeline(one_hot, NearestCentroid()),
        "k-means": make_pipeline(one_hot, KMeans(4, n_init=1, random_state=0)),
    }
    attributes = table[[*TEXTS, *NUMBERS]]
    fitted = {name: model.fit(attributes, ill) for name, model in models.items()}
    sick = (ill == "ill").astype(float)
    fitted["linear"] = make_pipeline(one_hot, LinearRegression()).fit(attributes, sick)
    return fitted


def boosted_json() -> dict[str, str]:
    """Boosted trees of other packages, as the JSON that they write."""
    import json

    import lightgbm
    import xgboost

    table = read_people()
    rows = table[NUMBERS].astype(float)
    ill = (table["illness"] != "none").astype(int)
    light = lightgbm.LGBMClassifier(
        n_estimators=2, num_leaves=4, min_child_samples=20, n_jobs=1, verbose=-1, random_state=0
    ).fit(rows, ill)
    boost = xgboost.XGBClassifier(n_estimators=2, max_depth=2, n_jobs=1, random_state=0)
    booster = boost.fit(rows, ill).get_booster()
    return {
        "lightgbm": json.dumps(light.booster_.dump_model()),
        "xgboost": bytes(booster.save_raw("json")).decode(),
        "xgboost-dump": f"[{','.join(booster.get_dump(dump_format='json'))}]",
    }
