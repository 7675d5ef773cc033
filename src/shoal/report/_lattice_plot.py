"""A picture of a searched lattice: what every node looked at loses, and which are safe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal._atomic import atomic_path
from shoal.anonymize import Lattice
from shoal.errors import MissingExtraError, ParameterError
from shoal.typing import PathText

_UNDATED: dict[str, Any] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def plot_lattice(lattice: Lattice, path: PathText) -> Path:
    """Draw loss against the sum of levels for every node that a search looked at.

    Parameters
    ----------
    lattice : Lattice
        ``FullDomain.lattice_``.
    path : path
        File to write; its suffix tells the format (PNG, SVG or PDF).
    """
    path = Path(path)
    if path.suffix.lower() not in _UNDATED:
        raise ParameterError(f"cannot draw {path.name!r}: end it in {', '.join(_UNDATED)}.")
    figure = _draw(lattice)
    with atomic_path(path) as part:
        figure.savefig(part, metadata=_UNDATED[path.suffix.lower()])
    return path


def _draw(lattice: Lattice) -> Any:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415  optional
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing a lattice") from None
    figure = Figure(figsize=(7, 4.2), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    height = lattice.levels.sum(axis=1)
    for safe, color, label in ((False, "#b3362b", "fails"), (True, "#37688f", "safe")):
        chosen = lattice.safe == safe
        axes.scatter(height[chosen], lattice.loss[chosen], s=14, color=color, label=label)
    best = lattice.best
    axes.scatter(height[best], lattice.loss[best], s=90, marker="*", color="#d99a1c", label="best")
    axes.set(xlabel="sum of levels", ylabel="loss")
    title = f"{lattice.n_assessed:,} of {lattice.n_nodes:,} nodes looked at"
    axes.set_title(title + ("" if lattice.proven else f"; gap {lattice.gap:.0%}"), loc="left")
    axes.legend(frameon=False)
    return figure
