"""Random cells over mixed columns, with groups."""

from functools import cache

import duckdb
import numpy as np

from shoal.anonymize.clusters._group_loss import is_range_column, make_columns, pair_loss
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from shoal.schema import Schema
from shoal.tables import open_table
from tests.reference.groups import SlowGroups

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [5, 10]}},
        "city": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"L": ["a", "b", "c"], "R": {"S": ["d", "e"], "T": ["f"]}}},
            "weight": 2.0,
        },
        "grade": {
            "role": "quasi-identifier",
            "kind": "ordinal",
            "order": ["low", "mid", "high"],
            "hierarchy": "flat",
        },
        "s": {"role": "sensitive"},
    }
)


def rows(rng, n):
    """A table as plain columns: every engine counts the same cells, and these take least time."""
    ages = [None if x == 0 else int(20 + x) for x in rng.integers(0, 25, n)]
    return {
        "age": ages,
        "city": rng.choice([*"abcdef"], n).tolist(),
        "grade": rng.choice(["low", "mid", "high"], n).tolist(),
        "s": rng.choice(["x", "y", "z"], n, p=[0.6, 0.3, 0.1]).tolist(),
    }


def relation(columns):
    """The same for an environment without any dataframe library."""
    connection = duckdb.connect()
    names = list(columns)
    connection.execute(f"CREATE TABLE t ({', '.join(f'{n} {_type(columns[n])}' for n in names)})")
    marks = ", ".join("?" for _ in names)
    connection.executemany(
        f"INSERT INTO t VALUES ({marks})", list(zip(*columns.values(), strict=True))
    )
    return connection.sql("SELECT * FROM t")


def _type(values):
    return "INTEGER" if any(isinstance(value, int) for value in values) else "VARCHAR"


def cells(seed, n=60):
    return open_table(rows(np.random.default_rng(seed), n)).compress(SCHEMA).cells


def columns_of(cells, ranges=True):
    is_range = np.array([ranges and is_range_column(c) for c in cells.codings])
    weights = np.array([SCHEMA[name].weight for name in cells.names])
    return make_columns(cells.codings, is_range, weights), is_range, weights


def models():
    return [KAnonymity(3), KAnonymity(2) & DistinctDiversity(2, "s")]


def compiled_of(model, cells):
    return compile_model(model, cells)


def slow_groups(cells, columns, compiled, group_of, n_groups):
    """The slow twin of `make_groups`, with the losses and answers of the fast one."""

    @cache
    def loss_of(column, low, high):
        return pair_loss(columns, column, low, high)

    @cache
    def allowed(members):
        alone = np.full(cells.n_groups, -1)
        alone[list(members)] = 0
        return bool(allowed_groups(compiled, alone, 1)[0])

    return SlowGroups(
        cells.keys,
        cells.sizes,
        group_of,
        n_groups,
        loss_of,
        lambda members: allowed(frozenset(members)),
        compiled.minimum_size,
        [coding.n_codes for coding in cells.codings],
    )
