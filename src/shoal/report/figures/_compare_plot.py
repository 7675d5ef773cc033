"""A picture of a comparison: what each method loses, and what a classifier still learns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal._figure import (
    BLUE,
    figure_path,
    for_the_house,
    new_figure,
    save_figure,
    title_above,
)
from shoal.anonymize._compare import MethodResult
from shoal.typing import PathText


def plot_comparison(results: Sequence[MethodResult], path: PathText, *, title: str = "") -> Path:
    """Draw loss and accuracy of each method as bars; methods that failed are left out.

    Parameters
    ----------
    results : sequence of MethodResult
        What :func:`shoal.anonymize.compare_methods` found.
    path : path
        File to write; its suffix tells the format (PNG, SVG or PDF).
    title : str
        Written above the bars.
    """
    path = figure_path(path)
    figure = _draw([result for result in results if result.loss is not None], title)
    return save_figure(figure, path)


def _draw(results: Sequence[MethodResult], title: str) -> Any:
    figure = new_figure(8, 0.5 * len(results) + 1.6, "drawing a comparison")
    left, right = figure.subplots(1, 2, sharey=True)
    names = [result.method for result in results]
    losses = [float(result.loss or 0.0) for result in results]
    bars = left.barh(names, losses, color=BLUE)
    left.bar_label(bars, fmt="%.3g", padding=3, fontsize=8)
    widest = 1.2 * (max(losses, default=0.0) or 1.0)  # room for the number behind it
    left.set(xlabel="loss (0: nothing, 1: all)", xlim=(0, widest))
    left.invert_yaxis()
    scores = [100 * (result.accuracy or 0.0) for result in results]
    bars = right.barh(names, scores, color="#6a8f3b")
    shown = [
        "-" if result.accuracy is None else f"{100 * result.accuracy:.1f}" for result in results
    ]
    right.bar_label(bars, shown, padding=3, fontsize=8)
    right.set(xlabel="accuracy of a random forest, %", xlim=(0, 110))
    title_above(figure, title, 105)
    for_the_house(figure)
    return figure
