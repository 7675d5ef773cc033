"""What a release keeps for analysts, as one page."""

from __future__ import annotations

from pathlib import Path

from shoal._atomic import write_text
from shoal.metrics.kept._comparison import TableComparison
from shoal.report.figures._bars import Bar
from shoal.report.release.pages._numbers import percent
from shoal.report.release.pages._template import drawn, render


def comparison_page(found: TableComparison, name: str) -> str:
    """The page; it holds no value of a person."""
    columns = found.tables.columns
    bars = [Bar(one.name, percent(one.moved), (one.moved,)) for one in columns]
    picture = drawn(
        "moved", "Distributions moved", "One bar for each column, from 0 to 100 %.", bars
    )
    return render("comparison.html", name=name, found=found, picture=picture)


def write_comparison(comparison: TableComparison, path: Path, name: str) -> Path:
    """Write the page, whole or not at all."""
    write_text(path, comparison_page(comparison, name))
    return path
