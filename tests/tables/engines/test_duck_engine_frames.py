"""Dataframes handed to DuckDB: columns alone, one value for all that are equal."""

from decimal import Decimal

from shoal import Schema
from shoal.anonymize import Mondrian
from shoal.frames._frame import Frame
from shoal.tables.engines._duck_engine import DuckEngine
from tests.extras import need

pd = need("pandas")
need("pyarrow")  # by which they are handed over


def test_an_index_does_not_come_along():
    frame = pd.DataFrame({"age": [31, 34], "ill": ["flu", "gout"]}, index=["Ada", "Ben"])
    frame.index.name = "note"
    assert DuckEngine.of_frame(Frame(frame)).names == ("age", "ill")


def test_values_of_several_kinds_are_one_kind():
    mixed = pd.Series([20, 20.0, Decimal("20.00"), 2**53 + 1, None], dtype=object)
    engine = DuckEngine.of_frame(Frame(pd.DataFrame({"x": mixed})))
    assert engine.distinct("x") in (([20, 2**53 + 1], True), ([2**53 + 1, 20], True))


def test_regions_take_tables_with_an_index():
    frame = pd.DataFrame({"age": [20, 21, 22, 60, 61, 62] * 4}, index=[f"p{i}" for i in range(24)])
    schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    release = Mondrian(schema, 3).fit(frame, regions=2).release_
    assert release.n_suppressed == 0
