"""The Newton SVM from sums over sites: a trainer who sees no row, no label, and no site's own sums.

Loss, gradient and Hessian are sums over rows, so each site adds up its own and masks them.
"""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.errors import ConvergenceError, ProtocolError
from shoal.federated.kernels._masked_sums import Masked, SiteMasks, sum_masked
from shoal.federated.kernels._shares import Share
from shoal.typing import Floats

SHORTEST_STEP = 1e-10


def n_numbers(size: int) -> int:
    """Numbers that a site adds up for (w, gamma) of this size: loss, gradient, half the Hessian."""
    return 1 + size + size * (size + 1) // 2


def site_numbers(share: Share, classes: tuple[Any, Any], cost: float, z: Floats) -> Floats:
    """Loss, gradient and Hessian of one site's rows at z, without what is no sum over rows."""
    labels = share.target["label"]
    if not np.isin(labels, classes).all():
        raise ProtocolError(f"site '{share.site}' has labels of other classes than were agreed on.")
    signs = np.where(labels == classes[1], 1.0, -1.0)
    rows = np.c_[share.projection, np.full(len(signs), -1.0)]
    slack = np.maximum(1 - signs * (rows @ z), 0)
    active = rows[slack > 0]
    gradient = -cost * rows.T @ (slack * signs)
    hessian = cost * active.T @ active
    return np.concatenate([[cost * slack @ slack / 2], gradient, hessian[np.triu_indices(len(z))]])


@dataclass
class SummedNewton:
    """The trainer's side: where to look next, from sums alone.

    Parameters
    ----------
    size : int
        Components, and one for gamma.
    tol : float
        Accepted norm of the gradient, relative as in `newton_svm`.
    max_iter : int
        Steps before giving up.

    Notes
    -----
    **Guarantee.**  (w, gamma) is within `gradient_norm` of the only optimum, which is that of
    `RandomKernelSVC` trained from all rows; sums are exact to 2**-60 per site.
    """

    size: int
    tol: float = 1e-8
    max_iter: int = 100
    z: Floats = field(init=False)
    done: bool = field(init=False, default=False)
    objective: float = field(init=False, default=np.inf)
    gradient_norm: float = field(init=False, default=np.inf)
    n_iter: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.z = np.zeros(self.size)
        self._from: Floats = self.z
        self._step: Floats = self.z
        self._value, self._slope, self._length = np.inf, 0.0, 1.0
        self._enough = -1.0

    def take(self, masked: list[Masked]) -> None:
        """Look at the sums of a step, and choose where to look next."""
        sums = sum_masked(masked, n_numbers(self.size))
        value = float(sums[0] + self.z @ self.z / 2)
        gradient = sums[1 : 1 + self.size] + self.z
        bound = self._value + 1e-4 * self._length * self._slope + 1e-13 * abs(self._value)
        if self.n_iter and value > bound and self._length > SHORTEST_STEP:
            self._length /= 2  # the step went too far: try half of it
            self.z = self._from + self._length * self._step
            return
        self.n_iter += 1
        self.objective, self.gradient_norm = value, float(np.linalg.norm(gradient))
        if self._enough < 0:
            self._enough = self.tol * (1 + 1e-6 * self.gradient_norm)
        if self.gradient_norm <= self._enough:
            self.done = True
        elif self.n_iter > self.max_iter:
            raise ConvergenceError(
                f"Newton SVM with tol={self.tol:g} in {self.max_iter} steps (gradient "
                f"{self.gradient_norm:.3g})",
                "Raise max_iter or tol, or lower nu.",
            )
        else:
            self._go_on(value, gradient, sums[1 + self.size :])

    def _go_on(self, value: float, gradient: Floats, upper: Floats) -> None:
        hessian = np.zeros((self.size, self.size))
        hessian[np.triu_indices(self.size)] = upper
        hessian = hessian + hessian.T - np.diag(np.diag(hessian)) + np.eye(self.size)
        self._from, self._value, self._length = self.z, value, 1.0
        step: Floats = np.negative(np.linalg.solve(hessian, gradient), dtype=np.float64)
        self._step = step
        self._slope = float(gradient @ self._step)
        self.z = self._from + self._step


def masked_numbers(
    share: Share,
    masks: SiteMasks,
    classes: tuple[Any, Any],
    cost: float,
    z: Floats,
    step: int,
) -> Masked:
    """A site's message for one step: useless to a trainer who asks other sites something else.

    With a cost of 0 for all others, or a plane on whose right side all their rows lie, a sum would
    be this site's own.
    """
    question = json.dumps([list(classes), cost, z.tolist()]).encode()
    return masks.mask(site_numbers(share, classes, cost, z), step, question)
