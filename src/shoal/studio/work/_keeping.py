"""What analysts still find in a candidate: the measures of `shoal compare`, nothing written."""

from __future__ import annotations

from typing import Any

from shoal.errors import ParameterError
from shoal.metrics import compare_tables
from shoal.studio.work._bench import Args, Bench, read_schema
from shoal.studio.work._registered import task
from shoal.typing import Progress

MOST_ROWS = 2_000_000
"""Rows up to which both tables are held in memory beside one another."""


@task("kept")
def measure_kept(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """A candidate beside the original, by what analysts do with either."""
    raw, schema = bench.engine(args), read_schema(args)
    if raw.n_rows > MOST_ROWS:
        raise ParameterError(
            f"the table has more than {MOST_ROWS:,} rows. Write the release and use `shoal "
            "compare` on a part of both."
        )
    release = bench.release(args, progress)
    progress(0, 0, "asking both tables what analysts ask")
    released = [name for name, column in schema.items() if column.is_released]
    comparison = compare_tables(raw.view(released, {}), release.table, schema)
    told = comparison.to_dict()
    keys = ("name", "moved", "pairs_moved", "mean_shift", "spread_ratio", "overlap")
    return {
        "measures": told["measures"],
        "columns": [dict(zip(keys, row, strict=True)) for row in comparison.column_rows],
        "caution": comparison.caution,
    }
