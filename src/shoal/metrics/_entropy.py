"""How uncertain a release leaves the raw values, given how frequent each one is."""

from __future__ import annotations

import numpy as np

from shoal.tables._recoded import Recoded


def non_uniform_entropy(recoded: Recoded) -> float:
    """Bits needed to guess the raw values from the release, over the bits from nothing [GT09]_.

    A value v released as a label costs -log2(n(v) / n(label)), where n counts the table's rows
    with the value, and with any value that the label covers; a suppressed row's label covers all.
    0 when everything is raw, 1 when nothing is left.

    References
    ----------
    .. [GT09] A. Gionis, T. Tassa.  k-anonymization with minimal loss of information.  IEEE TKDE
       21(2), 2009.  doi:10.1109/TKDE.2008.129
    """
    cells = recoded.cells
    n_rows = cells.n_rows
    suppressed = recoded.suppressed
    lost = most = 0.0
    for column, labels in enumerate(recoded.labels):
        code = cells.keys[:, column]
        rows = np.bincount(code, weights=cells.sizes, minlength=labels.coding.n_codes)
        share = rows[rows > 0] / max(1, n_rows)
        most += float(-(share * np.log2(share)).sum() * n_rows)
        if labels.is_raw.all() and not suppressed.any():
            continue  # nothing is left to guess
        before = np.concatenate([[0.0], np.cumsum(rows)])
        of_label = before[labels.high + 1] - before[labels.low]
        inside = np.full(len(code), float(n_rows))
        inside[~suppressed] = of_label[recoded.codes[recoded.group_of[~suppressed], column]]
        counted = cells.sizes > 0
        bits = np.log2(inside[counted] / rows[code[counted]])
        lost += float((cells.sizes[counted] * bits).sum())
    return lost / most if most > 0 else 0.0
