"""`shoal version`: what to put into a bug report."""

import importlib.metadata
import platform

import typer

from shoal.cli._output import output

app = typer.Typer()

_PACKAGES = ("numpy", "scipy", "numba", "narwhals", "duckdb", "scikit-learn", "jinja2", "typer",
             "pandas", "polars", "pyarrow", "pyspark")  # fmt: skip


@app.command()
def version() -> None:
    """Say which version this is, and which versions it runs with."""
    versions = {"shoal": _installed("shoal"), "python": platform.python_version()}
    versions |= {name: _installed(name) for name in _PACKAGES}
    out = output()
    out.emit(versions, lambda: out.table("", ["package", "version"], list(versions.items())))


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
