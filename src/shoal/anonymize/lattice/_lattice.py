"""What a search of a lattice found: the nodes looked at and the one chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.anonymize.lattice._lattice_problem import Node
from shoal.typing import Codes, Counts, Flags, Floats


@dataclass(frozen=True, eq=False)
class Lattice:
    """The nodes that a search looked at.

    Parameters
    ----------
    names : tuple of str
        The columns.
    shape : tuple of int
        Levels of each column; their product is the size of the lattice.
    levels : ndarray of int32, shape (n, n_columns)
        Level of each column at each node assessed, in the order of assessment.
    loss : ndarray of float
        Loss at each of them, with the rows suppressed that are not allowed.
    suppressed : ndarray of int64
        Those rows.
    safe : ndarray of bool
        Whether no more rows than the user allows would be suppressed.
    best : int
        Which of them was chosen.
    proven : bool
        Whether no node of the lattice loses less.
    bound : float
        No safe node of the lattice loses less than this.
    """

    names: tuple[str, ...]
    shape: Node
    levels: Codes
    loss: Floats
    suppressed: Counts
    safe: Flags
    best: int
    proven: bool
    bound: float

    @property
    def n_nodes(self) -> int:
        """Nodes of the whole lattice."""
        return int(np.prod([float(n) for n in self.shape]))

    @property
    def n_assessed(self) -> int:
        """Nodes that were looked at."""
        return len(self.loss)

    @property
    def gap(self) -> float:
        """How much more than the optimum the node chosen may lose, as a share of its loss."""
        loss = float(self.loss[self.best])
        return 0.0 if self.proven or loss <= 0 else max(0.0, 1.0 - self.bound / loss)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "names": list(self.names),
            "shape": list(self.shape),
            "levels": self.levels.tolist(),
            "loss": self.loss.tolist(),
            "suppressed": self.suppressed.tolist(),
            "safe": self.safe.tolist(),
            "best": self.best,
            "proven": self.proven,
            "bound": self.bound,
        }
