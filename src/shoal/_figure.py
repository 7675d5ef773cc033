"""Figures as files: a canvas without a window, and the same bytes for the same picture."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from shoal._atomic import atomic_path
from shoal.errors import MissingExtraError, ParameterError

if TYPE_CHECKING:  # loads numpy, which `--help` has no use for
    from shoal.typing import PathText

BLUE, RED, GREEN = "#37688f", "#b3362b", "#5b8c3a"
COLOURS = (BLUE, RED, GREEN, "#8a5a9e", "#c98a1b", "#4aa3a2", "#7a7a7a")
MARKERS = "os^Dv"
"""Beside colours, for who cannot tell those apart; of both together there are 35."""

_UNDATED: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def figure_path(path: PathText) -> Path:
    """The path, if its suffix is a format that can be drawn; an error before any work if not."""
    path = Path(path)
    if path.suffix.lower() not in _UNDATED:
        raise ParameterError(f"cannot draw {path.name!r}: end it in {', '.join(_UNDATED)}.")
    return path


def new_figure(width: float, height: float, purpose: str) -> Any:
    """An empty matplotlib figure, apart from the user's own plots.

    Parameters
    ----------
    width, height : float
        Inches.
    purpose : str
        What cannot be done without matplotlib, for the error that says so.
    """
    try:
        # a figure of its own, not pyplot: no window, no state shared with the user's plots
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415  optional
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", purpose) from None
    figure = Figure(figsize=(width, height), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def in_picture(name: str, most: int = 32) -> str:
    """A name as there is room for it; between dollars, matplotlib would read a formula."""
    words = " ".join(name.split())
    return (words if len(words) <= most else f"{words[: most - 1]}…").replace("$", r"\$")


def title_above(figure: Any, title: str, letters: int) -> None:
    """A title over the whole figure, in as many lines as it needs."""
    lines = wrap(title, letters) or [""]
    figure.suptitle("\n".join(lines).replace("$", r"\$"), x=0.01, ha="left", fontsize=10)


def legend_above(axes: Any, title: str) -> None:
    """A title, and below it the legend above the picture, where it hides no line."""
    axes.set_title(title, loc="left", fontsize=10, pad=26)
    handles, names = axes.get_legend_handles_labels()
    axes.legend(
        handles, names, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(names)
    )


def for_the_house(figure: Any) -> None:
    """Say below a picture that it is measured against the raw table, and not to be published."""
    said = "Measured against the raw table: for the house, not to be published."
    figure.supxlabel(said, x=0.01, ha="left", fontsize=7, color="#666666")


def plain_log_ticks(axis: Any) -> None:
    """Write the ticks of a logarithmic axis as numbers: 3,000, not 3x10^3."""
    from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: PLC0415  optional

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def save_figure(figure: Any, path: Path) -> Path:
    """Write a figure, whole or not at all; no date and no random names inside."""
    import matplotlib  # noqa: PLC0415  optional, and there if a figure is

    with atomic_path(path) as part, matplotlib.rc_context({"svg.hashsalt": "shoal"}):
        figure.savefig(part, metadata=_UNDATED[path.suffix.lower()])
    return path
