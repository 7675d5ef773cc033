"""Proportional hazards on random-kernel projections."""

import importlib
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from shoal.errors import InfeasibleError, MissingExtraError, ParameterError, TableError
from shoal.federated.kernels._cox_newton import cox_coefficients, is_optimum, not_converged
from shoal.federated.kernels._kernel_functions import order_of_rows
from shoal.federated.kernels._random_kernel import RandomKernel
from shoal.federated.kernels._shares import Share
from shoal.federated.kernels._stacked_shares import row_weights, stack_shares
from shoal.federated.kernels._survival import auc_at, survival_target
from shoal.federated.kernels._svc import fitted_kernel, known_kernel
from shoal.frames._native import pandas_frame
from shoal.typing import Floats


class RandomKernelCox(BaseEstimator):
    """Cox regression on what sites publish of their rows [YFR08]_.

    Parameters
    ----------
    transform : RandomKernel or None, default=None
        The shared kernel.  A fitted one is used as it is; None is ``RandomKernel()``.
    ridge : float, default=0.0
        Weight of the squared coefficients (lifelines' `penalizer`).

    Attributes
    ----------
    coef_ : ndarray of shape (n_components,)
        Log hazard ratios of the components.
    log_likelihood_ : float
        Partial log-likelihood reached.
    baseline_times_, baseline_cumulative_hazard_ : ndarray
        Breslow's baseline at the mean projection.
    kernel_ : RandomKernel or None
        The kernel used for new rows; None after `fit_shares` without one.

    Notes
    -----
    **Guarantee.**  Trained from the sites' files it equals the model trained from stacked rows.
    The coefficients are the optimum: what an optimizer returned without reaching it is never a
    model, but a :class:`~shoal.errors.ConvergenceError` with advice.

    **Reveals.**  What `RandomKernel` reveals, and everyone's survival time and status.

    **Costs.**  That of lifelines' ``CoxPHFitter`` on the same matrix; ties by Efron.

    **Departures from the paper.**  Ridge penalty and site weights.

    References
    ----------
    .. [YFR08] S. Yu, G. Fung, R. Rosales, S. Krishnan, R. B. Rao, C. Dehing-Oberije, P. Lambin.
       Privacy-preserving predictive models for lung cancer survival analysis.  P3DM 2008.
    """

    def __init__(self, transform: RandomKernel | None = None, *, ridge: float = 0.0) -> None:
        self.transform = transform
        self.ridge = ridge

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Project the rows of `X` and train; `y` has two columns, time and event."""
        kernel = fitted_kernel(self.transform, X)
        self.kernel_: RandomKernel | None = kernel
        return self._train(kernel.transform(X), y, sample_weight)

    def fit_shares(
        self, shares: Iterable[Share], site_weights: Mapping[str, float] | None = None
    ) -> Self:
        """Train on the sites' published shares alone; `site_weights` weights their rows."""
        shares = stack_shares(shares, "survival", self.transform)
        self.kernel_ = self.transform
        rows = np.concatenate([share.projection for share in shares])
        time = np.concatenate([share.target["time"] for share in shares])
        event = np.concatenate([share.target["event"] for share in shares])
        return self._train(rows, survival_target(time, event), row_weights(shares, site_weights))

    def predict(self, X: Any) -> Floats:
        """Log hazard of raw rows, relative to the mean projection."""
        check_is_fitted(self)
        return self.risk(known_kernel(self.kernel_).transform(X))

    def risk(self, projection: ArrayLike) -> Floats:
        """The same for rows that are projected already."""
        check_is_fitted(self)
        return (np.asarray(projection, np.float64) - self.mean_) @ self.coef_

    def predict_survival(self, X: Any, times: ArrayLike) -> Floats:
        """Chance of outliving each of `times`, one row per row of `X`."""
        log_hazard = self.predict(X)
        n_past = np.searchsorted(self.baseline_times_, np.asarray(times, np.float64), side="right")
        # The hazard is a step function: 0 before the first time, then as of the last time past.
        hazard = np.concatenate([[0.0], self.baseline_cumulative_hazard_])[n_past]
        return np.exp(-np.exp(log_hazard)[:, None] * hazard[None, :])

    def score(self, X: Any, y: ArrayLike) -> float:
        """Concordance: share of comparable pairs that the model ranks rightly."""
        return concordance(y, self.predict(X))

    def auc(self, X: Any, y: ArrayLike, horizon: float) -> float:
        """Area under the curve for death by `horizon`."""
        return auc_at(y, self.predict(X), horizon)

    def _train(self, rows: Floats, y: ArrayLike, weights: ArrayLike | None) -> Self:
        if self.ridge < 0:
            raise ParameterError(f"ridge must not be negative, got {self.ridge!r}.")
        target = np.asarray(y, np.float64)
        if target.ndim != 2 or target.shape != (len(rows), 2):
            raise TableError("y must have two columns, time and event, and one row per row of X.")
        target = survival_target(target[:, 0], target[:, 1])
        row_weight = None if weights is None else np.asarray(weights, np.float64)
        # so that sums are those of the shares, whose rows have no other order
        order = order_of_rows(rows, *target.T, *([] if row_weight is None else [row_weight]))
        rows, target = rows[order], target[order]
        row_weight = None if row_weight is None else row_weight[order]
        fitted = fit_cox(rows, target, self.ridge, row_weight)
        self.coef_ = _coefficients(fitted)
        self.mean_ = rows.mean(axis=0)
        self.log_likelihood_ = float(fitted.log_likelihood_)
        baseline = fitted.baseline_cumulative_hazard_
        self.baseline_times_ = baseline.index.to_numpy(np.float64)
        self.baseline_cumulative_hazard_ = baseline.to_numpy(np.float64).ravel()
        return self


