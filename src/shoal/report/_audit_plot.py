"""A picture of an audit: how many people share each span, beside k."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from shoal._atomic import atomic_path
from shoal.audit import ModelAudit
from shoal.errors import MissingExtraError, ParameterError
from shoal.typing import PathText

_UNDATED: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def plot_audit(audit: ModelAudit, path: PathText) -> Path:
    """Draw the sizes of all spans about which the model says something private.

    Parameters
    ----------
    audit : ModelAudit
        What :func:`shoal.audit.audit` found.
    path : path
        File to write; its suffix tells the format (PNG, SVG or PDF).
    """
    path = Path(path)
    if path.suffix.lower() not in _UNDATED:
        raise ParameterError(f"cannot draw {path.name!r}: end it in {', '.join(_UNDATED)}.")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415  optional
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing an audit") from None
    figure = Figure(figsize=(7, 4.2), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    sizes = np.sort(audit.spans.population[~audit.spans.is_single])
    color = np.where(sizes < audit.k, "#b3362b", "#37688f")
    axes.scatter(np.arange(1, len(sizes) + 1), sizes, c=color, s=14)
    axes.axhline(audit.k, color="black", linewidth=0.8, linestyle="--", label=f"k = {audit.k}")
    axes.set(xlabel="span, smallest first", ylabel="people who share it", yscale="log")
    axes.set_title(f"{audit.kind}, {audit.n_rows:,} rows", loc="left", fontsize=10)
    axes.legend(frameon=False)
    with atomic_path(path) as part:
        figure.savefig(part, metadata=_UNDATED[path.suffix.lower()])
    return path
