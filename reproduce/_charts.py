"""Figures of the papers, drawn from our numbers; published lines are dashed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reproduce._evidence import Chart
from shoal._figure import COLOURS, figure_path, new_figure, save_figure
from shoal.typing import PathText

_MARKS = "os^Dv<>"


def plot_chart(chart: Chart, path: PathText) -> Path:
    """Draw one chart into a file; its suffix tells the format (PNG, SVG or PDF)."""
    path = figure_path(path)
    figure = new_figure(7, 4.2, "drawing a figure of a paper")
    axes = figure.add_subplot()
    for index, line in enumerate(chart.lines):
        axes.plot(
            line.x, line.y, label=line.name + (" (published)" if line.published else ""),
            color=COLOURS[index % len(COLOURS)], marker=_MARKS[index % len(_MARKS)], markersize=4,
            linestyle="" if line.dots else "--" if line.published else "-",
            alpha=0.75 if line.published else 1.0,
        )  # fmt: skip
    _finish(axes, chart)
    return save_figure(figure, path)


def _finish(axes: Any, chart: Chart) -> None:
    axes.set(xlabel=chart.x_label, ylabel=chart.y_label)
    if chart.log_x:
        axes.set_xscale("log")
        ticks = sorted({x for line in chart.lines for x in line.x})
        if len(ticks) <= 12:  # the values that were tried, not powers of ten
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
    if chart.log_y:
        axes.set_yscale("log")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=8)
