"""How far local recoding is from the least possible loss: Adult, census-income and drawn donors.

The peer is the loss that no release with groups of this size and labels of this kind goes below;
where prices take too long it is sampled, and true in 99 of 100 draws.  The data of census-income is
read from SHOAL_DATA.
"""

import math
import time
from collections.abc import Iterator
from typing import Literal

from benchmarks._row import Row
from benchmarks._standins import STAND_INS
from benchmarks.bench_local import EIGHT, census_income
from shoal.anonymize import LocalRecoding
from shoal.anonymize.bounds._loss_bound import bound_loss
from shoal.datasets import adult
from shoal.datasets._adult import adult_schema
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.tables import FrequencyTable, open_table
from shoal.tables._frequency import CodingOptions


def main(quick: bool = False) -> Iterator[Row]:
    schema = adult_schema("arx", quasi_identifiers=EIGHT)
    cells = open_table(adult().path()).compress(schema, CodingOptions()).cells
    for k in (10,) if quick else (5, 10, 50, 100, 500):
        yield _row("Adult", schema, cells, k, "nodes")
    for k in () if quick else (10, 500):
        yield _row("Adult", schema, cells, k, "lines")
    if quick:
        return
    for k in (5, 50, 200):
        yield _row("census-income", *census_income(), k, "nodes")
    drawn = STAND_INS["donors"](n_rows=15_000)
    cells = open_table(drawn.table).compress(drawn.schema, CodingOptions()).cells
    for k in (5, 100):
        yield _row("donors, drawn", drawn.schema, cells, k, "lines")


def _row(
    what: str, schema: Schema, cells: FrequencyTable, k: int, ranges: Literal["nodes", "lines"]
) -> Row:
    method = LocalRecoding(schema, KAnonymity(k), ranges=ranges)
    recoding = method._solve(cells, method.privacy, lambda *done: None)
    recoded = recoding.recode(cells)
    started = time.process_time()
    found = bound_loss(recoded, k, recoding.is_range, exact=False)
    taken = time.process_time() - started
    times = "not known" if found.times is None else f"{found.times:.2f} times"
    note = f"{times}, {taken:.1f} s of the processor for the bound"
    if found.drawn:
        note += f", {found.drawn:,} rows drawn"
    label = f"{what}, {ranges}, k={k}: loss"
    return Row(label, found.loss, found.least or math.nan, "the least possible, at least", "", note)
