"""Whether every byte of a Parquet file belongs to a page, an index or a filter that it lists.

Readers of cells go where the end of a file sends them, and pass over whatever lies between.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.judge.packed._ends import are_of_cells, ends_in_index, ends_said
from shoal.judge.packed._filters import is_filter_of
from shoal.judge.packed._thrift import RecordReader

_MARK = b"PAR1"
_GROUPS = 4
_COLUMNS = 1
_DATA, _DICTIONARY, _DATA_AGAIN = 0, 2, 3
"""Kinds of pages."""

_KNOWN = {"file": 9, "group": 7, "chunk": 9, "column": 17, "page": 8}
"""The last field of each kind of record that is known."""


def parquet_doors(path: Path) -> Iterator[str]:
    """What a Parquet file holds beside pages of cells, by the words of a verdict."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        if data[:4] != _MARK or data[-4:] != _MARK or end < len(_MARK):
            yield "a file that is encrypted or of another kind"
            return
        reader = RecordReader(data, end)
        footer = reader.record()
        spans: set[tuple[int, int]] = set()
        strange = reader.at != len(data) - 8 or max(footer) > _KNOWN["file"]
        for number, group in enumerate(footer[_GROUPS]):
            strange |= max(group) > _KNOWN["group"]
            for index, chunk in enumerate(group[_COLUMNS]):
                column = chunk[3]
                strange |= max(chunk) > _KNOWN["chunk"] or max(column) > _KNOWN["column"]
                # notes, cells elsewhere, and the box that all places lie in
                strange |= bool(column.get(8) or chunk.get(1) or column.get(17))
                ends = ends_said(column.get(12)) | ends_in_index(data, chunk.get(6))
                pages = _pages(data, column, ends)
                strange |= pages is None
                spans |= {pages, *_said_again(data, pages[1], column)} if pages else set()
                indexes = [(chunk.get(4), chunk.get(5)), (chunk.get(6), chunk.get(7))]
                for start, size in indexes:
                    if start is not None and size is not None:
                        strange |= not _is_record(data, start, size)
                        spans.add((start, start + size))
                if not are_of_cells(ends, path, (number, index), column[1]):
                    yield "the least or largest value of a column that no row has"
                if start := column.get(14):
                    stop, is_own = is_filter_of(data, start, path, (number, index), column)
                    spans.add((start, stop))
                    if not is_own:
                        yield "a filter that says which values there are"
        if strange or not _fill(spans, len(_MARK), end):
            yield "bytes that belong to no cell"


def _pages(data: Any, column: Mapping[int, Any], ends: set[bytes]) -> tuple[int, int] | None:
    """Where the pages of a column of a group are; None where they are not one after another.

    What they say of the least and the largest value in them is added to `ends`.
    """
    start = min(offset for offset in (column[9], column.get(11) or column[9]))
    stop = start + column[7]
    offset, n_values, n_lists = start, 0, 0
    while offset < stop:
        reader = RecordReader(data, offset)
        page = reader.record()
        kind = page[1]
        if max(page) > _KNOWN["page"] or kind not in (_DATA, _DICTIONARY, _DATA_AGAIN):
            return None
        n_lists += kind == _DICTIONARY
        n_values += page.get(5, page.get(8, {})).get(1, 0) if kind != _DICTIONARY else 0
        ends |= ends_said(page.get(5, {}).get(5)) | ends_said(page.get(8, {}).get(8))
        offset = reader.at + page[3]
    return (start, stop) if offset == stop and n_lists < 2 and n_values == column[5] else None


def _said_again(data: Any, offset: int, column: Mapping[int, Any]) -> set[tuple[int, int]]:
    """Where some writers (Polars') repeat the metadata of a column behind its pages."""
    reader = RecordReader(data, offset)
    try:
        same = reader.record() == column
    except (ValueError, IndexError):
        return set()
    return {(offset, reader.at)} if same else set()


def _is_record(data: Any, start: int, size: int) -> bool:
    reader = RecordReader(data, start)
    reader.record()
    return reader.at == start + size


def _fill(spans: set[tuple[int, int]], start: int, end: int) -> bool:
    """Whether parts follow one another from a place to another, and none lies in two."""
    for first, last in sorted(spans):
        if first != start:
            return False
        start = last
    return start == end
