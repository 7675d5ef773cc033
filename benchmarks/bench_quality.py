"""Loss and time of local recoding and full-domain recoding on Adult, beside ARX 3.9.2.

ARX's figures were measured with the same 30,162 rows, eight quasi-identifiers and hierarchies:
loss is the mean of (m - 1) / (M - 1) over rows and columns, times are of a warm process.  Ours are
the best of three after compilation, counting the rows not included (it is for neither).
"""

from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks._row import Row
from benchmarks._timing import seconds
from shoal.anonymize import FullDomain, LocalRecoding
from shoal.datasets import adult
from shoal.datasets._adult import adult_schema
from shoal.datasets._scale import scale_up
from shoal.metrics import measure
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.tables import FrequencyTable, open_table
from shoal.tables._frequency import CodingOptions

EIGHT = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation",
)  # fmt: skip
MORE = ("relationship", "hours-per-week", "education-num", "capital-gain", "capital-loss", "fnlwgt")
ARX = "ARX 3.9.2"
ARX_LOCAL = {5: (0.0569, 6.0), 10: (0.0790, 7.0), 50: (0.1503, 13.0), 100: (0.1925, 17.0)}
ARX_FULL = {0.0: 0.035, 0.05: 0.731}


def main(quick: bool = False) -> Iterator[Row]:
    table, schema = adult().path(), adult_schema("arx", quasi_identifiers=EIGHT)
    cells = open_table(table).compress(schema, CodingOptions()).cells
    for k, (peer_loss, peer_seconds) in ARX_LOCAL.items():
        for ranges, name in (("exact", "ranges"), ("nodes", "nodes only")):
            method = LocalRecoding(schema, KAnonymity(k), ranges=ranges)
            taken, loss = _solve(method, cells, 1 if quick else 3)
            yield Row(f"local, {name}, k={k}, loss", loss, peer_loss, ARX, "")
            yield Row(f"local, {name}, k={k}", taken, peer_seconds, ARX)
    for share, peer in ARX_FULL.items():
        for k in (5, 100):
            method = FullDomain(schema, KAnonymity(k), max_suppression=share)
            taken, loss = _solve(method, cells, 1 if quick else 3)
            yield Row(f"full domain, k={k}, {share:.0%} suppressed, loss", loss, unit="")
            yield Row(f"full domain, k={k}, {share:.0%} suppressed", taken, peer, ARX)
    if not quick:
        yield from _more_columns()
        yield from _a_million(schema)


def _solve(method: Any, cells: FrequencyTable, times: int) -> tuple[float, float]:
    recoding = method._solve(cells, method.privacy, _silent)  # compiles
    taken = seconds(lambda: method._solve(cells, method.privacy, _silent), times)
    return taken, measure(recoding.recode(cells)).loss


def _silent(done: int, total: int, what: str, /) -> None: ...


def _more_columns() -> Iterator[Row]:
    for n in (4, 6, 8, 10, 12, 14):
        schema = adult_schema("own", quasi_identifiers=(*EIGHT, *MORE)[:n])
        cells = open_table(adult().path()).compress(schema, CodingOptions()).cells
        for method in (
            LocalRecoding(schema, KAnonymity(10)),
            FullDomain(schema, KAnonymity(10), search="heuristic", time_limit=5.0),
        ):
            taken, loss = _solve(method, cells, 1)
            name = type(method).__name__
            yield Row(f"{name}, {n} quasi-identifiers", taken)
            yield Row(f"{name}, {n} quasi-identifiers, loss", loss, unit="")


def _a_million(schema: Schema) -> list[Row]:
    keep = {name: schema[name] for name in (*EIGHT, "income")}
    with TemporaryDirectory() as folder:
        path = scale_up(
            adult("all"),
            f"{folder}/adult.parquet",
            sigma=22,
            rho=1,
            keep=("age", "income"),
            afresh=True,
        )
        cells = open_table(path).compress(Schema(keep), CodingOptions()).cells
    taken, loss = _solve(LocalRecoding(Schema(keep), KAnonymity(10)), cells, 1)
    what = f"local, {cells.n_rows:,} rows, k=10"
    return [Row(what, taken, note=f"{cells.n_groups:,} cells"), Row(f"{what}, loss", loss, unit="")]
