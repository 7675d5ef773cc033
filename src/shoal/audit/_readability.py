"""Which models are read completely, and which carry the rows that they were trained on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from shoal.audit._boosting import is_boosting
from shoal.audit._feature_map import last_step
from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.privacy.spans._spans import Bins, Spans
from shoal.tables._frequency import group_keys

CARRIERS = (
    "KNeighbors", "RadiusNeighbors", "NearestNeighbors", "LocalOutlierFactor", "KNNImputer",
    "SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "GaussianProcess", "KernelRidge",
    "KernelDensity", "KernelPCA", "LabelPropagation", "LabelSpreading", "DBSCAN", "HDBSCAN",
    "OPTICS", "AffinityPropagation", "SpectralClustering", "Isomap", "LocallyLinearEmbedding",
    "Nystroem", "KDTree", "BallTree", "IterativeImputer",
)  # fmt: skip
"""Estimators of scikit-learn whose prediction needs rows of the training table."""
NOT_CARRIERS = ("KernelCenterer",)
FOLDS = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")

OF_ROUNDS = ("evals_result_", "_evals_result", "_best_score")
"""Attributes in which XGBoost and LightGBM keep scores of rows given for evaluation."""
KEPT_SCORES = {"scores_", "pvalues_"}
"""Attributes in which SelectKBest and similar steps keep a score of each column."""
OF_FOLDS = ("coefs_paths_", "cv_alphas_", "mse_path_", "scores_")
"""Attributes in which linear models that choose their penalty keep results of folds."""


def is_carrier(model: Any) -> bool:
    """Whether this estimator, or one that it inherits from, keeps training rows to predict."""
    kinds = [kind.__name__ for kind in type(model).__mro__]
    return any(kind.startswith(CARRIERS) and kind not in NOT_CARRIERS for kind in kinds)


def find_carriers(model: Any) -> list[str]:
    """Kinds of estimators within a model, at any depth, that keep training rows."""
    return sorted(
        {type(one).__name__ for one in parts_of(model) if is_carrier(one) and _is_fitted(one)}
    )


def _is_fitted(model: Any) -> bool:
    return any(name.endswith("_") and not name.endswith("__") for name in vars(model))


def parts_of(model: Any) -> Iterator[Any]:
    """A model and all estimators in it: steps, members of ensembles, results of searches."""
    todo, seen = [model], set()
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            todo += one.values()
        elif isinstance(one, list | tuple) and len(one) <= 100_000:
            todo += one
        elif isinstance(one, np.ndarray) and one.dtype.hasobject:
            todo += one.ravel().tolist()
        elif _is_part(one):
            yield one
            todo += [value for value in vars(one).values() if _may_hold_estimators(value)]
        elif hasattr(one, "__self__"):
            todo.append(one.__self__)


def _is_part(value: Any) -> bool:
    if isinstance(value, type) or not hasattr(value, "__dict__"):
        return False
    return callable(getattr(value, "get_params", None)) or _is_of_sklearn(value)


def _is_of_sklearn(value: Any) -> bool:
    return type(value).__module__.startswith("sklearn.")


def _may_hold_estimators(value: Any) -> bool:
    if isinstance(value, dict | list | tuple) or _is_part(value):
        return True
    return isinstance(value, np.ndarray) and value.dtype.hasobject


def row_spans(carriers: list[str], table: TrainingTable) -> ModelSpans:
    """What training rows tell: all private values, to whoever knows the public ones."""
    names = [n for n in table.schema if n not in table.columns and n in table.frame.names]
    known = [n for n in names if table.schema[n].role != "identifier"]
    codes = [table.frame.factorize(name)[0] + 1 for name in known]
    group = np.zeros(table.n_rows, np.int64)
    if codes:
        group = group_keys(np.column_stack(codes))[0].astype(np.int64)
    n_spans = int(group.max()) + 1
    start = 2 * np.arange(n_spans + 1, dtype=np.int64)
    members = np.tile(np.arange(2, dtype=np.int32), n_spans)
    spans = Spans.from_members(group, start, members, table.columns)
    bins = Bins.count(("a private value", "another"), np.zeros(table.n_rows, np.int64))
    kind = ", ".join(carriers)
    return ModelSpans(kind, spans, group, bins, lambda _: (f"rows kept by {kind}",))


def open_search(model: Any) -> tuple[Any, tuple[str, ...]]:
    """The model that a search chose, and messages on what else the search holds."""
    unread: list[str] = []
    while type(model).__name__ in FOLDS and hasattr(model, "best_estimator_"):
        unread.append(
            f"{type(model).__name__} keeps scores of parts of the table for every candidate; "
            "publish its best_estimator_ alone"
        )
        model = model.best_estimator_
    return model, tuple(unread)


def unread_target(model: Any, table: TrainingTable) -> tuple[str, ...]:
    """Messages on a model fitted to a target that the schema does not describe: it may be private.

    A tree with one person in each leaf tells everybody's.
    """
    last = last_step(model)
    target = table.schema.target
    if target is not None:
        classes = getattr(last, "classes_", None) if _is_supervised(last) else None
        if not isinstance(classes, np.ndarray) or table.class_codes(classes) is not None:
            return ()
        other = f"its classes are not those of {target!r}"
        return (f"{other}: it may have been fitted to another column",)
    if not (_is_boosted(last) or _is_supervised(last)):
        return ()
    return (
        "what it was fitted to is not in the schema: add that column, and say that it is the "
        "target",
    )


def _is_supervised(last: Any) -> bool:
    return _is_part(last) and (is_classifier(last) or is_regressor(last))


def _is_boosted(last: Any) -> bool:
    """Whether this is a boosted model, or the content of its file."""
    if isinstance(last, list):
        last = last[0] if last else None
    written = isinstance(last, dict) and bool({"learner", "nodeid", "tree_info"} & last.keys())
    return written or is_boosting(last)


def unread_folds(model: Any) -> tuple[str, ...]:
    """Messages on models that tried penalties on folds, and keep the results of each.

    A fold may leave out one person: errors and coefficients then tell of that person.
    """
    messages = []
    for part in parts_of(model):
        kept = [name for name in OF_FOLDS if name in vars(part)]
        if kept and type(part).__name__.endswith("CV"):
            messages.append(
                f"{type(part).__name__} keeps results of parts of the table ({', '.join(kept)}): "
                "delete them before you publish"
            )
    return tuple(messages)


def unread_scores(model: Any, table: TrainingTable) -> tuple[str, ...]:
    """Messages on steps that chose columns by the target, and keep each column's score.

    A column that is true of one person only, such as a town, has a score that tells of that person.
    """
    target = table.schema.target
    if target is not None and not table.columns:
        return ()
    kept = {type(part).__name__ for part in parts_of(model) if vars(part).keys() >= KEPT_SCORES}
    return tuple(
        f"{kind} keeps scores of single columns, which were fitted to the target: choose the "
        "columns by hand, or with a ColumnTransformer"
        for kind in sorted(kept)
    )


def unread_rounds(model: Any) -> tuple[str, ...]:
    """Messages on boosting that keeps scores of its rounds on rows given for evaluation.

    If these are of one person, the errors tell that person's class or number to the last digit.
    """
    kept = {name for part in parts_of(model) for name in OF_ROUNDS if vars(part).get(name)}
    boosters = [part.get_booster() for part in parts_of(model) if hasattr(part, "get_booster")]
    boosters += [last_step(model)] if hasattr(last_step(model), "save_raw") else []
    notes: list[Any] = [one.attributes() for one in boosters if hasattr(one, "attributes")]
    if isinstance(model, dict) and isinstance(model.get("learner"), dict):
        notes.append(model["learner"].get("attributes"))
    kept |= {"best_score" for one in notes if isinstance(one, dict) and "best_score" in one}
    if isinstance(getattr(last_step(model), "best_score", None), dict):  # a booster of LightGBM
        kept |= {"best_score"} if last_step(model).best_score else set()
    if not kept:
        return ()
    return (
        f"scores of rounds on rows that were given beside ({', '.join(sorted(kept))}), which may "
        "be few: delete them, or fit without eval_set",
    )


def unread_init(model: Any) -> tuple[str, ...]:
    """Gradient boosting starts from another model, which trees do not show."""
    start = getattr(last_step(model), "init_", None)
    if start is None or type(start).__name__ in ("DummyClassifier", "DummyRegressor", "str"):
        return ()
    return (f"the model that boosting starts from ({type(start).__name__}) was not read",)
