"""A picture of an audit: how many people share each span, beside k."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from shoal._figure import (
    BLUE,
    RED,
    figure_path,
    legend_above,
    new_figure,
    plain_log_ticks,
    save_figure,
)
from shoal.audit._model_audit import ModelAudit
from shoal.typing import PathText

MOST_SHAPES = 2000


def plot_audit(audit: ModelAudit, path: PathText) -> Path:
    """Draw the sizes of all spans about which the model says something private.

    Parameters
    ----------
    audit : ModelAudit
        What :func:`shoal.audit.audit` found.
    path : path
        File to write; its suffix tells the format (PNG, SVG or PDF).
    """
    path = figure_path(path)
    figure = new_figure(7, 4.2, "drawing an audit")
    axes = figure.add_subplot()
    sizes = np.sort(audit.spans.population[~audit.spans.is_single])
    color = np.where(sizes < audit.k, RED, BLUE)
    many = len(sizes) > MOST_SHAPES  # a forest may have as many spans as people
    axes.scatter(np.arange(1, len(sizes) + 1), sizes, c=color, s=14, rasterized=many)
    axes.axhline(audit.k, color="black", linewidth=0.8, linestyle="--", label=f"k = {audit.k}")
    axes.set(xlabel="span, smallest first", ylabel="people who share it", yscale="log")
    plain_log_ticks(axes.yaxis)
    legend_above(axes, f"{audit.kind}, {audit.n_rows:,} rows")
    return save_figure(figure, path)
