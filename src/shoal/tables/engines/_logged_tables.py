"""Folders whose files are more than the table: a log beside them says which rows still count.

Delta, Iceberg and Hudi leave files where they are when rows are deleted or changed.  Whoever reads
them as plain files brings back people who were taken out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import TableError

_ICEBERG = re.compile(r"(v\d+|\d+-[0-9a-f-]{36})(\.gz)?\.metadata\.json(\.gz)?|snap-.*\.avro")
"""Files of Iceberg's folder `metadata`."""

_OWN_READERS = "org.apache.spark.sql.execution.datasources."
"""How names of classes begin with which Spark itself lists files; other readers have others."""

_HOW = {
    "Delta": ("deltalake", "delta"),
    "Iceberg": ("pyiceberg", "iceberg"),
    "Hudi": ("hudi", "hudi"),
}
"""Python package and Spark's word for the reader of each."""


def refuse_logged_files(paths: Iterable[Path]) -> None:
    """Raise where files lie in the folder of a table that a log speaks of."""
    folders = {own.parent for path in paths for own in (path.absolute(), path.resolve())}
    for folder in sorted({above for own in folders for above in (own, *own.parents)}):
        if kind := _kind(lambda name, folder=folder: _names(folder / name)):  # type: ignore[misc]
            raise TableError(
                f"{folder.name!r} is a table of {kind}: its files also hold rows that were deleted "
                f"or changed since, and only its log knows which. {_advice(kind)}"
            )


def refuse_logged_spark(frame: Any) -> None:
    """Raise where Spark reads files of such a table as if there were no log.

    A table of a server does not show how it is read, nor does one that was made already.
    """
    shown = getattr(frame, "_jdf", None)
    if shown is None:
        return
    for index in _file_lists(shown.queryExecution().analyzed()):
        roots = index.rootPaths()
        for root in (roots.apply(i) for i in range(roots.size())):
            kind = _kind_there(frame, str(root.toString()))
            if kind is not None:
                raise TableError(
                    f"files of a table of {kind} are read as plain files, which also hold rows "
                    "that were deleted or changed since; only its log knows which. "
                    f"{_advice(kind)}"
                )


def _advice(kind: str) -> str:
    package, word = _HOW[kind]
    return (
        f'Read it with its own reader, such as {package} in Python or spark.read.format("{word}") '
        "with that package on Spark's class path, and give what it returns."
    )


def _kind(names_in: Callable[[str], Sequence[str] | None]) -> str | None:
    """Whose log lies in a folder; `names_in` tells what a folder in it holds, None without it."""
    if names_in("_delta_log") is not None:
        return "Delta"
    if names_in(".hoodie") is not None:
        return "Hudi"
    named = names_in("metadata") or ()
    return "Iceberg" if any(_ICEBERG.fullmatch(name) for name in named) else None


def _names(folder: Path) -> list[str] | None:
    try:
        return [path.name for path in folder.iterdir()] if folder.is_dir() else None
    except OSError:  # a folder that is not ours, further up
        return []


def _file_lists(plan: Any) -> Iterator[Any]:
    """Lists of files that Spark reads by itself, in a plan."""
    leaves = plan.collectLeaves()
    for leaf in (leaves.apply(i) for i in range(leaves.size())):
        index = None
        if leaf.getClass().getSimpleName() == "LogicalRelation":
            relation = leaf.relation()
            if relation.getClass().getSimpleName() == "HadoopFsRelation":
                index = relation.location()
        elif leaf.getClass().getSimpleName() == "DataSourceV2Relation":
            table = leaf.table()
            if table.getClass().getName().startswith(_OWN_READERS):
                index = table.fileIndex()
        if index is not None and index.getClass().getName().startswith(_OWN_READERS):
            yield index


def _kind_there(frame: Any, root: str) -> str | None:
    """Whose log lies beside a path of Spark's or above it, by Spark's own way to its files."""
    session = frame.sparkSession
    hadoop = session._jvm.org.apache.hadoop.fs
    ancestor = hadoop.Path(root)
    files = ancestor.getFileSystem(session._jsc.hadoopConfiguration())

    def names_in(folder: Any, name: str) -> list[str] | None:
        from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]  # noqa: PLC0415

        path = hadoop.Path(folder, name)
        try:
            if not files.exists(path):
                return None
            return [str(one.getPath().getName()) for one in files.listStatus(path)]
        except Py4JJavaError:  # a folder that is not ours, further up
            return []

    while ancestor is not None:
        if kind := _kind(lambda name, ancestor=ancestor: names_in(ancestor, name)):  # type: ignore[misc]
            return kind
        ancestor = ancestor.getParent()
    return None
