"""How far releases are from the least possible loss: local recoding and Mondrian, Adult and census.

The peer is the loss that no release with groups of this size and labels of this kind goes below;
on large tables it is sampled, and true in 99 of 100 draws.  The data of census-income is read from
SHOAL_DATA.
"""

import math
import time
from collections.abc import Iterator

from benchmarks._row import Row
from benchmarks.bench_local import EIGHT, census_income
from shoal.anonymize._registry import make_method
from shoal.anonymize.bounds._loss_bound import bound_loss
from shoal.datasets import adult
from shoal.datasets._adult import adult_schema
from shoal.schema import Schema
from shoal.tables import FrequencyTable, open_table
from shoal.tables._frequency import CodingOptions


def main(quick: bool = False) -> Iterator[Row]:
    schema = adult_schema("arx", quasi_identifiers=EIGHT)
    cells = open_table(adult().path()).compress(schema, CodingOptions()).cells
    yield from _rows("Adult", schema, cells, (10,) if quick else (2, 10, 100))
    if not quick:
        yield from _rows("census-income", *census_income(), (10, 100))


def _rows(
    what: str, schema: Schema, cells: FrequencyTable, sizes: tuple[int, ...]
) -> Iterator[Row]:
    for k in sizes:
        for method in ("local", "mondrian"):
            recoded = make_method(method, schema, k).recode_cells(cells)
            started = time.process_time()
            found = bound_loss(recoded, k)
            note = f"{time.process_time() - started:.1f} s of the processor for the bound"
            if found.drawn:
                note += f", {found.drawn:,} rows drawn"
            least = found.least or math.nan
            label = f"{what}, {method}, k={k}: loss"
            yield Row(label, found.loss, least, "the least possible, at least", "", note)
