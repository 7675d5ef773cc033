"""What a model's file holds beside the model: bytes that nobody loads are published, too."""

from __future__ import annotations

import bz2
import io
import json
import lzma
import math
import pickle
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numpy.lib import format as npy

from shoal.errors import ShoalError, TableError

SCHEMA = "schema.json"
NODE_KEYS = {
    "__class__", "__id__", "__loader__", "__module__", "__reduce__", "_skops_version", "args",
    "attrs", "bit_generator", "bit_generator_state", "constructor", "content", "data",
    "default_factory", "file", "func", "is_json", "json", "key_types", "kwds", "mask",
    "namespace", "obj", "protocol", "seed_seq", "seed_seq_state", "shape", "start", "step", "stop",
    "type",
}  # fmt: skip
"""What skops writes about an object."""
PER_ENTRY = 200  # bytes that a zip file may need for an entry beside its name, twice, and its bytes
SPARE = 1024  # bytes, and the share, by which a pickle may exceed what the model takes
SPARE_SHARE = 0.05
LZ4 = b"\x04\x22\x4d\x18"


def check_skops_file(path: Path) -> None:
    """Raise unless every byte of a skops file belongs to the model."""
    try:
        _check_entries(path)
    except ShoalError:
        raise
    except (
        KeyError, TypeError, ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error,
        NotImplementedError, RecursionError,
    ):  # fmt: skip
        raise TableError(f"cannot read model {path.name}: it is damaged. Save it again.") from None


def _check_entries(path: Path) -> None:
    with zipfile.ZipFile(path) as file:
        names = _check_zip(path.name, file, path.stat().st_size)
        if SCHEMA not in names:
            raise _more(path.name, "it has no list of what is in it")
        said = parse_json(path.name, file.read(SCHEMA).decode("utf-8"))
        nodes = list(nodes_of(said))
        if any(not set(node) <= NODE_KEYS for node in nodes):
            raise _more(path.name, "objects have entries that skops does not write")
        used = {str(node["file"]) for node in nodes if "file" in node}
        if set(names) - used - {SCHEMA}:
            raise _more(path.name, "it has entries that the model does not use")
        for name in sorted(used):
            _check_array(path.name, name, file.read(name))


def nodes_of(data: Any) -> Iterator[dict[str, Any]]:
    """What a list of a skops file says of each object in it."""
    todo = [data]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            if "__loader__" in one:
                yield one
            todo += one.values()
        elif isinstance(one, list):
            todo += one


def _check_zip(name: str, file: zipfile.ZipFile, size: int) -> list[str]:
    entries = file.infolist()
    names = [entry.filename for entry in entries]
    if file.comment or any(entry.comment for entry in entries) or len(set(names)) < len(names):
        raise _more(name, "it has comments, or several entries of one name")
    needed = sum(entry.compress_size + 2 * len(entry.filename) + PER_ENTRY for entry in entries)
    if size > needed + PER_ENTRY:
        raise _more(name, "it is larger than its entries are")
    return names


def _check_array(name: str, entry: str, raw: bytes) -> None:
    """Raise unless an array ends where its entry ends."""
    if entry.endswith(".npz"):
        with zipfile.ZipFile(io.BytesIO(raw)) as inner:
            for own in _check_zip(name, inner, len(raw)):
                _check_array(name, own, inner.read(own))
    elif entry.endswith(".npy"):
        file = io.BytesIO(raw)
        read = (
            npy.read_array_header_1_0
            if npy.read_magic(file) == (1, 0)
            else npy.read_array_header_2_0
        )
        shape, _, dtype = read(file)
        if len(raw) - file.tell() != math.prod(shape) * dtype.itemsize and not dtype.hasobject:
            raise _more(name, "an array ends before its entry does")


def parse_json(name: str, text: str) -> Any:
    """Read JSON; a name that is given twice would hide what it is given first."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        if len(entries) < len(pairs):
            raise _more(name, "a name is given twice")
        return entries

    return json.loads(text, object_pairs_hook=once)


def load_pickle(path: Path) -> Any:
    """Load a pickle of somebody who is trusted; raise if it ends after the model does."""
    import joblib  # noqa: PLC0415  only when asked

    raw = _unpacked(path.name, path.read_bytes())
    file = io.BytesIO(raw)
    try:
        model = joblib.load(file)
    except ModuleNotFoundError as error:
        lost = str(error.name).partition(".")[0][:40]
        raise TableError(
            f"cannot read model {path.name}: it needs {lost!r}, which is not installed here. "
            "Install it, unless the file is damaged."
        ) from None
    except MemoryError:
        raise TableError(
            f"cannot read model {path.name}: it asks for more memory than there is. It is damaged, "
            "or too large for this machine."
        ) from None
    except Exception as error:  # whatever the parts of a damaged file raise
        raise TableError(
            f"cannot read model {path.name}: it is no pickle of a model "
            f"({type(error).__name__}). It is damaged, or of another version; save it again."
        ) from None
    if file.read(1):
        raise _more(path.name, "there is something behind the model")
    own = min(_sizes(model), default=len(raw))
    if len(raw) > own * (1 + SPARE_SHARE) + SPARE:
        raise _more(path.name, f"it takes {len(raw):,} bytes, and the model {own:,}")
    return model


def _sizes(model: Any) -> Iterator[int]:
    """Bytes that a model takes as joblib writes it, and as pickle does."""
    import joblib  # noqa: PLC0415  only when asked

    try:
        file = io.BytesIO()
        joblib.dump(model, file)
        sizes = (file.tell(), *(len(pickle.dumps(model, version)) for version in (2, 4, 5)))
    except Exception:  # what was read cannot be written: nothing to compare with
        return
    yield max(sizes)


def _unpacked(name: str, raw: bytes) -> bytes:
    """What is in a packed file, as joblib packs it; raise if something is behind it."""
    if raw.startswith(LZ4):
        raise _more(name, "where its packed part ends is not known")
    if raw.startswith(b"BZh"):
        opened: Any = bz2.BZ2Decompressor()
    elif raw.startswith((b"\xfd7zXZ", b"\x5d\x00")):
        opened = lzma.LZMADecompressor()
    elif raw.startswith((b"\x1f\x8b", b"\x78")):
        opened = zlib.decompressobj(47)
    else:
        return raw
    try:
        unpacked: bytes = opened.decompress(raw)
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        raise TableError(f"cannot read model {name}: it is damaged. Save it again.") from None
    if opened.unused_data:
        raise _more(name, "there is something behind the model")
    return unpacked


def _more(name: str, why: str) -> TableError:
    return TableError(
        f"{name} may hold more than the model: {why}. Load the model, save it again and audit the "
        "new file."
    )
