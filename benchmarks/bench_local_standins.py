"""Loss of local recoding on tables of other kinds than Adult, beside Mondrian and iterated optima.

The tables are drawn (`_standins`).  With ranges the peer is the better of Mondrian's two cuts, for
quick searches and without refinement, too; nodes only it is the best full-domain generalization of
the rows left, again and again (`_iterated`), where the lattice can be searched whole; and ARX, as
compiled from its sources and run on two of the tables (loss metric, local recoding by
`optimizeIterativeFast` with 0.01; the same settings give ARX's figures for Adult).  A ratio above 1
is a defect.  Times are of the processor, compilation included where it has to be.
"""

from collections.abc import Iterator
from math import prod
from time import process_time

from benchmarks._iterated import iterated_loss, levels_of
from benchmarks._row import Row
from benchmarks._standins import STAND_INS, StandIn
from shoal.anonymize import LocalRecoding, Mondrian
from shoal.anonymize.clusters._local_solver import Refine
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.metrics import measure
from shoal.privacy import KAnonymity
from shoal.tables import FrequencyTable, open_table
from shoal.tables._frequency import CodingOptions

SIZES = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
BY_LOSS = {"spread": 0.0, "priority": 0.0, "loss": 1.0}
BUDGETS: dict[str, Refine] = {"": True, ", quick": "quick", ", not refined": False}
ARX = {
    "accidents": {5: 0.0964, 20: 0.1494, 100: 0.2229, 500: 0.3210},
    "donors": {5: 0.1184, 20: 0.1746, 100: 0.2569, 500: 0.3689},
}
"""Loss of ARX 3.9.2 on the whole tables."""
_MOST_NODES = 100_000


def main(quick: bool = False) -> Iterator[Row]:
    for name, make in STAND_INS.items():
        drawn = make(n_rows=10_000) if quick else make()
        cells = open_table(drawn.table).compress(drawn.schema, CodingOptions()).cells
        for k in (5, 100) if quick else SIZES:
            arx = None if quick else ARX.get(name, {}).get(k)
            yield from _rows(f"{name}, {cells.n_rows:,} rows, k={k}", drawn, cells, k, arx)


def _rows(
    what: str, drawn: StandIn, cells: FrequencyTable, k: int, arx: float | None
) -> Iterator[Row]:
    regions = min(
        _solve(Mondrian(drawn.schema, KAnonymity(k), **preferences), cells)[0]
        for preferences in ({}, BY_LOSS)
    )
    for name, refine in BUDGETS.items():
        loss, taken = _solve(LocalRecoding(drawn.schema, KAnonymity(k), refine=refine), cells)
        yield Row(f"{what}, ranges{name}, loss", loss, regions, "Mondrian", "")
        yield Row(f"{what}, ranges{name}", taken, note="processor time")
    grown = grow_hierarchies(cells, None, k)
    if prod(map(len, levels_of(grown)[0])) <= _MOST_NODES:
        loss, taken = _solve(LocalRecoding(drawn.schema, KAnonymity(k), ranges="nodes"), cells)
        yield Row(f"{what}, nodes, loss", loss, iterated_loss(grown, k), "iterated optima", "")
        if arx is not None:
            yield Row(f"{what}, nodes, loss beside ARX", loss, arx, "ARX 3.9.2", "")
        yield Row(f"{what}, nodes", taken, note="processor time")


def _solve(method: LocalRecoding | Mondrian, cells: FrequencyTable) -> tuple[float, float]:
    begun = process_time()
    recoding = method._solve(cells, method.privacy, lambda *done: None)
    return measure(recoding.recode(cells)).loss, process_time() - begun
