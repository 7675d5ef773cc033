"""Support vector classification on random-kernel projections."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from shoal.errors import ParameterError, TableError
from shoal.federated.kernels._kernel_functions import order_of_rows
from shoal.federated.kernels._newton_svm import newton_svm
from shoal.federated.kernels._random_kernel import RandomKernel
from shoal.federated.kernels._shares import Share
from shoal.federated.kernels._stacked_shares import row_weights, stack_shares
from shoal.typing import Floats


class RandomKernelSVC(ClassifierMixin, BaseEstimator):
    """Newton-Lagrangian SVM on what sites publish of their rows [YFR08]_.

    Parameters
    ----------
    transform : RandomKernel or None, default=None
        The shared kernel.  A fitted one is used as it is; None is ``RandomKernel()``.
    nu : float, default=1.0
        Weight of the squared errors against the margin.
    tol : float, default=1e-8
        Accepted norm of the gradient, which bounds the distance from the optimum.
    max_iter : int, default=100
        Newton steps before giving up.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Class labels, sorted; the second is the positive one.
    coef_ : ndarray of shape (n_components,)
        u in ``K(x', B') u - gamma``.
    intercept_ : float
        ``-gamma``.
    objective_, gradient_norm_, n_iter_
        How the optimum was reached.
    kernel_ : RandomKernel or None
        The kernel used for new rows; None after `fit_shares` without one.

    Notes
    -----
    **Guarantee.**  Trained from the sites' files it equals, bit for bit, the model trained from the
    stacked rows.  (coef_, intercept_) is within `gradient_norm_` of the only optimum.

    **Reveals.**  What `RandomKernel` reveals.

    **Costs.**  One pass over the rows for each Newton step; memory for one block of rows.

    **Departures from the paper.**  Newton steps are taken on the primal, which is the same problem
    in the same m' + 1 unknowns that the paper's dual reaches by Sherman-Morrison-Woodbury; rows
    may be weighted by site.

    References
    ----------
    .. [YFR08] S. Yu, G. Fung, R. Rosales, S. Krishnan, R. B. Rao, C. Dehing-Oberije, P. Lambin.
       Privacy-preserving predictive models for lung cancer survival analysis.  P3DM 2008.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((200, 5))
    >>> y = X[:, 0] > X[:, 1]
    >>> model = RandomKernelSVC(RandomKernel(random_state=3), nu=10).fit(X, y)
    >>> bool(model.score(X, y) > 0.6)
    True
    """

    def __init__(
        self,
        transform: RandomKernel | None = None,
        *,
        nu: float = 1.0,
        tol: float = 1e-8,
        max_iter: int = 100,
    ) -> None:
        self.transform = transform
        self.nu = nu
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Project the rows of `X` and train on the projection."""
        kernel = fitted_kernel(self.transform, X)
        self.kernel_: RandomKernel | None = kernel
        return self._train(kernel.transform(X), y, sample_weight)

    def fit_shares(
        self, shares: Iterable[Share], site_weights: Mapping[str, float] | None = None
    ) -> Self:
        """Train on the sites' published shares alone; `site_weights` weights their rows."""
        shares = stack_shares(shares, "label", self.transform)
        self.kernel_ = self.transform
        rows = np.concatenate([share.projection for share in shares])
        labels = np.concatenate([share.target["label"] for share in shares])
        return self._train(rows, labels, row_weights(shares, site_weights))

    def decision_function(self, X: Any) -> Floats:
        """``K(x', B') u - gamma`` for raw rows; only holders of B can compute it."""
        check_is_fitted(self)
        return self.decide(known_kernel(self.kernel_).transform(X))

    def decide(self, projection: ArrayLike) -> Floats:
        """The same for rows that are projected already."""
        check_is_fitted(self)
        return np.asarray(projection, np.float64) @ self.coef_ + self.intercept_

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of raw rows."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(np.intp)]

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _train(self, rows: Floats, y: ArrayLike, weights: ArrayLike | None) -> Self:
        if not self.nu > 0:
            raise ParameterError(f"nu must be above 0, got {self.nu!r}.")
        labels = column_or_1d(y)
        check_classification_targets(labels)
        if len(labels) != len(rows):
            raise TableError(f"{len(rows)} rows but {len(labels)} labels.")
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) != 2:
            raise ParameterError(
                f"RandomKernelSVC needs two classes, the labels have {len(self.classes_)} "
                f"class{'es' if len(self.classes_) > 1 else ''}."
            )
        row_weight = None if weights is None else np.asarray(weights, np.float64)
        # so that sums are those of the shares, whose rows have no other order
        order = order_of_rows(rows, codes, *([] if row_weight is None else [row_weight]))
        rows, row_weight = rows[order], None if row_weight is None else row_weight[order]
        signs = np.where(codes == 1, 1.0, -1.0)[order]
        plane = newton_svm(rows, signs, self.nu, row_weight, tol=self.tol, max_iter=self.max_iter)
        self.coef_, self.intercept_ = plane.w, -plane.gamma
        self.objective_, self.gradient_norm_ = plane.objective, plane.gradient_norm
        self.n_iter_ = plane.n_iter
        return self


def fitted_kernel(transform: RandomKernel | None, X: Any) -> RandomKernel:
    """The given kernel, fitted on `X` unless it is fitted already."""
    if transform is None:
        return RandomKernel().fit(X)
    return transform if hasattr(transform, "basis_") else clone(transform).fit(X)


def known_kernel(kernel: RandomKernel | None) -> RandomKernel:
    """The kernel, or an error where only shares were seen."""
    if kernel is None:
        raise ParameterError(
            "this model was trained from shares without B. Give the sites' RandomKernel as "
            "transform, or project the rows first."
        )
    return kernel