def fit_cox(
    rows: Floats, target: Floats, ridge: float = 0.0, weights: ArrayLike | None = None
) -> Any:
    """A fitted lifelines model at the optimum, or a ConvergenceError; never one that diverged."""
    if not target[:, 1].any():
        raise InfeasibleError(
            "Cox regression: no one had the event", required=1, achieved=0, hint="Add sites."
        )
    given = None if weights is None else np.asarray(weights, np.float64)
    fitted = _lifelines_fit(rows, target, ridge, given, None)
    if fitted is None or not is_optimum(_coefficients(fitted), rows, target, ridge, given):
        # its Newton steps may overshoot and never come back: ours are halved until they gain
        start = cox_coefficients(rows, target, ridge, given)
        fitted = _lifelines_fit(rows, target, ridge, given, start * rows.std(axis=0, ddof=1))
    if fitted is None or not is_optimum(_coefficients(fitted), rows, target, ridge, given):
        raise not_converged(len(rows), ridge)
    return fitted


def _lifelines_fit(
    rows: Floats, target: Floats, ridge: float, weights: Floats | None, start: Floats | None
) -> Any:
    """The fit of lifelines from a starting point, on standardised features; None if it fails."""
    lifelines = _lifelines()
    frame = pandas_frame(rows, [f"k{j}" for j in range(rows.shape[1])])
    frame["time"], frame["event"] = target[:, 0], target[:, 1]
    options: dict[str, Any] = {}
    if weights is not None:
        frame["weight"] = weights
        options = {"weights_col": "weight"}
    # Imported only now: an optional package, and slow to import.
    convergence = importlib.import_module("lifelines.exceptions").ConvergenceError
    with warnings.catch_warnings():
        # its use of pandas, advice on weights, and whether it converged, which is asked afterwards
        warnings.simplefilter("ignore")
        model = lifelines.CoxPHFitter(penalizer=ridge)
        try:
            return model.fit(frame, "time", "event", initial_point=start, **options)
        except convergence:
            return None


def _coefficients(fitted: Any) -> Floats:
    return np.asarray(fitted.params_.to_numpy(), np.float64)


def concordance(y: ArrayLike, risk: ArrayLike) -> float:
    """Share of comparable pairs where the one who died first had the higher risk."""
    _lifelines()
    target, scores = np.asarray(y, np.float64), np.asarray(risk, np.float64)
    index = importlib.import_module("lifelines.utils").concordance_index
    try:
        return float(index(target[:, 0], -scores, target[:, 1]))
    except ZeroDivisionError:
        raise InfeasibleError(
            "concordance: no two people can be compared", required=1, achieved=0, hint="Add rows."
        ) from None


def _lifelines() -> Any:
    try:
        return importlib.import_module("lifelines")
    except ImportError:
        raise MissingExtraError("lifelines", "sites", "Cox regression") from None
