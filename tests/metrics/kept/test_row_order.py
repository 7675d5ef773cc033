import numpy as np
import pytest

from shoal.frames._frame import Frame
from shoal.metrics.kept._row_order import order_by_content


@pytest.mark.parametrize("seed", range(5))
def test_any_order_of_the_same_rows_becomes_one(seed):
    rng = np.random.default_rng(seed)
    n = 200
    rows = {
        "age": rng.integers(20, 30, n).astype(float),
        "town": rng.choice(["A", "B", "C", None], n),
        "pay": rng.integers(0, 3, n),
    }
    rows["age"][::7] = np.nan
    seen = []
    for order in (np.arange(n), rng.permutation(n)):
        frame = Frame.from_columns({name: column[order] for name, column in rows.items()})
        placed = frame.take(order_by_content(frame, list(rows)))
        seen.append(list(zip(*(map(str, placed.values(name)) for name in rows), strict=True)))
    assert seen[0] == seen[1]
    assert sorted(seen[0]) == sorted(zip(*(map(str, frame.values(a)) for a in rows), strict=True))
    changes = sum(one != two for one, two in zip(seen[0], seen[0][1:], strict=False))
    assert changes == len(set(seen[0])) - 1  # equal rows lie together
