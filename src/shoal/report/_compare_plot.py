"""A picture of a comparison: what each method loses, and what a classifier still learns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal._atomic import atomic_path
from shoal.anonymize import Compared
from shoal.errors import MissingExtraError, ParameterError
from shoal.typing import PathText

_FORMATS = (".png", ".svg", ".pdf")


def plot_comparison(results: Sequence[Compared], path: PathText, *, title: str = "") -> Path:
    """Draw loss and accuracy of each method as bars; methods that failed are left out.

    Parameters
    ----------
    results : sequence of Compared
        What :func:`shoal.anonymize.compare_methods` found.
    path : path
        File to write; its suffix tells the format (PNG, SVG or PDF).
    title : str
        Written above the bars.
    """
    path = Path(path)
    if path.suffix.lower() not in _FORMATS:
        raise ParameterError(f"cannot draw {path.name!r}: end it in {', '.join(_FORMATS)}.")
    figure = _draw([result for result in results if result.loss is not None], title)
    with atomic_path(path) as part:
        undated: dict[str, Any] = {
            ".png": {"Software": None},
            ".svg": {"Date": None},
            ".pdf": {"CreationDate": None},
        }[path.suffix.lower()]
        figure.savefig(part, metadata=undated)
    return path


def _draw(results: Sequence[Compared], title: str) -> Any:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415  optional
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing a comparison") from None
    figure = Figure(figsize=(8, 0.5 * len(results) + 1.6), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, sharey=True)
    names = [result.method for result in results]
    bars = left.barh(names, [float(result.loss or 0.0) for result in results], color="#37688f")
    left.bar_label(bars, fmt="%.3g", padding=3, fontsize=8)
    left.set(xlabel="loss (0: nothing, 1: all)", xlim=(0, None))
    left.margins(x=0.15)
    left.invert_yaxis()
    scores = [100 * (result.accuracy or 0.0) for result in results]
    bars = right.barh(names, scores, color="#6a8f3b")
    shown = [
        "-" if result.accuracy is None else f"{100 * result.accuracy:.1f}" for result in results
    ]
    right.bar_label(bars, shown, padding=3, fontsize=8)
    right.set(xlabel="accuracy of a random forest, %", xlim=(0, 110))
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure
