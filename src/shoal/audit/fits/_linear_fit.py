"""Whether a linear model is the best fit to the rows of a table, each of them counted once.

Leverage says whose numbers coefficients are only of the fit that was made: weights, another loss
or rows that a solver looked at last give leverages of their own.  What the best fit leaves over is
known of each kind of model, so that it can be seen whether this is the one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from shoal.audit._training_table import TrainingTable
from shoal.typing import Flags, Floats

SOLVED = 1e-3
"""How far from the best fit least squares may stop, relative to what is left over."""
NEARLY = 5e-3
"""The same of solvers that come closer step by step."""
SQUARES = ("LinearRegression", "Ridge", "RidgeCV", "Lasso", "LassoCV", "ElasticNet",
           "ElasticNetCV", "BayesianRidge")  # fmt: skip
CLASSES = ("LogisticRegression", "LogisticRegressionCV", "RidgeClassifier", "RidgeClassifierCV")
LOGARITHMS = {"PoissonRegressor": 1.0, "GammaRegressor": 2.0}
"""Regressions of the logarithm, by the power of the mean that the variance grows with."""
BY_MEANS = ("LinearDiscriminantAnalysis", "NearestCentroid")
"""Models that consist of means of classes."""
FOLLOWS = {
    "C_", "Cs_", "X_offset_", "X_scale_", "alpha_", "alphas_", "centroids_", "class_prior_",
    "classes_", "coef_", "coefs_paths_", "covariance_", "deviations_", "explained_variance_ratio_",
    "feature_names_in_", "intercept_", "l1_ratio_", "l1_ratios_", "lambda_", "means_", "mse_path_",
    "n_features_in_", "n_iter_", "priors_", "rank_", "scalings_", "scores_", "sigma_", "singular_",
    "solver_", "true_classes_", "within_class_std_dev_", "xbar_",
}  # fmt: skip
"""What is an option, follows from coefficients, means and features, or is told of elsewhere."""


@dataclass(frozen=True, eq=False)
class LinearFit:
    """What a fit leaves over.

    Parameters
    ----------
    bend : ndarray of shape (n_rows, n_outputs)
        How strongly what is said about a row follows what is true of it, beside its features.
    slope : ndarray of shape (n_features, n_outputs)
        What the best fit has 0 of.
    shrinkage : ndarray of shape (n_features,)
        What the penalty adds to the bend of each coefficient.
    is_best : bool
        Whether the slope is as good as 0.
    """

    bend: Floats
    slope: Floats
    shrinkage: Floats
    is_best: bool


def is_known(model: Any) -> bool:
    """Whether the best fit of a model of this kind is known."""
    kind = type(model).__name__
    if getattr(model, "positive", False) or not _has_one_covariance(model):
        return False
    return kind in (*SQUARES, *CLASSES, *LOGARITHMS, *BY_MEANS, "TweedieRegressor")


def numbers_beside(model: Any) -> dict[str, int]:
    """Attributes that do not follow from coefficients, errors say, and how many numbers they are.

    The error of a `RidgeCV` is a sum of squares over people, each with a weight of its own.
    """
    known = FOLLOWS - ({"alpha_"} if type(model).__name__ == "BayesianRidge" else set())
    own = {name: np.asarray(one) for name, one in vars(model).items() if name not in known}
    return {
        name: one.size
        for name, one in own.items()
        if name.endswith("_") and name[0] != "_" and one.dtype.kind in "iuf"
    }


def _has_one_covariance(model: Any) -> bool:
    """Whether classes share their covariance: it follows from that of all people, and means.

    Those of single classes are sums over their people, of every product of two features.
    """
    if getattr(model, "solver", "svd") == "svd" or not hasattr(model, "covariance_estimator"):
        return True
    plain = model.covariance_estimator is None and model.priors is None
    return plain and model.shrinkage != "auto"


def consists_of_means(model: Any) -> bool:
    """Whether a model is known by the means of its classes."""
    return type(model).__name__ in BY_MEANS


def has_own_means(model: Any, matrix: Floats, table: TrainingTable) -> bool:
    """Whether these are the means of the classes in a table, each row counted once."""
    codes = table.class_codes(model.classes_)
    if codes is None or getattr(model, "shrink_threshold", None) is not None:
        return False
    kept = np.asarray(model.means_ if hasattr(model, "means_") else model.centroids_, np.float64)
    sizes = np.bincount(codes, minlength=len(kept))
    shares: Any = getattr(model, "priors_", None)
    if getattr(model, "solver", "svd") != "svd" and not np.allclose(shares, sizes / len(codes)):
        return False  # they are weights in what classes have in common
    for number, mean in enumerate(kept):
        own = matrix[codes == number].mean(axis=0) if sizes[number] else np.full(len(mean), np.nan)
        if not np.allclose(own, mean, rtol=1e-9, atol=1e-9):
            return False
    return True


def read_fit(model: Any, matrix: Floats, table: TrainingTable) -> LinearFit | None:
    """Residuals of a model on a table; None if they are unknown, or the model consists of means."""
    kind = type(model).__name__
    wanted = _wanted(model, table)
    if not is_known(model) or consists_of_means(model) or wanted is None:
        return None
    known = np.isfinite(matrix).all(axis=1) & np.isfinite(wanted).all(axis=1)
    matrix, wanted = matrix[known], wanted[known]
    weights = _class_weights(model, table)
    weights = np.ones(len(matrix)) if weights is None else weights[known]
    coefficients = np.atleast_2d(np.asarray(model.coef_, np.float64)).T
    said = matrix @ coefficients + np.ravel(model.intercept_)
    if wanted.shape[1] != said.shape[1]:
        return None
    mean, bend = _said(model, said)
    rest = (wanted - mean) * _scale(model, said) * weights[:, None]
    ridge, lasso = _penalties(model, len(matrix))
    middle = (weights @ matrix) / weights.sum() if model.fit_intercept else 0.0
    design = matrix - middle
    pull = ridge[:, None] * coefficients
    slope = _beyond(design.T @ rest - pull, coefficients, lasso)
    rounding = 1e-9 * np.abs(said).max(initial=0.0)
    exact = kind in SQUARES[:3] or kind.startswith("RidgeC")
    tolerance = SOLVED if exact else NEARLY
    size = np.linalg.norm(rest, axis=0) + rounding
    most = np.linalg.norm(design, axis=0)[:, None] * size + np.abs(pull) + lasso
    varies = np.ptp(matrix, axis=0) > 0  # a constant column is an intercept, which is looked at
    is_best = not (np.abs(slope) > tolerance * most)[varies].any()
    if model.fit_intercept:
        held = _intercept_penalty(model)
        over = np.abs(rest.sum(axis=0) - held)
        is_best &= not (over > tolerance * (size * len(rest) ** 0.5 + np.abs(held))).any()
    return LinearFit(bend * weights[:, None], slope, ridge, bool(is_best))


def leverages(fit: LinearFit, matrix: Floats) -> Floats:
    """Leverage: the weight of each row's own target in its prediction, by the loss's curvature."""
    largest = np.zeros(len(matrix))
    spread = np.abs(matrix).max(axis=0, initial=0.0)
    spread = np.where(spread > 0, spread, 1.0)
    design = np.column_stack([np.ones(len(matrix)), matrix / spread])
    pull = np.diag(np.concatenate([[0.0], fit.shrinkage / spread**2]))
    for bend in fit.bend.T:
        whole = design.T @ (design * bend[:, None]) + pull
        inner = np.linalg.pinv(whole, rcond=1e-12, hermitian=True)
        largest = np.maximum(largest, bend * ((design @ inner) * design).sum(axis=1))
    return largest


def _wanted(model: Any, table: TrainingTable) -> Floats | None:
    """What is true of each row, as a column for each output."""
    target = table.schema.target
    if target is None:
        return None
    if not hasattr(model, "classes_"):
        if table.frame.types[target] not in ("number", "boolean"):
            return None
        return np.asarray(table.frame.numbers(target), np.float64)[:, None]
    codes = table.class_codes(model.classes_)
    if codes is None:
        return None
    flags = (codes[:, None] == np.arange(len(model.classes_))).astype(np.float64)
    flags = flags[:, 1:] if len(model.classes_) == 2 else flags
    return 2 * flags - 1 if type(model).__name__.startswith("RidgeC") else flags


def _class_weights(model: Any, table: TrainingTable) -> Floats | None:
    wanted = getattr(model, "class_weight", None)
    if wanted is None:
        return None
    try:
        values = model.classes_[table.class_codes(model.classes_)]
        return np.asarray(compute_sample_weight(wanted, values), np.float64)
    except (TypeError, ValueError):  # weights of other classes
        return np.zeros(table.n_rows)


def _said(model: Any, said: Floats) -> tuple[Floats, Floats]:
    """The mean that scores stand for, and how it follows them."""
    kind = type(model).__name__
    if kind.startswith("Logistic"):
        if said.shape[1] == 1 or getattr(model, "solver", "") == "liblinear":
            mean = 1 / (1 + np.exp(-np.clip(said, -500, 500)))
        else:
            mean = np.exp(said - said.max(axis=1, keepdims=True))
            mean = mean / mean.sum(axis=1, keepdims=True)
        return mean, mean * (1 - mean)
    if (power := _power(model)) is not None:
        with np.errstate(over="ignore"):
            mean = np.exp(np.clip(said, -500, 500))
        return mean, mean ** (2 - power)
    return said, np.ones_like(said)


def _scale(model: Any, said: Floats) -> Floats:
    """What a difference between target and mean counts in the slope, beside weights."""
    power = _power(model)
    if power is None:
        return np.ones_like(said)
    return np.exp(np.clip(said, -500, 500) * (1 - power))


def _power(model: Any) -> float | None:
    kind = type(model).__name__
    if kind != "TweedieRegressor":
        return LOGARITHMS.get(kind)
    is_log = model.link == "log" or (model.link == "auto" and model.power > 0)
    return float(model.power) if is_log else None


def _penalties(model: Any, n_rows: int) -> tuple[Floats, float]:
    """What is subtracted of the slope: a multiple of each coefficient, and a number of its sign."""
    kind, width = type(model).__name__, np.atleast_2d(model.coef_).shape[1]
    alpha = float(np.ravel(getattr(model, "alpha_", getattr(model, "alpha", 0.0)))[0])
    share = 0.0
    if kind.startswith("Logistic"):
        alpha, share = _of_logistic(model)
    elif kind == "BayesianRidge":
        alpha = float(model.lambda_ / model.alpha_)
    elif kind.startswith(("Lasso", "ElasticNet")):
        alpha *= n_rows
        share = 1.0 if kind.startswith("Lasso") else _number(model, "l1_ratio")
    elif _power(model) is not None or kind == "TweedieRegressor":
        alpha *= n_rows
    elif kind == "LinearRegression":
        alpha = 0.0
    return np.full(width, alpha * (1 - share)), alpha * share


def _of_logistic(model: Any) -> tuple[float, float]:
    strength = float(np.ravel(getattr(model, "C_", model.C if hasattr(model, "C") else 1.0))[0])
    penalty = getattr(model, "penalty", "l2")
    if penalty in (None, "none") or not np.isfinite(strength):
        return 0.0, 0.0
    share = 1.0 if penalty == "l1" else _number(model, "l1_ratio") if penalty != "l2" else 0.0
    return 1 / strength, share


def _number(model: Any, name: str) -> float:
    """A fitted option, or the option itself."""
    given: Any = getattr(model, f"{name}_", getattr(model, name, None))
    first = np.ravel(given)[0]  # nothing where a search had no such option
    return 0.0 if first is None else float(first)


def _beyond(slope: Floats, coefficients: Floats, lasso: float) -> Floats:
    """What of a slope the sum of absolute coefficients does not explain."""
    if not lasso:
        return slope
    active: Flags = coefficients != 0
    idle = np.sign(slope) * np.maximum(np.abs(slope) - lasso, 0)
    return np.where(active, slope - lasso * np.sign(coefficients), idle)


def _intercept_penalty(model: Any) -> Floats:
    """What liblinear takes off an intercept, which it takes for a coefficient."""
    if getattr(model, "solver", "") != "liblinear" or not hasattr(model, "intercept_scaling"):
        return np.zeros(1)
    alpha, _ = _of_logistic(model)
    own: Floats = np.ravel(model.intercept_) * alpha / float(model.intercept_scaling) ** 2
    return own
