"""Memory that the kernels of a growing tree share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.models.tree.growth._kernel_types import (
    OTHERS,
    GrowthState,
    GrowthWork,
    Target,
    TreeColumns,
)
from shoal.privacy.compiled._condition_kernels import CompiledModel


def make_work(columns: TreeColumns, target: Target, compiled: CompiledModel) -> GrowthWork:
    """Counters as wide as the widest column."""
    n_codes = int(columns.n_codes.max(initial=OTHERS + 1))
    return GrowthWork(
        total=np.zeros(n_codes, np.int64),
        mass=np.zeros(n_codes * target.n_classes),
        touched=np.empty(n_codes, np.int64),
        group_total=np.zeros(n_codes, np.int64),
        group_mass=np.zeros((n_codes + 1) * target.n_classes),
        part=np.zeros(n_codes, np.int64),
        sizes=np.zeros(n_codes + 3, np.int64),
        histogram=np.zeros((_widest(columns) + 3) * compiled.n_codes, np.int64),
        cut_open=np.zeros(n_codes, np.bool_),
    )


def _widest(columns: TreeColumns) -> int:
    widths: Sequence[int] = columns.n_groups[~columns.ordered].ravel().tolist()
    return max(widths, default=0)


def make_state(columns: TreeColumns) -> GrowthState:
    """Candidates of a node, one for each column."""
    n = len(columns.ordered)
    capacity = int(columns.n_levels.sum()) + 3 * n
    return GrowthState(
        level=np.zeros(n, np.int64),
        stale=np.zeros(n, np.bool_),
        settled=np.zeros(n, np.bool_),
        gain=np.zeros(n),
        score=np.zeros(n),
        cut=np.zeros(n, np.int64),
        threshold=np.full(n, np.nan),
        least=np.zeros(n, np.int64),
        refused=np.zeros((capacity, 2), np.int64),
        cuts_refused=np.zeros(capacity),
        n_refused=np.zeros(1, np.int64),
    )
