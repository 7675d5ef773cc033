"""Files and messages with bytes changed: each is read, or refused with an error that says why.

The corpus holds one folder of good files for each reader, and what was found: a file that once
broke a reader stays there and is read again by `test_mutations.py`.
"""

import json
import random
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from shoal.errors import ShoalError
from shoal.models._json import seal

CORPUS = Path(__file__).parent / "corpus"
CHUNK = 100
SECONDS = 60.0
"""No file as small as these may keep a reader busy for longer."""

PIECES = (
    b"\x00", b"\xff" * 8, b"\x7f\xff\xff\xff", b'"', b"'", b"\n", b",", b"[", b"]", b"{", b"}",
    b"=", b"nan", b"inf", b"-1", b"1e999", b"9" * 40, b"null", b"true", b"\xef\xbb\xbf",
    b"\xed\xa0\x80", b"..", b"# ", b'{"a":' * 50, b"[" * 300,
)  # fmt: skip


def mutate(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """Some bytes changed, dropped, doubled, cut off or put in from elsewhere."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(changed) + 1)
        size = rng.choice((1, 1, 2, 8, 64))
        match rng.randrange(7):
            case 0 if at < len(changed):
                changed[at] = rng.randrange(256)
            case 1:
                del changed[at : at + size]
            case 2:
                changed[at:at] = changed[at : at + size]
            case 3:
                changed[at:at] = rng.choice(PIECES)
            case 4:
                changed[at : at + size] = rng.choice(PIECES)
            case 5:
                del changed[at:]
            case _:
                other = rng.choice(others)
                start = rng.randrange(len(other) + 1)
                changed[at : at + size] = other[start : start + size]
    return bytes(changed)


def _file(suffix, read):
    def target(data):
        with tempfile.NamedTemporaryFile(suffix=suffix) as file:
            file.write(data)
            file.flush()
            read(file.name)

    return target


def _schema(path):
    from shoal import Schema

    schema = Schema.from_toml(path)
    assert Schema.from_dict(schema.to_dict()) == schema


def _table(path):
    from shoal import open_table

    engine = open_table(path)
    for name in engine.names:
        engine.distinct(name, 5)


def _recoding(path):
    from shoal.anonymize import load_recoding

    load_recoding(path)


def _model(path):
    from shoal.audit import load_model

    load_model(path)


def _sealed(read):
    """Whoever changes a file can write its digest anew: what lies behind that is read, too."""

    def target(data):
        try:
            content = json.loads(data)
        except (ValueError, RecursionError):
            content = None
        if isinstance(content, dict):
            data = json.dumps(seal(content)).encode()
        read(data)

    return target


def _share(path):
    from shoal.federated.kernels._share_files import read_share

    read_share(path)


def _message(data):
    from shoal.parties._wire import decode, encode

    message = decode(data)
    again = encode(message)
    assert encode(decode(again)) == again


TARGETS = {
    "toml": _file(".toml", _schema),
    "csv": _file(".csv", _table),
    "parquet": _file(".parquet", _table),
    "recoding": _file(".json", _recoding),
    "tree": _sealed(_file(".json", _model)),
    "clusters": _sealed(_file(".json", _model)),
    "bayes": _sealed(_file(".json", _model)),
    "skops": _file(".skops", _model),
    "share": _file(".share.parquet", _share),
    "message": _message,
}
"""What reads bytes of others: two of them, `share` and `message`, come over a wire."""
SLOW = {"skops": 50}
"""Readers that start a process: one of so many files is theirs."""


def try_reader(name: str, data: bytes) -> str | None:
    """What went wrong; None when the bytes were read, or refused as they should be."""
    started = time.monotonic()
    try:
        TARGETS[name](data)
    except ShoalError:
        pass
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}:{frame.lineno}"
        return f"{name}: {type(error).__name__} at {where}: {str(error)[:100]}"
    taken = time.monotonic() - started
    return f"{name}: busy for {taken:.0f} s" if taken > SECONDS else None


def corpus(name: str) -> list[bytes]:
    """The files kept for a reader."""
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


def draw(seed: int, case: int) -> tuple[str, bytes]:
    """Reader and bytes of a case."""
    rng = random.Random(f"bytes {seed}:{case}")
    name = rng.choice([n for n in TARGETS if rng.randrange(SLOW.get(n, 1)) == 0])
    kept = corpus(name)
    return name, mutate(rng, rng.choice(kept), kept)


def _chunk(seed, first, mark):
    findings = []
    for case in range(first, first + CHUNK):
        Path(mark).write_text(str(case))  # so that a process that dies says where
        name, data = draw(seed, case)
        if found := try_reader(name, data):
            findings.append((case, found))
    return findings


def fuzz_bytes(seed: int, minutes: float) -> int:
    """Mutated files until the time is up; the number of different findings."""
    end, seen, tried = time.monotonic() + 60 * minutes, Counter(), 0
    with tempfile.NamedTemporaryFile() as mark:
        while time.monotonic() < end:
            try:
                with ProcessPoolExecutor(1) as pool:
                    while time.monotonic() < end:
                        findings = pool.submit(_chunk, seed, tried, mark.name).result()
                        tried += CHUNK
                        for case, found in findings:
                            _show(seed, case, found, seen)
            except BrokenProcessPool:
                case = int(Path(mark.name).read_text())
                _show(seed, case, f"{draw(seed, case)[0]}: the process died", seen)
                tried = case + 1
    print(f"seed {seed}: {tried} mutated files, {len(seen)} findings", flush=True)  # noqa: T201
    return len(seen)


def _show(seed, case, found, seen):
    what = found[:70]
    seen[what] += 1
    if seen[what] == 1:
        line = f".venv/bin/python -m tests.fuzz --only bytes --seed {seed} --case {case}"
        print(f"{found}\n  {line}", flush=True)  # noqa: T201


def show_bytes(seed: int, case: int) -> int:
    """Read one mutated file again and say what happens; it stays in a temporary file."""
    name, data = draw(seed, case)
    with tempfile.NamedTemporaryFile(suffix=f".{name}", delete=False) as file:
        file.write(data)
    found = try_reader(name, data)
    print(f"{file.name}: {found or 'nothing found'}")  # noqa: T201
    return 1 if found else 0
