"""Is it worth it?  Joint private model, each site alone, and all rows pooled, over many splits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from shoal.errors import ConvergenceError, InfeasibleError, ParameterError
from shoal.federated.kernels._cox import concordance
from shoal.federated.kernels._cox_newton import cox_coefficients
from shoal.federated.kernels._features import feature_matrix, scale
from shoal.federated.kernels._newton_svm import newton_svm
from shoal.federated.kernels._random_kernel import RandomKernel
from shoal.federated.kernels._survival import auc_at, status_at
from shoal.typing import Floats

JOINT, POOLED = "joint private", "pooled"
MODELS = ("cox", "svm")
FOLDS = 5  # in which nu is chosen


@dataclass(frozen=True)
class Comparison:
    """Scores of each model on each random split; NaN where a site could not train alone.

    Parameters
    ----------
    score : str
        What was measured.
    scores : mapping of str to ndarray
        One score per split for "joint private", every site, and "pooled".
    """

    score: str
    scores: Mapping[str, Floats]

    def rows(self) -> list[dict[str, Any]]:
        """Mean, standard deviation and number of splits of each model."""
        return [
            {
                "model": name,
                "mean": float(np.nanmean(values)),
                "deviation": float(np.nanstd(values, ddof=1)),
                "splits": int((~np.isnan(values)).sum()),
            }
            for name, values in self.scores.items()
        ]

    def gap(self, one: str = POOLED, other: str = JOINT) -> tuple[float, float]:
        """Mean difference of two models over the splits, and its standard error."""
        # Split by split: both models saw the same rows, so most of the spread cancels.
        differences = self.scores[one] - self.scores[other]
        differences = differences[~np.isnan(differences)]
        error = differences.std(ddof=1) / np.sqrt(len(differences))
        return float(differences.mean()), float(error)

    def interval(self, one: str = POOLED, other: str = JOINT) -> tuple[float, float]:
        """95 % interval of :meth:`gap` over the splits, by Student's t.

        Splits share rows, so that it says how much the mean depends on the splits that were drawn,
        not on the people who were asked.
        """
        mean, error = self.gap(one, other)
        pairs = ~np.isnan(self.scores[one] - self.scores[other])
        half = float(t.ppf(0.975, int(pairs.sum()) - 1)) * error
        return mean - half, mean + half

    def single_site_mean(self) -> float:
        """Mean score of the models of single sites."""
        alone = [v for n, v in self.scores.items() if n not in (JOINT, POOLED)]
        return float(np.nanmean(alone))

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"score": self.score, "models": self.rows()}


@dataclass(frozen=True)
class Study:
    """How a comparison is made; :func:`compare_sites` says what the fields are."""

    model: str
    horizon: float
    train_share: float = 0.6
    n_components: int | None = None
    n_splits: int = 100
    ridge: float = 0.01
    nu: float | Sequence[float] = 1.0
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise ParameterError(f"model must be one of {MODELS}, got {self.model!r}.")
        if not 0 < self.train_share < 1:
            raise ParameterError(f"train_share must lie between 0 and 1, got {self.train_share}.")
        if not self.weights or not min(self.weights) > 0:
            raise ParameterError(f"nu must be above 0, got {self.nu!r}.")

    @property
    def weights(self) -> tuple[float, ...]:
        """Values of nu to choose from."""
        return (self.nu,) if isinstance(self.nu, int | float) else tuple(self.nu)


def compare_sites(
    sites: Mapping[str, tuple[Any, Floats]],
    ranges: Mapping[str, tuple[float, float]],
    model: str,
    horizon: float,
    *,
    train_share: float = 0.6,
    n_components: int | None = None,
    n_splits: int = 100,
    ridge: float = 0.01,
    nu: float | Sequence[float] = 1.0,
    score: str = "auc",
    random_state: int = 0,
) -> Comparison:
    """Train on random parts of every site, test on the rest of all sites.

    Parameters
    ----------
    sites : mapping of str to (rows, outcomes)
        Each site's frame or array, and two columns: time, and 1 for an event or 0.
    ranges : mapping of str to (low, high)
        Agreed features and ranges.
    model : {"cox", "svm"}
        What is trained.
    horizon : float
        Time at which the AUC is taken, and at which the SVM's classes are known.
    train_share : float, default=0.6
        Share of every site's rows that is trained on; the rest of all sites is tested on.
    n_components : int or None, default=None
        Rows of B.  A new B is drawn for every split.
    n_splits : int, default=100
        Random splits.
    ridge : float, default=0.01
        Cox model's penalty.
    nu : float or sequence of float, default=1.0
        SVM's weight of errors.  Of several, each model takes the one with the highest mean AUC in
        five folds of its own training rows.
    score : {"auc", "concordance"}, default="auc"
        What is measured on the test rows.
    random_state : int, default=0
        Seed of splits and of B.

    Returns
    -------
    Comparison
        The joint model is trained on projections; single-site and pooled models on raw features.
        A joint or pooled model that does not converge is a ConvergenceError, a site that cannot
        train alone a NaN.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> def site(n):
    ...     X = rng.random((n, 3))
    ...     return X, np.column_stack([rng.exponential(np.exp(-3 * X[:, 0])), np.ones(n)])
    >>> ranges = {"age": (0, 1), "dose": (0, 1), "weight": (0, 1)}
    >>> sites = {"gent": site(80), "leuven": site(60)}
    >>> comparison = compare_sites(sites, ranges, "cox", 0.2, n_splits=3)
    >>> [(row["model"], row["splits"]) for row in comparison.rows()]
    [('joint private', 3), ('gent', 3), ('leuven', 3), ('pooled', 3)]
    """
    study = Study(model, horizon, train_share, n_components, n_splits, ridge, nu, random_state)
    return run_study(sites, ranges, study, score=score)


def run_study(
    sites: Mapping[str, tuple[Any, Floats]],
    ranges: Mapping[str, tuple[float, float]],
    study: Study,
    *,
    score: str = "auc",
) -> Comparison:
    """The comparison that a study describes."""
    if score not in ("auc", "concordance"):
        raise ParameterError(f"score must be 'auc' or 'concordance', got {score!r}.")
    scaled = {
        name: (scale(feature_matrix(X, list(ranges)), ranges), y) for name, (X, y) in sites.items()
    }
    rng = np.random.default_rng(study.random_state)
    scores: dict[str, list[float]] = {name: [] for name in (JOINT, *sites, POOLED)}
    for _ in range(study.n_splits):
        # A new B each time: one lucky or unlucky matrix must not decide the comparison.
        kernel = RandomKernel(
            dict(ranges), study.n_components, random_state=int(rng.integers(2**62))
        ).fit()
        train, test = _split(scaled, study, rng)
        for name, rows, project in _contestants(train, kernel):
            X = [kernel.project(part) if project else part for part, _ in rows]
            alone = name not in (JOINT, POOLED)
            risk = _risk(X, [y for _, y in rows], study, may_fail=alone)
            inputs = kernel.project(test[0]) if project else test[0]
            scores[name].append(_score(risk, inputs, test[1], study, score))
    measure = "concordance" if score == "concordance" else f"AUC at {study.horizon:g}"
    return Comparison(measure, {name: np.array(values) for name, values in scores.items()})


Rows = tuple[Floats, Floats]


def _split(
    sites: Mapping[str, Rows], study: Study, rng: np.random.Generator
) -> tuple[dict[str, Rows], Rows]:
    train: dict[str, Rows] = {}
    test: list[Rows] = []
    for name, (X, y) in sites.items():
        order = rng.permutation(len(X))
        cut = round(study.train_share * len(X))
        train[name] = X[order[:cut]], y[order[:cut]]
        test.append((X[order[cut:]], y[order[cut:]]))
    return train, (np.concatenate([X for X, _ in test]), np.concatenate([y for _, y in test]))


def _contestants(
    train: Mapping[str, Rows], kernel: RandomKernel
) -> list[tuple[str, Sequence[Rows], bool]]:
    everyone = list(train.values())
    alone = [(name, [rows], False) for name, rows in train.items()]
    return [(JOINT, everyone, True), *alone, (POOLED, everyone, False)]


def _risk(
    X: Sequence[Floats], y: Sequence[Floats], study: Study, *, may_fail: bool
) -> NDArray[np.float64] | None:
    """Weights of a linear risk score, or None where nothing can be trained."""
    rows, target = np.concatenate(X), np.concatenate(y)
    try:
        if study.model == "cox":
            return cox_coefficients(rows, target, study.ridge)
        known, lived = status_at(target, study.horizon)
        if len(np.unique(lived)) < 2:
            return None
        rows = rows[known]
        return -newton_svm(rows, lived, choose_nu(rows, lived, study)).w
    except InfeasibleError:
        return None
    except ConvergenceError:
        if may_fail:
            return None
        raise


def choose_nu(rows: Floats, signs: Floats, study: Study) -> float:
    """The nu with the highest mean AUC in folds of these rows; the middle one where none can tell.

    Parameters
    ----------
    rows, signs : ndarray
        Training rows of one model, and their classes as -1 and +1.
    study : Study
        With the values to choose from.
    """
    values = study.weights
    n_folds = min(FOLDS, int(min((signs > 0).sum(), (signs < 0).sum())))
    if len(values) == 1 or n_folds < 2:
        return values[len(values) // 2]
    fold = np.empty(len(rows), np.intp)
    for side in (-1.0, 1.0):  # both classes in every fold
        members = np.flatnonzero(signs == side)
        fold[members] = np.arange(len(members)) % n_folds
    scores = [
        np.mean([_held_out(rows, signs, fold == f, nu) for f in range(n_folds)]) for nu in values
    ]
    return values[int(np.argmax(scores))]


def _held_out(rows: Floats, signs: Floats, held: NDArray[np.bool_], nu: float) -> float:
    """AUC on held-out rows of a plane trained on the others."""
    plane = newton_svm(rows[~held], signs[~held], nu)
    known = np.column_stack([np.where(signs[held] > 0, 2.0, 0.0), np.ones(held.sum())])
    return auc_at(known, -(rows[held] @ plane.w), 1.0)


def _score(weights: Floats | None, rows: Floats, y: Floats, study: Study, score: str) -> float:
    if weights is None:
        return float("nan")
    risk = rows @ weights
    try:
        return concordance(y, risk) if score == "concordance" else auc_at(y, risk, study.horizon)
    except InfeasibleError:
        return float("nan")
