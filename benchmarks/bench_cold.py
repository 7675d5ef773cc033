"""The first release after an installation: `shoal anonymize` with an empty cache, every method.

The package is installed into a folder of its own, as pip does it for users, which compiles its
kernels.  Beside that, the same without these: small tables run as plain Python where nothing is
compiled yet.
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
from shoal.datasets import census
from shoal.datasets._census import census_schema

AIM = 8.0
ROOT = Path(__file__).parents[1]


def main(quick: bool = False) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        plain = _install(folder / "without", kernels=False)
        with_kernels = _install(folder / "installed", kernels=True)
        yield Row("installation, its kernels compiled", with_kernels, plain, "without kernels")
        for n_rows in (1_000,) if quick else (1_000, 3_000):
            table = census(n_rows).to_file(folder / f"people{n_rows}.csv")
            census_schema().to_toml(table.with_suffix(".toml"))
            for method in METHODS:
                what = f"first release of {n_rows:,} rows, {method}"
                yield Row(what, _release(folder / "installed", table, method), AIM, "the aim")
                without = _release(folder / "without", table, method)
                yield Row(f"{what}, installed without kernels", without, AIM, "the aim")


def _install(folder: Path, kernels: bool) -> float:
    """Install the package alone, what it needs being there; returns the seconds that it took."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
               "--no-build-isolation", "--target", str(folder), str(ROOT)]  # fmt: skip
    changed = {"SHOAL_BUILD_KERNELS": str(int(kernels))}
    started = perf_counter()
    subprocess.run(command, check=True, env=os.environ | changed)
    return perf_counter() - started


def _release(installed: Path, table: Path, method: str) -> float:
    """Seconds of a release of a table with a cache that is empty."""
    command = [sys.executable, "-m", "shoal", "anonymize", str(table), "--schema",
               str(table.with_suffix(".toml")), "-k", "10", "--method", method, "--out",
               str(table.with_name("out.csv")), "--force", "--quiet"]  # fmt: skip
    with tempfile.TemporaryDirectory() as cache:
        changed = {"XDG_CACHE_HOME": cache, "PYTHONPATH": str(installed), "SHOAL_JIT_SHIPPED": "1"}
        started = perf_counter()
        subprocess.run(command, check=True, env=os.environ | changed, cwd=cache)
        return perf_counter() - started
