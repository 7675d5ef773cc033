"""How far local recoding, nodes only, is from the least possible loss on Adult.

The peer is a bound that no groups labelled with nodes go below (`_priced_bound`): the true optimum
lies between the two figures.  Some minutes of the processor for each k.
"""

from collections.abc import Iterator
from time import process_time

import numpy as np

from benchmarks._priced_bound import priced_bound
from benchmarks._row import Row
from benchmarks.bench_local import EIGHT
from shoal.anonymize import LocalRecoding
from shoal.anonymize.bounds._loss_bound import _row_losses
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.datasets import adult
from shoal.datasets._adult import adult_schema
from shoal.privacy import KAnonymity
from shoal.tables import open_table
from shoal.tables._frequency import CodingOptions

_TURNS = 6


def main(quick: bool = False) -> Iterator[Row]:
    schema = adult_schema("arx", quasi_identifiers=EIGHT)
    cells = open_table(adult().path()).compress(schema, CodingOptions()).cells
    for k in (500,) if quick else (5, 10, 50, 100, 500):
        method = LocalRecoding(schema, KAnonymity(k), ranges="nodes")
        recoding = method._solve(cells, method.privacy, lambda *done: None)
        row_loss = _row_losses(recoding.recode(cells))
        loss = float((cells.sizes * row_loss).sum()) / (cells.n_rows * len(cells.names))
        begun = process_time()
        bound = priced_bound(
            grow_hierarchies(cells, None, k), k, np.asarray(row_loss), 3 if quick else _TURNS
        )
        note = f"{process_time() - begun:.0f} s of the processor for the bound"
        yield Row(f"Adult, k={k}, nodes: loss", loss, bound, "least possible, at least", "", note)
