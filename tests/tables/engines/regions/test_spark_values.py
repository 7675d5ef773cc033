"""Values counted block by block: what comes out adds up to the counts of the rows."""

from collections import Counter

import numpy as np
import pytest

from shoal.tables.engines.regions._spark_values import count_blocks
from tests.extras import need

pa = need("pyarrow")


@pytest.mark.parametrize("together", [1, 30, 1000])
def test_blocks_add_up_to_the_counts_of_all_rows(together, monkeypatch):
    monkeypatch.setattr("shoal.tables.engines.regions._spark_values._TOGETHER", together)
    rng = np.random.default_rng(together)
    rows = {
        "c0": [None if n == 3 else int(n) for n in rng.integers(0, 6, 100)],
        "c4": [["x", "", None][n] for n in rng.integers(0, 3, 100)],
    }
    batches = pa.table(rows).to_batches(max_chunksize=7)
    found = {name: Counter() for name in rows}
    for batch in count_blocks(iter(batches)):
        for row in batch.to_pylist():
            name = ["c0", "c4"][row["shoal_which"]]
            other = "c4" if name == "c0" else "c0"
            assert row[other] is None
            found[name][row[name]] += row["shoal_n"]
    assert found == {name: Counter(column) for name, column in rows.items()}


def test_no_rows_have_no_values():
    assert list(count_blocks(iter([]))) == []
