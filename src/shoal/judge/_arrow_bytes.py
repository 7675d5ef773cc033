"""What an Arrow file holds besides its cells: bytes under missing values, texts that no cell has.

Arrow keeps values and a mark of which are missing apart, and texts in one block apart from where
each begins and ends.  A library that blanks a cell sets the mark, and the value stays; one that
leaves a row out keeps its text in the block.  No reader of cells sees either.

PyArrow fills up what it writes of a table batch by batch with the rows that follow.  They stand in
the next batch once more, so that nothing is told by it: only the last batch has to end with zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Flags

Later: TypeAlias = Callable[[], Iterable[Any]]
"""The same column in the batches behind one, which are read only where they are asked for."""

_INLINE = 12
"""Bytes of a text up to which a view holds all of it."""

_NAN = {2: b"\x00\x7e", 4: b"\x00\x00\xc0\x7f", 8: b"\x00\x00\x00\x00\x00\x00\xf8\x7f"}
_NO_MOMENT = b"\x00\x00\x00\x00\x00\x00\x00\x80"  # pandas has it where there is no date


def arrow_doors(file: Any) -> Iterator[str]:
    """What an open file has besides cells, by the words of a verdict."""
    if file.metadata:
        yield "metadata of the file"
    for number in range(file.num_record_batches):
        batch, notes = file.get_batch_with_custom_metadata(number)
        if notes:
            yield "metadata of the rows"
        for index, (name, column) in enumerate(zip(batch.schema.names, batch.columns, strict=True)):
            behind = range(number + 1, file.num_record_batches)
            if not _says_all(
                column,
                lambda index=index, b=behind: (file.get_batch(n)[index] for n in b),  # type: ignore[misc]
            ):
                yield f"values that no cell has in the bytes of column {name!r}"


def ways_to_be_missing(column: Any) -> int:
    """Ways in which a column of floats writes that there is no number: none, and each kind of NaN.

    Whoever has the file can tell them apart; as text all are nothing.
    """
    kinds: set[bytes] = set()
    for chunk in column.chunks:
        cells = _fixed(chunk, chunk.type.bit_width // 8)[_known(chunk)]
        values = np.ascontiguousarray(cells).view(f"<f{cells.shape[1]}").reshape(-1)
        kinds |= {bytes(cell) for cell in np.unique(cells[np.isnan(values)], axis=0)}
    return len(kinds) + bool(column.null_count)


def says_one_thing_twice(column: Any) -> bool:
    """Whether cells of equal value have several codes, or are missing by their code and without.

    A reader of values sees one; whoever has the file sees which code a cell has.
    """
    ways = [(chunk.null_count > 0, chunk.dictionary.null_count > 0) for chunk in column.chunks]
    return (any(map(any, ways)) and all(map(any, zip(*ways, strict=True)))) or any(
        len(chunk.dictionary.unique()) < len(chunk.dictionary) for chunk in column.chunks
    )


def _nothing() -> Iterable[Any]:
    return ()


def _says_all(array: Any, later: Later = _nothing) -> bool:
    """Whether all bytes of a column are those of its cells, or of the cells that follow."""
    import pyarrow as pa  # noqa: PLC0415  optional

    kind = array.type
    if pa.types.is_dictionary(kind):
        indices = _says_all(array.indices, lambda: (column.indices for column in later()))
        return indices and _says_all(array.dictionary)
    if isinstance(kind, pa.BaseExtensionType):
        return _says_all(array.storage, lambda: (column.storage for column in later()))
    if pa.types.is_null(kind) or not len(array):
        return True
    if pa.types.is_nested(kind):
        return False  # never read
    missing = ~_known(array)
    if pa.types.is_boolean(kind):
        cells, beyond = _bits(array)
        follow = (_bits(column)[0] for column in later())
        return not cells[missing].any() and _is_known(beyond, follow)
    if str(kind) in ("string_view", "binary_view"):
        return _views_say_all(array, missing)
    if kind.num_buffers == 3:
        return _texts_say_all(array, missing, later)
    return _numbers_say_all(array, missing, later)


def _is_known(beyond: NDArray[np.uint8], follow: Iterable[NDArray[np.uint8]]) -> bool:
    """Whether what stands behind the cells of a column are zeros, or the cells that follow it."""
    if not beyond.any():
        return True
    for cells in follow:
        n = min(len(cells), len(beyond))
        if not np.array_equal(beyond[:n], cells[:n]):
            return False
        beyond = beyond[n:]
    return not beyond.any()


def _numbers_say_all(array: Any, missing: Flags, later: Later) -> bool:
    import pyarrow as pa  # noqa: PLC0415  optional

    width = array.type.bit_width // 8
    blank = {bytes(width)}
    if pa.types.is_floating(array.type):
        blank.add(_NAN[width])
    elif pa.types.is_temporal(array.type):
        blank.add(_NO_MOMENT)
    hidden = {bytes(cell) for cell in np.unique(_fixed(array, width)[missing], axis=0)}
    beyond = _bytes(array.buffers()[1])[(array.offset + len(array)) * width :]
    follow = (_fixed(column, width).reshape(-1) for column in later())
    return hidden <= blank and _is_known(beyond, follow)


def _texts_say_all(array: Any, missing: Flags, later: Later) -> bool:
    ends, content = _text_block(array)
    follow = (block[first[0] : first[-1]] for first, block in map(_text_block, later()))
    known = not content[: ends[0]].any() and _is_known(content[ends[-1] :], follow)
    return known and not np.diff(ends)[missing].any()


def _text_block(array: Any) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """Where the texts of a column end, the first begins, and the block that they stand in."""
    _, places, block = array.buffers()
    large = str(array.type).startswith("large")
    ends = np.frombuffer(places, "<i8" if large else "<i4")[array.offset :][: len(array) + 1]
    return (ends if len(ends) else np.zeros(1, np.int64)), _bytes(block)


def _views_say_all(array: Any, missing: Flags) -> bool:
    """Views name a block, a place in it and a length; all bytes of the blocks have to be named."""
    views = _fixed(array, 16)
    if views[missing].any():
        return False
    fields = np.ascontiguousarray(views).view("<i4").reshape(-1, 4)
    long = np.unique(fields[fields[:, 0] > _INLINE][:, [2, 3, 0]], axis=0)
    blocks = [_bytes(block) for block in array.buffers()[2:]]
    named = [np.zeros(len(block), np.bool_) for block in blocks]
    for number, start, length in long.tolist():
        named[number][start : start + length] = True
    short = fields[:, 0] <= _INLINE
    padding = np.arange(_INLINE) >= fields[short][:, :1]
    return not (
        any(block[~seen].any() for block, seen in zip(blocks, named, strict=True))
        or views[short][:, 4:][padding].any()
    )


def _known(array: Any) -> Flags:
    marks = array.buffers()[0]
    if not array.null_count or marks is None:
        return np.ones(len(array), np.bool_)
    bits = np.unpackbits(_bytes(marks), bitorder="little", count=array.offset + len(array))
    return bits[array.offset :].astype(np.bool_)


def _bits(array: Any) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The bits of a column's cells, and those behind them."""
    bits = np.unpackbits(_bytes(array.buffers()[1]), bitorder="little")[array.offset :]
    return bits[: len(array)], bits[len(array) :]


def _fixed(array: Any, width: int) -> NDArray[np.uint8]:
    """The bytes of each cell."""
    return _bytes(array.buffers()[1])[array.offset * width :][: len(array) * width].reshape(
        -1, width
    )


def _bytes(buffer: Any) -> NDArray[np.uint8]:
    return np.frombuffer(b"" if buffer is None else buffer, np.uint8)
