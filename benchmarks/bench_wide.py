"""Tables with many columns: what an attacker can do, and releases with 100 quasi-identifiers.

Commands run in a process of their own, with compiled kernels kept from a run before.  Seconds are
those of the clock, and of the processor where it says so.  A search that is asked to end is asked
in the middle of its work.
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np

from benchmarks._row import Row

COLUMNS = 100


def main(quick: bool = False) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _quasi(folder, 5_000 if quick else 100_000, 60 if quick else 300)
        rows = 500 if quick else 20_000
        _write(folder / "wide.csv", rows, COLUMNS)
        _schema(folder / "schema.toml")
        methods = ("auto", "mondrian") if quick else ("auto", "local", "mondrian", "top-down")
        _run(folder, _anonymize("auto"))  # compiles
        for method in methods:
            yield _timed(f"anonymize -m {method}, {rows:,} x {COLUMNS}", folder, method)
        yield _timed(f"anonymize --time-limit 10, {rows:,} x {COLUMNS}", folder, "local", 10)
        yield _ended(folder, rows)


def _quasi(folder: Path, rows: int, columns: int) -> Iterator[Row]:
    _write(folder / "quasi.csv", rows, columns)
    took, processor = _run(folder, ["quasi", "quasi.csv", "-q"])
    what = f"quasi, {rows:,} x {columns}"
    yield Row(what, took, 20.0, "aim")
    yield Row(f"{what}, processor", processor)


def _timed(what: str, folder: Path, method: str, limit: float | None = None) -> Row:
    took, processor = _run(folder, _anonymize(method, limit))
    return Row(what, took, note=f"{processor:.1f} s of the processor")


def _ended(folder: Path, rows: int) -> Row:
    """Seconds from a request to end until the process is gone, in the middle of a search."""
    process = subprocess.Popen(_command(_anonymize("local")), cwd=folder)
    time.sleep(3 if rows < 1_000 else 15)
    process.send_signal(signal.SIGTERM)
    asked = time.perf_counter()
    process.wait()
    left = [path.name for path in folder.glob(".shoal-*")]
    note = f"exit code {process.returncode}, left behind: {len(left)}"
    return Row("from TERM to the end", time.perf_counter() - asked, 2.0, "aim", note=note)


def _anonymize(method: str, limit: float | None = None) -> list[str]:
    more = [] if limit is None else ["--time-limit", str(limit)]
    return ["anonymize", "wide.csv", "-s", "schema.toml", "-k", "5", "-m", method,
            "-o", "out.csv", "--force", "-q", *more]  # fmt: skip


def _command(words: list[str]) -> list[str]:
    return [sys.executable, "-m", "shoal", *words]


def _run(folder: Path, words: list[str]) -> tuple[float, float]:
    """Seconds of the clock and of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(_command(words), cwd=folder, check=True, env={**os.environ})
    took = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _write(path: Path, rows: int, columns: int) -> None:
    """Numbers, categories with a few common values, and yes or no, in turns."""
    draw = np.random.default_rng(0)
    words = np.array([f"v{i}" for i in range(8)], object)
    table = {}
    for i in range(columns):
        table[f"c{i}"] = (
            draw.integers(0, 80, rows),
            words[np.minimum(draw.geometric(0.4, rows), 8) - 1],
            words[(draw.random(rows) < 0.2).astype(np.int64)],
        )[i % 3]
    connection = duckdb.connect()
    connection.register("made", table)
    connection.sql(f"COPY (FROM made) TO '{path}' (FORMAT csv, HEADER true)")


def _schema(path: Path) -> None:
    kind = ('kind = "numeric"\n', "", "")
    path.write_text(
        "\n".join(
            f'[columns.c{i}]\nrole = "quasi-identifier"\n{kind[i % 3]}' for i in range(COLUMNS)
        )
    )
