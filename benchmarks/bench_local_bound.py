"""How far local recoding, nodes only, is from the least possible loss on Adult.

The peer is a bound that no groups labelled with nodes go below, with five times the work that a
release gives it: the true optimum lies between the two figures.
"""

from collections.abc import Iterator
from time import process_time

from benchmarks._row import Row
from benchmarks.bench_local import EIGHT
from shoal.anonymize import LocalRecoding
from shoal.anonymize.bounds._loss_bound import WORK, bound_loss
from shoal.datasets import adult
from shoal.datasets._adult import adult_schema
from shoal.privacy import KAnonymity
from shoal.tables import open_table
from shoal.tables._frequency import CodingOptions


def main(quick: bool = False) -> Iterator[Row]:
    schema = adult_schema("arx", quasi_identifiers=EIGHT)
    cells = open_table(adult().path()).compress(schema, CodingOptions()).cells
    for k in (500,) if quick else (5, 10, 50, 100, 500):
        method = LocalRecoding(schema, KAnonymity(k), ranges="nodes")
        recoding = method._solve(cells, method.privacy, lambda *done: None)
        recoded = recoding.recode(cells)
        begun = process_time()
        found = bound_loss(recoded, k, recoding.is_range, work=5 * WORK)
        note = f"{process_time() - begun:.0f} s of the processor for the bound"
        label = f"Adult, k={k}, nodes: loss"
        yield Row(label, found.loss, found.least, "least possible, at least", "", note)
