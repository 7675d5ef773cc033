"""Releases made in Python: of tables of other libraries, of models, and of new rows."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.recorder._api import save
from tests.recorder._run import INPUTS

METHODS = {
    "bottom-up": "BottomUpGeneralization",
    "top-down": "TopDownSpecialization",
    "local": "LocalRecoding",
    "full-domain": "FullDomain",
    "mondrian": "Mondrian",
    "constrained": "ConstrainedKMember",
}
"""Class behind each name; the files of a recording have the name."""


def make(method: str, schema: str = "people", k: int = 5, **options: Any) -> Any:
    """A method that is not fitted yet."""
    import shoal.anonymize
    from shoal.privacy import DistinctDiversity, KAnonymity
    from shoal.schema import Schema

    described = Schema.from_toml(f"{INPUTS}/{schema}.toml")
    kind = getattr(shoal.anonymize, METHODS[method])
    return kind(described, KAnonymity(k) & DistinctDiversity(2, "illness"), **options)


def read(library: str, name: str = "people") -> Any:
    """A table among the inputs, in a library."""
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow.parquet as pq

    path = f"{INPUTS}/{name}.parquet"
    match library:
        case "pandas":
            return pd.read_parquet(path)
        case "pandas with categories":
            return pd.read_parquet(path).astype({"job": "category", "sex": "category"})
        case "polars":
            return pl.read_parquet(path)
        case "pyarrow":
            return pq.read_table(path)
        case _:
            return duckdb.connect().sql(f"SELECT * FROM '{path}'")


def rows_of(table: Any) -> dict[str, list[Any]]:
    """Columns of a table of any library, as plain lists."""
    import narwhals.stable.v2 as nw

    if hasattr(table, "fetchall"):
        table = table.to_arrow_table()
    frame = nw.from_native(table, eager_only=True)
    types = {f"type of {name}": [str(kind)] for name, kind in frame.schema.items()}
    return {**types, **frame.to_dict(as_series=False)}


def _released(library: str) -> None:
    for method in METHODS:
        fitted = make(method).fit(read(library))
        release = fitted.release_
        save(method, {"type": str(type(release.table)), "rows": rows_of(release.table),
                      "release": release, "said": repr(release)})  # fmt: skip
        new = fitted.transform(read(library, "later"))
        save(f"{method}-new", rows_of(new))
        release.write(f"{method}.parquet")


def _given_out() -> None:
    """Rows shuffled with a seed, starred, with ranges."""
    from shoal.tables import RowOptions as Output

    for library in ("pandas", "polars", "duckdb"):
        output = Output(keep_suppressed=True, shuffle=11, ranges=("age",))
        fitted = make("top-down", max_suppression=0.1).fit(read(library), output=output)
        save(library, rows_of(fitted.release_.table))


def _attributes() -> None:
    """What methods remember beside their release."""
    bottom_up = make("bottom-up").fit(read("polars"))
    save("bottom-up", bottom_up.steps_)
    top_down = make("top-down").fit(read("polars"))
    save("top-down", top_down.steps_)
    constrained = make("constrained", "tight").fit(read("polars"))
    save("constrained", {"outside": constrained.n_outside_})
    full = make("full-domain").fit(read("polars"))
    save("full-domain", full.lattice_)


def _of_a_tree() -> None:
    from shoal.anonymize import ModelBased
    from shoal.models import KAnonymousTreeClassifier
    from shoal.privacy import KAnonymity
    from shoal.schema import Schema

    schema = Schema.from_toml(f"{INPUTS}/people.toml")
    for criterion in ("gain", "gain_ratio", "gini"):
        tree = KAnonymousTreeClassifier(schema, KAnonymity(10), criterion=criterion)
        fitted = ModelBased(tree).fit(f"{INPUTS}/people.csv")
        fitted.release_.write(f"{criterion}.csv")
        save(f"{criterion}-new", rows_of(fitted.transform(read("polars", "later"))))


def _presence() -> None:
    """delta-presence, which no command asks for."""
    from shoal.anonymize import TopDownSpecialization
    from shoal.privacy import DeltaPresence, KAnonymity
    from shoal.schema import Schema
    from shoal.tables import open_table

    schema = Schema.from_toml(f"{INPUTS}/people.toml")
    everybody = open_table(read("polars")).compress(schema).cells
    some = read("polars").head(400)
    for low, high in ((0, 0.8), (0, 0.6)):
        model = KAnonymity(3) & DeltaPresence(low, high, population=everybody)
        fitted = TopDownSpecialization(schema, model).fit(some)
        save(f"presence-{low}-{high}", {"rows": rows_of(fitted.release_.table),
                                        "reached": fitted.release_.reached})  # fmt: skip


CASES = {
    **{
        f"api release of {library}": partial(_released, library)
        for library in ("pandas", "pandas with categories", "polars", "pyarrow", "duckdb")
    },
    "api release given out": _given_out,
    "api release attributes": _attributes,
    "api release of a tree": _of_a_tree,
    "api release presence": _presence,
}
"""Names and cases of this module."""
