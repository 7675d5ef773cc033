"""Random recoded tables, with the rows that they stand for."""

import numpy as np

from shoal.schema import Hierarchy
from shoal.tables import FrequencyTable
from shoal.tables._recoded import Recoded, node_labels, range_labels
from tests.reference.rows import coding, histogram

LEVELS = [
    ("a", "ab", "abc", "*"),
    ("b", "ab", "abc", "*"),
    ("c", "c", "abc", "*"),
    ("d", "de", "de", "*"),
    ("e", "de", "de", "*"),
]
CITIES = coding("city", ["a", "b", "c", "d", "e", None], hierarchy=Hierarchy.from_levels(LEVELS))
INCOMES = coding("income", [10, 12, 20, 45, None], "numeric")
GRADES = coding("grade", ["1", "2", "3"], "ordinal")
COLUMNS = [
    ("tree", LEVELS),
    ("numeric", [10, 12, 20, 45]),
    ("set", ["1", "2", "3"]),
]
CODINGS = (CITIES, INCOMES, GRADES)
RAW = (
    ("a", "b", "c", "d", "e", None),
    (10, 12, 20, 45, None),
    ("1", "2", "3"),
)


def _codes(row):
    return [values.index(x) for values, x in zip(RAW, row, strict=True)]


def random_release(rng, n_rows=25, share_suppressed=0.2):
    """A recoded table, its rows with label sets (None: suppressed), and the rows' classes."""
    rows = [tuple(values[rng.integers(len(values))] for values in RAW) for _ in range(n_rows)]
    if rng.random() < 0.3:
        rows = [rows[0]] * n_rows
    classes = [("yes", "no", None)[i] for i in rng.integers(0, 3, n_rows)]
    distinct = list(dict.fromkeys(rows))
    cells = FrequencyTable(
        CODINGS,
        np.array(
            [[v.index(x) for v, x in zip(RAW, row, strict=True)] for row in distinct], np.int32
        ),
        np.array([rows.count(row) for row in distinct], np.int64),
        {
            "class": histogram(
                coding("class", ["yes", "no", None]),
                [[c for r, c in zip(rows, classes, strict=True) if r == row] for row in distinct],
            )
        },
    )
    labels, maps = [], []
    for j, own in enumerate(CODINGS):
        if j == 0 and rng.random() < 0.7:
            level = rng.integers(0, 4)
            labels.append(node_labels(own))
            maps.append(own.hierarchy.levels[:, level])
        else:
            cuts = np.sort(rng.choice(own.n_codes, rng.integers(0, own.n_codes), replace=False))
            part = np.searchsorted(cuts, np.arange(own.n_codes), "right")
            low = np.array([np.flatnonzero(part == p)[0] for p in np.unique(part)], np.int32)
            high = np.array([np.flatnonzero(part == p)[-1] for p in np.unique(part)], np.int32)
            labels.append(range_labels(own, low, high))
            maps.append(np.unique(part, return_inverse=True)[1].astype(np.int32))
    codes = np.stack([m[cells.keys[:, j]] for j, m in enumerate(maps)], axis=1).astype(np.int32)
    suppressed = rng.random(cells.n_groups) < share_suppressed
    recoded = Recoded.from_cells(cells, labels, codes, suppressed=suppressed)
    released = []
    for row in rows:
        cell = distinct.index(row)
        if suppressed[cell]:
            released.append((row, None))
            continue
        sets = [
            set(RAW[j][labels[j].low[codes[cell, j]] : labels[j].high[codes[cell, j]] + 1])
            for j in range(len(RAW))
        ]
        released.append((row, sets))
    return recoded, released, classes
