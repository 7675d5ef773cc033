"""Releases of tables with a column of sets: k^m-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._checks import check_integer
from shoal.anonymize.rowwise._rowwise_files import rowwise_schema, write_rowwise
from shoal.anonymize.sets._item_cut import find_cut, item_loss
from shoal.anonymize.sets._transactions import Transactions, code_sets, fewest_rows, generalize
from shoal.errors import ParameterError, SchemaError
from shoal.frames._frame import Frame
from shoal.judge._read_files import read_texts
from shoal.judge._text_table import TextTable
from shoal.judge.sets._judge_sets import SetCharge, judge_sets
from shoal.schema import Hierarchy, Schema
from shoal.schema._coding import make_coding
from shoal.schema._text import texts
from shoal.tables import RowOptions, open_table
from shoal.tables._engine import put_in_order
from shoal.tables._open import require_filled
from shoal.tables.forms._coarse import coarse_pool
from shoal.typing import Native, PathText


@dataclass(frozen=True, eq=False)
class SetRelease:
    """A table whose sets keep k^m-anonymity.

    Parameters
    ----------
    frame : Frame
        The released rows.
    schema : Schema
        What the columns are.
    k, m : int
        Every combination of at most m items is in at least k rows, or in none.
    fewest : tuple of int
        For each size up to m: the fewest rows that a released combination has; 0 where none is.
    loss : float
        Mean share of all items that a raw item is released as.
    told_loss : float
        The same of released items, which tells no more than they do; the manifest has it.
    labels : mapping of str to str
        What each item is released as.  It stays in the house with rare items in it.
    source : Frame
        The raw rows.
    order : ndarray of int64
        Raw row behind each released one.
    parents : mapping of str to str
        The hierarchy: node above each item or node.

    Examples
    --------
    >>> schema = Schema({"basket": {"role": "quasi-identifier", "separator": ";"}})
    >>> release_sets({"basket": ["rye;tea", "rye;tea", "tea"]}, schema, 2)
    SetRelease(3 rows, k=2, m=2, loss=0.000)
    """

    frame: Frame
    schema: Schema
    k: int
    m: int
    fewest: tuple[int, ...]
    loss: float
    told_loss: float
    labels: Mapping[str, str] = field(repr=False)
    source: Frame = field(repr=False)
    order: NDArray[np.int64] = field(repr=False)
    parents: Mapping[str, str] = field(repr=False)

    @cached_property
    def table(self) -> Native:
        """The released rows; judged."""
        self._judge(read_texts(self.frame.eager))
        return self.frame.native

    @property
    def guarantee(self) -> str:
        """What is promised, in a sentence."""
        return (
            f"every combination of at most {self.m} items that a row has is in at least {self.k} "
            "rows"
        )

    def to_dict(self) -> dict[str, Any]:
        """The manifest.  Holds no row, and no item."""
        return {
            "shoal": "sets",
            "version": 1,
            "form": "sets",
            "guarantee": self.guarantee,
            "km": {"k": self.k, "m": self.m, "column": set_column(self.schema)},
            "fewest_rows": list(self.fewest),
            "rows": self.frame.n_rows,
            "loss": self.told_loss,
            "schema": rowwise_schema(self.schema, read_texts(self.frame.eager)).to_dict(),
            "software": {"shoal": version("shoal")},
        }

    def write(self, path: PathText, *, force: bool = False) -> dict[str, Path]:
        """Write rows, manifest and schema; paths of "table", "manifest" and "schema"."""
        return write_rowwise(
            self.frame, self.schema, self.to_dict(), self._judge, path,
            what="the release", force=force,
        )  # fmt: skip

    def _judge(self, written: TextTable) -> None:
        column = set_column(self.schema)
        separator = self.schema[column].separator or ""
        charge = SetCharge(self.schema, column, separator, self.k, self.m, self.parents)
        judge_sets(charge, written, read_texts(self.source.eager), self.order)

    def __repr__(self) -> str:
        return f"SetRelease({self.frame.n_rows} rows, k={self.k}, m={self.m}, loss={self.loss:.3f})"


def release_sets(
    table: Native,
    schema: Schema,
    k: int,
    m: int = 2,
    *,
    output: RowOptions | None = None,
    encoding: str | None = None,
) -> SetRelease:
    """Generalize the items of a column of sets until every small combination is in k rows.

    Parameters
    ----------
    table : table or path
        Whatever :func:`shoal.open_table` takes; read into memory.
    schema : Schema
        Roles; one quasi-identifier, with a `separator`, and a hierarchy of its items.
    k : int
        Fewest rows that have a combination of items.
    m : int
        Items that an attacker may know of a person, at most.
    output : RowOptions, optional
        The order of the rows; by default a secret one.
    encoding : str, optional
        Encoding of CSV files.

    Notes
    -----
    **Guarantee.**  Whoever knows at most m items of a person finds at least k rows that have them,
    as they are written [TMK08]_.  This is counted again in the written table.

    **Does not promise** anything to people about whom more than m items are known, nor about what
    items reveal: a combination may be in k rows that all share a further, private item.

    **Departures from the paper.**  Rare combinations are looked for by size, as in its Apriori
    algorithm, and the cheapest node of each is raised, all of a size at once; then nodes are
    lowered again, the dearest first, which the paper does not do.

    References
    ----------
    .. [TMK08] M. Terrovitis, N. Mamoulis, P. Kalnis.  Privacy-preserving anonymization of
       set-valued data.  PVLDB 1(1), 2008.  doi:10.14778/1453856.1453874

    Examples
    --------
    >>> schema = Schema(
    ...     {
    ...         "basket": {
    ...             "role": "quasi-identifier",
    ...             "separator": ";",
    ...             "hierarchy": {"tree": {"dairy": ["milk", "kefir"], "bread": ["rye", "bun"]}},
    ...         }
    ...     }
    ... )
    >>> baskets = {"basket": ["milk;rye", "milk;bun", "kefir", "milk;rye"]}
    >>> sorted(release_sets(baskets, schema, 2).table["basket"])
    ['bread;dairy', 'bread;dairy', 'bread;dairy', 'dairy']
    """
    check_integer("k", k, 1)
    check_integer("m", m, 1)
    name = set_column(schema)
    schema.require_rows_of_own("k^m-anonymity")
    engine = open_table(table, encoding=encoding, schema=schema)
    require_filled(engine, "release")
    frame = engine.frame()
    schema.require(frame.names)
    frame.require_plain([column for column in frame.names if schema[column].is_released])
    tree, sets = _read_sets(frame, schema, name)
    node_of = find_cut(sets, tree, k, m)
    coarse = generalize(sets, node_of)
    labels = tuple(str(label) for label in tree.labels)
    order = put_in_order(np.arange(frame.n_rows), output or RowOptions())
    written = _written(coarse, labels, schema[name].separator or "")
    pools = {name: (written[0], written[1][order])}
    for other in schema.released:
        if schema[other].is_coarse:
            values, codes = coarse_pool(schema[other], *frame.factorize(other))
            pools[other] = (values, codes[order])
    names = [column for column in frame.names if schema[column].is_released]
    occurrences = np.bincount(sets.items, minlength=tree.n_leaves).astype(np.float64)
    released = np.bincount(coarse.items, minlength=tree.n_nodes).astype(np.float64)
    return SetRelease(
        frame.fresh(names, order, pools, {}),
        schema,
        k,
        m,
        tuple(fewest for fewest, _ in fewest_rows(coarse, m)),
        item_loss(node_of, tree, occurrences),
        item_loss(np.arange(tree.n_nodes), tree, released),
        {labels[item]: labels[node] for item, node in enumerate(node_of.tolist())},
        frame,
        order,
        _parents(tree, labels),
    )


def set_column(schema: Schema) -> str:
    """The column of sets, which is the only quasi-identifier."""
    listed = [name for name in schema.quasi_identifiers if schema[name].separator is not None]
    if len(listed) != 1:
        raise SchemaError(
            f"{len(listed)} quasi-identifiers hold sets, and there has to be one. Give the column "
            "of sets a separator, for example separator = ';'."
        )
    if others := [name for name in schema.quasi_identifiers if name not in listed]:
        raise ParameterError(
            f"k^m-anonymity is about one column of sets, and {', '.join(map(repr, others))} are "
            "quasi-identifiers besides: together with items they could single people out. Leave "
            "them out, or release them in a table of their own."
        )
    return listed[0]


def _read_sets(frame: Frame, schema: Schema, name: str) -> tuple[Hierarchy, Transactions]:
    """The hierarchy of the items, and rows as sets of its leaves."""
    codes, values = frame.factorize(name)
    separator = schema[name].separator or ""
    known: list[str | None] = [*texts(values), None]
    items, sets = code_sets(known, np.where(codes < 0, len(values), codes), separator)
    if not items:
        raise SchemaError(f"column {name!r} has no items, so there is nothing to release.")
    coding = make_coding(name, schema[name], items)
    tree = coding.hierarchy or Hierarchy.flat(items)
    if len(set(tree.labels)) < tree.n_nodes:
        raise SchemaError(f"column {name!r}: labels of its hierarchy come twice. Rename them.")
    if any(separator in str(label) for label in tree.labels):
        raise SchemaError(
            f"column {name!r}: labels of its hierarchy hold the separator. Rename them, or write "
            "the sets with another sign."
        )
    leaf_by_label = {str(tree.labels[leaf]): leaf for leaf in range(tree.n_leaves)}
    leaf_of = np.array([leaf_by_label[item] for item in items], np.int64)
    return tree, generalize(sets, leaf_of)


def _written(
    sets: Transactions, labels: tuple[str, ...], separator: str
) -> tuple[list[Any], NDArray[np.int32]]:
    number: dict[str | None, int] = {}
    codes = np.empty(sets.n_rows, np.int32)
    for row in range(sets.n_rows):
        nodes = sets.items[sets.start[row] : sets.start[row + 1]]
        text = separator.join(sorted(labels[node] for node in nodes.tolist())) or None
        codes[row] = number.setdefault(text, len(number))
    listed = list(number)
    if None not in number:
        return [*listed, None], codes
    return listed, codes


def _parents(tree: Hierarchy, labels: tuple[str, ...]) -> dict[str, str]:
    return {
        labels[node]: labels[int(tree.parent[node])]
        for node in range(tree.n_nodes)
        if node != tree.root
    }
