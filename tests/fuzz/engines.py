"""Random tables in the form of an engine, with all that forms can carry besides cells."""

import datetime as dt
import json

from tests.extras import need

CANARY = "canary-in-metadata"
WEIGHTS = {
    "pandas": 4,
    "polars": 3,
    "polars-lazy": 2,
    "pyarrow": 3,
    "arrow": 2,
    "mapping": 3,
    "duckdb": 1,
    "csv": 1,
    "parquet": 1,
}
"""How often a form is drawn: those that a database reads take several times as long."""

KINDS = tuple(WEIGHTS)
SQL = {
    "whole": "BIGINT", "real": "DOUBLE", "mixed": "DOUBLE", "decimal": "DECIMAL(12,2)",
    "text": "VARCHAR",
    "category": "VARCHAR", "date": "DATE", "moment": "TIMESTAMP", "truth": "BOOLEAN",
}  # fmt: skip


def make(rng, engine, columns, folder):
    """The table in the form of an engine; files go to the folder."""
    if engine == "mapping":
        return {name: list(drawn.values) for name, drawn in columns.items()}
    if engine == "pandas":
        return _pandas(rng, columns)
    if engine == "csv":
        return _csv(columns, folder / rng.choice(("people.csv", "people[1-2].csv", "p*.csv")))
    if engine == "duckdb":
        return _duckdb(rng, columns)
    table = _arrow(rng, columns)
    if engine == "pyarrow":
        return table
    if engine == "parquet":
        need("pyarrow.parquet").write_table(table, path := folder / "people.parquet")
        return str(path)
    if engine == "arrow":
        need("pyarrow.feather").write_feather(
            table, path := str(folder / "people.arrow"), compression="uncompressed"
        )
        return path
    frame = _polars(rng, columns)
    return frame.lazy() if engine == "polars-lazy" else frame


def held(engine, drawn):
    """The values of a column as the engine's form holds them."""
    if drawn.sort == "mixed" and engine not in ("pandas", "mapping"):
        return [None if v is None else float(v) for v in drawn.values]
    return drawn.values


def _pandas(rng, columns):
    pd = need("pandas")
    series = {}
    for name, drawn in columns.items():
        values = drawn.values
        if drawn.sort == "category":
            used = sorted({v for v in values if v is not None})
            series[name] = pd.Categorical(values, [*used, CANARY])
        elif drawn.sort == "whole":
            series[name] = pd.array(values, dtype="Int64")
        elif drawn.sort == "moment" or (drawn.sort == "date" and rng.random() < 0.5):
            series[name] = pd.to_datetime(pd.Series(values, dtype=object))
        elif drawn.sort == "real" and rng.random() < 0.5:
            series[name] = pd.array(
                [float("nan") if v is None else v for v in values], dtype="float64"
            )
        else:
            series[name] = pd.Series(values, dtype=object)
    frame = pd.DataFrame(dict(enumerate(series.values())))
    frame.columns = list(series)
    if rng.random() < 0.5:
        frame.index = [f"{CANARY}-{i}" for i in range(len(frame))]
        frame.attrs = {"from": CANARY}
    return frame


def _arrow_type(pa, sort):
    return {
        "whole": pa.int64(), "real": pa.float64(), "mixed": pa.float64(),
        "decimal": pa.decimal128(20, 2), "text": pa.string(), "category": pa.string(),
        "date": pa.date32(), "moment": pa.timestamp("us"), "truth": pa.bool_(),
    }[sort]  # fmt: skip


def _arrow(rng, columns):
    pa = need("pyarrow")
    arrays, fields = [], []
    for name, drawn in columns.items():
        array = pa.array(held("pyarrow", drawn), _arrow_type(pa, drawn.sort), from_pandas=False)
        if drawn.sort == "category":
            entries = [*dict.fromkeys(v for v in drawn.values if v is not None), CANARY]
            codes = pa.array(
                [None if v is None else entries.index(v) for v in drawn.values], pa.int32()
            )
            array = pa.DictionaryArray.from_arrays(codes, pa.array(entries))
        arrays.append(array)
        fields.append(pa.field(name, array.type, metadata={"note": CANARY}))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata={"from": CANARY}))


def _polars(rng, columns):
    pl = need("polars")
    kinds = {
        "whole": pl.Int64, "real": pl.Float64, "mixed": pl.Float64,
        "decimal": pl.Decimal(20, 2), "text": pl.String, "date": pl.Date,
        "moment": pl.Datetime("us"), "truth": pl.Boolean,
    }  # fmt: skip
    series = []
    for name, drawn in columns.items():
        kind = kinds.get(drawn.sort)
        if kind is None:
            entries = [*dict.fromkeys(v for v in drawn.values if v is not None), CANARY]
            kind = pl.Enum(entries) if rng.random() < 0.5 else pl.Categorical
        series.append(pl.Series(name, held("polars", drawn), dtype=kind))
    return pl.DataFrame(series)


def _duckdb(rng, columns):
    duckdb = need("duckdb")
    connection = duckdb.connect()
    quoted = ['"' + name.replace('"', '""') + '"' for name in columns]
    types = [SQL[drawn.sort] for drawn in columns.values()]
    table = rng.choice(("people", "source", "columns", "shoal_source", "labels", "t"))
    listed = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, types, strict=True))
    connection.execute(f"CREATE TABLE {table} ({listed})")
    rows = list(zip(*(held("duckdb", drawn) for drawn in columns.values()), strict=True))
    if rows:
        connection.executemany(
            f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows
        )
    view = rng.choice(("", "", " ORDER BY random()", " USING SAMPLE 100%"))
    return connection.sql(f"FROM {table}{view}")


def _csv(columns, path):
    lines = [",".join(map(_quoted, columns))]
    for row in zip(*(held("csv", drawn) for drawn in columns.values()), strict=True):
        lines.append(",".join(map(_csv_cell, row)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    return str(path)


def _csv_cell(value):
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return _quoted(value) if isinstance(value, str) else str(value)


def _quoted(text):
    return '"' + text.replace('"', '""') + '"'
