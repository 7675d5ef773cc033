"""The first release on a new machine: `shoal anonymize` with an empty cache, every method.

Small tables run as plain Python where nothing is compiled yet; the peer is the same command when
everything was compiled before.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from benchmarks._row import Row
from shoal.anonymize._registry import METHODS
from shoal.datasets import census, census_schema

AIM = 8.0


def main(quick: bool = False) -> Iterator[Row]:
    for n_rows in (1_000,) if quick else (1_000, 2_000):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            table = census(n_rows).to_file(folder / "people.csv")
            census_schema().to_toml(folder / "people.toml")
            for method in METHODS:
                what = f"first release of {n_rows:,} rows, {method}"
                cold = _release(table, method, folder / f"cache-{method}")
                yield Row(what, cold, AIM, "the aim")
                if not quick:
                    warm = min(_release(table, method, None) for _ in range(2))
                    yield Row(f"{what}, beside a warm one", cold, warm, "everything compiled")


def _release(table: Path, method: str, cache: Path | None) -> float:
    command = [sys.executable, "-m", "shoal", "anonymize", str(table), "--schema",
               str(table.with_suffix(".toml")), "-k", "10", "--method", method, "--out",
               str(table.with_name("out.csv")), "--force", "--quiet"]  # fmt: skip
    changed = {"SHOAL_JIT_INTERPRET": "0"} if cache is None else {"XDG_CACHE_HOME": str(cache)}
    started = perf_counter()
    subprocess.run(command, check=True, env=os.environ | changed)
    return perf_counter() - started
