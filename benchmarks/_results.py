"""Results as JSON: which commit, which machine, which versions, which figures."""

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks._run import HERE, Done

PACKAGES = ("shoal", "numpy", "scipy", "numba", "duckdb", "scikit-learn", "pandas", "polars",
            "pyarrow", "pycanon", "anonypy", "lifelines", "mlxtend", "fast-hdbscan")  # fmt: skip
KIND = "benchmarks"


def results(done: Sequence[Done], full: bool) -> dict[str, Any]:
    """Everything that a later run is compared with."""
    return {
        "shoal": KIND,
        "version": 1,
        "commit": commit(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "full": full,
        "machine": machine(),
        "versions": {name: found for name in PACKAGES if (found := _version(name))},
        "benchmarks": [benchmark.to_dict() for benchmark in done],
    }


def default_path(full: bool, names: Sequence[str]) -> Path:
    """`results/COMMIT.json`; a long run and one of a few benchmarks have their own names."""
    parts = [commit(), *(["full"] if full else []), *names]
    return HERE / "results" / f"{'-'.join(parts)}.json"


def write(path: Path, results: dict[str, Any]) -> None:
    """Write results."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


def read(path: Path) -> dict[str, Any]:
    """Read results; exits with a sentence where the file is none."""
    try:
        results = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise SystemExit(f"cannot read {path.name!r} as JSON") from None
    if not isinstance(results, dict) or results.get("shoal") != KIND:
        raise SystemExit(f"{path.name} holds no results of benchmarks")
    return results


def commit() -> str:
    """The commit, marked where files differ from it."""
    try:
        name = _git("rev-parse", "--short=10", "HEAD")
        return name + ("-changed" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine() -> dict[str, Any]:
    """Processor, cores, memory, system, Python."""
    found: dict[str, Any] = {
        "processor": _line("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    memory = _line("/proc/meminfo", "MemTotal")
    if memory:
        found["gigabytes"] = round(int(memory.split()[0]) / 2**20, 1)
    if hasattr(os, "getloadavg"):
        found["load"] = round(os.getloadavg()[0], 2)  # other work slows every figure
    return found


def _line(path: str, key: str) -> str:
    file = Path(path)
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return next((at.split(":", 1)[1].strip() for at in lines if at.startswith(key)), "")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _git(*words: str) -> str:
    call = ["git", *words]
    done = subprocess.run(call, cwd=HERE, capture_output=True, text=True, check=True)
    return done.stdout.strip()
