"""Values generalized beyond what the schema's limits allow."""

from __future__ import annotations

import numpy as np

from shoal.tables._recoded import Recoded
from shoal.typing import Counts


def limit_violations(recoded: Recoded) -> dict[str, int]:
    """Released values beyond their limit, per column with a limit.

    A value counts when its label covers more than its limit does: its label is not at or below
    the first limit on the value's way up.  Suppressed rows release nothing and do not count.
    """
    violations = {}
    for column, labels in enumerate(recoded.labels):
        coding = recoded.cells.codings[column]
        tree = coding.hierarchy
        if tree is None or not coding.is_limited:
            continue
        kept = recoded.group_of >= 0
        ceiling = coding.ceiling[recoded.cells.keys[kept, column]]
        label = recoded.codes[recoded.group_of[kept], column]
        beyond = (labels.low[label] < tree.start[ceiling]) | (
            labels.high[label] >= tree.stop[ceiling]
        )
        sizes: Counts = recoded.cells.sizes[kept]
        violations[coding.name] = int(np.sum(sizes[beyond]))
    return violations
