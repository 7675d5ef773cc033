"""Loss and time of local recoding, nodes only, beside ARX 3.9.2: Adult and census-income.

ARX's figures were measured with the same rows, quasi-identifiers and hierarchies; loss is the mean
of (m - 1) / (M - 1) over rows and columns.  ARX was compiled from its sources and timed on the
machine of docs/evidence/speed.md, two free cores, where Java had compiled what it runs (on Adult
the second run in a process; the first takes 1.1 s longer).  Counting the rows is not included (it
is for neither).
Three budgets of ours, none by the clock: first groups alone (`refine=False`); a quick search
(`refine="quick"`: a walk alone, since nodes are released; then labels are exchanged for a short
time where groups are few and large); and all refinement, which takes longest and loses least: the
rounds and looks that `effort_of` in `shoal.anonymize.clusters` gives.  Loss and time of one budget
have to be read together.  The data of census-income is read from SHOAL_DATA.
"""

from collections.abc import Iterator
from typing import Literal

import pandas as pd

from benchmarks._row import Row
from benchmarks._timing import seconds
from shoal.anonymize import LocalRecoding
from shoal.datasets import adult
from shoal.datasets._adult import adult_schema
from shoal.datasets._sources import find_data
from shoal.metrics import measure
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.tables import FrequencyTable, open_table
from shoal.tables._frequency import CodingOptions

EIGHT = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation",
)  # fmt: skip
ARX = "ARX 3.9.2"
ARX_ADULT = {
    2: (0.0286, None),
    5: (0.0569, 1.28),
    10: (0.0790, 1.97),
    20: (0.1066, None),
    50: (0.1503, 3.97),
    100: (0.1925, 5.66),
    200: (0.2455, 7.29),
    500: (0.3247, 7.17),
}
ARX_CENSUS = {5: (0.0326, 11.5), 50: (0.0858, 38.1), 200: (0.1356, 58.6)}
NUMBERS = ("age", "weeks_worked_in_year")
BUDGETS: dict[bool | Literal["quick"], str] = {
    False: ", first groups",
    "quick": ", quick",
    True: "",
}


def main(quick: bool = False) -> Iterator[Row]:
    schema = adult_schema("arx", quasi_identifiers=EIGHT)
    cells = open_table(adult().path()).compress(schema, CodingOptions()).cells
    for k, (peer, taken) in ARX_ADULT.items():
        yield from _rows("Adult", schema, cells, k, peer, taken)
    if not quick:
        schema, cells = census_income()
        for k, (peer, taken) in ARX_CENSUS.items():
            yield from _rows("census-income", schema, cells, k, peer, taken)


def census_income() -> tuple[Schema, FrequencyTable]:
    """The eight columns that have hierarchies beside the data."""
    folder = find_data("census-income")
    names = (folder / "columns.txt").read_text("utf-8").split()
    table = pd.read_csv(folder / "census-income.data.gz", header=None, names=names, dtype=str)
    table = table.apply(lambda column: column.str.strip())
    files = sorted((folder / "hierarchies").glob("*.csv"))
    columns = {
        file.stem: {"role": "quasi-identifier", "hierarchy": {"file": str(file)}}
        | ({"kind": "numeric"} if file.stem in NUMBERS else {})
        for file in files
    }
    rows = table[list(columns)].astype(dict.fromkeys(NUMBERS, int))
    schema = Schema(columns)
    return schema, open_table(rows).compress(schema, CodingOptions()).cells


def _rows(
    name: str, schema: Schema, cells: FrequencyTable, k: int, peer: float, taken: float | None
) -> Iterator[Row]:
    for refine, budget in BUDGETS.items():
        what = f"{name}, k={k}{budget}"
        method = LocalRecoding(schema, KAnonymity(k), ranges="nodes", refine=refine)
        recoding = method._solve(cells, method.privacy, _silent)  # compiles
        own = seconds(lambda method=method: method._solve(cells, method.privacy, _silent), 1)
        yield Row(f"{what}, loss", measure(recoding.recode(cells)).loss, peer, ARX, "")
        yield Row(what, own, taken, ARX) if taken is not None else Row(what, own)


def _silent(done: int, total: int, what: str, /) -> None: ...
