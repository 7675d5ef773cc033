"""Regions as expressions over values: the same as cuts between codes, whatever the type."""

import datetime as dt
from decimal import Decimal

import numpy as np

from shoal.schema import Column
from shoal.tables._frequency import CodingOptions, code_values
from shoal.tables.engines.regions._arrow_codes import ArrowCodes
from shoal.tables.engines.regions._cuts import Cut, assign
from shoal.tables.engines.regions._region_rows import CodedColumn
from shoal.tables.engines.regions._spark_cuts import add_region, by_value, spark_hash, spread_keys
from tests.engines import spark_session
from tests.extras import need

pa = need("pyarrow")

VALUES = {
    "int": [-5, 0, 3, 12],
    "double": [-0.5, 0.1, 0.2, 1e300],
    "float": [0.1, 0.25, 7.0],
    "date": [dt.date(1899, 12, 31), dt.date(2000, 2, 29), dt.date(2024, 1, 1)],
    "string": ["", "O'Hara\\", "Zoë", "a", "😀"],
    "decimal(6,2)": [Decimal("-1.50"), Decimal("2.00"), Decimal("10.00")],
    "boolean": [False, True],
}


def coded(kind, values, codes):
    """A column whose values have these codes; missing comes last."""
    coding, _ = code_values(
        "v", Column("quasi-identifier"), [*map(str, range(len(values)))], has_missing=True,
        options=CodingOptions(),
    )  # fmt: skip
    types = {"int": pa.int32(), "double": pa.float64(), "float": pa.float32(), "date": pa.date32()}
    types |= {"string": pa.string(), "decimal(6,2)": pa.decimal128(6, 2), "boolean": pa.bool_()}
    numbers = np.append(codes, coding.missing).astype(np.int32)
    counts = np.ones(coding.n_codes, np.int64)
    return CodedColumn(coding, pa.array(values, types[kind]), numbers, counts)


def test_regions_by_values_are_regions_by_codes():
    rng = np.random.default_rng(3)
    spark, kinds = spark_session(), [*VALUES]
    columns = []
    for number, kind in enumerate(kinds):
        values = VALUES[kind]
        order = np.arange(len(values))
        shuffled = rng.permutation(len(values))  # the engine gives values in any order
        codes = order[shuffled] if number % 5 else np.roll(order, 1)[shuffled]
        columns.append(coded(kind, [values[i] for i in shuffled], codes))
    rows = [
        [[*VALUES[kind], None][rng.integers(len(VALUES[kind]) + 1)] for kind in kinds]
        for _ in range(100)
    ]
    fields = ", ".join(f"c{i} {kind}" for i, kind in enumerate(kinds))
    frame = spark.createDataFrame(rows, fields).coalesce(1)
    places = [f"c{i}" for i in range(len(kinds))]
    # three parts of each column, the last of them the missing value, or none
    cuts = [Cut(i, (1, columns[i].coding.n_codes - 1), (4, 0, 7)) for i in range(len(kinds))]
    cuts += [Cut(4, (2,), (Cut(1, (99,), (3, 1)), Cut(6, (1, 2), (0, cuts[0], 9))))]
    for number, cut in enumerate(cuts):
        frame = add_region(frame, cut, [*places], columns, f"r{number}")
    table = frame.toArrow()
    assert table.column_names == [*places, *(f"r{number}" for number in range(len(cuts)))]
    known = [ArrowCodes(column.values, column.codes) for column in columns]
    codes = np.column_stack([own.of(table.column(i)) for i, own in enumerate(known)])
    for number, cut in enumerate(cuts):
        expected = assign(cut, codes).tolist()
        assert table.column(f"r{number}").to_pylist() == expected
        assert len(set(expected)) >= 3


def test_codes_that_do_not_rise_with_values_are_looked_up():
    rising = coded("int", [3, 0, 12], np.array([1, 0, 2]))
    assert by_value("c0", "int", rising)(1) == "coalesce(c0 < CAST('3' AS int), FALSE)"
    assert by_value("c0", "int", coded("int", [3, 0, 12], np.array([0, 1, 2]))) is None
    assert by_value("c0", "decimal(6,2)", rising) is None


def test_every_region_has_a_part_of_its_own():
    """Numbers are hashed as Spark does, so that no part is idle while another has two regions."""
    numbers = np.array([0, 1, -1, 2**31 - 1, -(2**31), 42, 1234567])
    spark = spark_session()
    listed = ", ".join(f"hash(CAST({n} AS INT))" for n in numbers)
    assert list(spark.sql(f"SELECT {listed}").collect()[0]) == spark_hash(numbers).tolist()
    for n_parts in (1, 2, 8, 65, 1000):
        keys = spread_keys(n_parts)
        assert (spark_hash(np.array(keys)) % n_parts).tolist() == list(range(n_parts))
