import numpy as np

from shoal.secure.miners._joint_table import JointTable
from tests.reference.two_parties import halves, table


def test_counts_across_cells_are_cut_into_batches(both, monkeypatch):
    import shoal.secure.miners._joint_table as module

    arities = [3, 2, 2, 2]
    codes = table(9, 60, arities)
    parts = halves(codes, arities, "cells")
    queries = [((0, 3), {}), ((1, 2, 3), {0: 1}), ((3,), {0: 2, 1: 1})]

    def half(party, part):
        return JointTable(part, party).counts(queries)

    for limit in (50, 10**9):
        monkeypatch.setattr(module, "BATCH_TRANSFERS", limit)
        one, two = both(half, (parts[0],), (parts[1],))
        for (columns, fixed), a, b in zip(queries, one, two, strict=True):
            rows = np.all(
                [codes[:, c] == v for c, v in fixed.items()] or [codes[:, 0] >= 0], axis=0
            )
            expected = np.zeros([arities[c] for c in columns], int)
            np.add.at(expected, tuple(codes[rows][:, c] for c in columns), 1)
            np.testing.assert_array_equal(a + b, expected)
