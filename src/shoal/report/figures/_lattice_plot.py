"""A picture of a searched lattice: what every node looked at loses, and which are safe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal._figure import (
    BLUE,
    RED,
    figure_path,
    for_the_house,
    legend_above,
    new_figure,
    save_figure,
)
from shoal.anonymize.lattice._lattice import Lattice
from shoal.typing import PathText


def plot_lattice(lattice: Lattice, path: PathText) -> Path:
    """Draw loss against the sum of levels for every node that a search looked at.

    Parameters
    ----------
    lattice : Lattice
        ``FullDomain.lattice_``.
    path : path
        File to write; its suffix tells the format (PNG, SVG or PDF).
    """
    path = figure_path(path)
    figure = _draw(lattice)
    return save_figure(figure, path)


def _draw(lattice: Lattice) -> Any:
    figure = new_figure(7, 4.2, "drawing a lattice")
    axes = figure.add_subplot()
    height = lattice.levels.sum(axis=1)
    for safe, color, label in ((False, RED, "fails"), (True, BLUE, "safe")):
        chosen = lattice.safe == safe
        axes.scatter(height[chosen], lattice.loss[chosen], s=14, color=color, label=label)
    best = lattice.best
    axes.scatter(height[best], lattice.loss[best], s=90, marker="*", color="#d99a1c", label="best")
    axes.set(xlabel="sum of levels", ylabel="loss")
    title = f"{lattice.n_assessed:,} of {lattice.n_nodes:,} nodes looked at"
    legend_above(axes, title + ("" if lattice.proven else f"; gap {lattice.gap:.0%}"))
    for_the_house(figure)
    return figure
