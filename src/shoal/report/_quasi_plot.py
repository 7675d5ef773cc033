"""A picture of the risk: how many people an attacker with so many attributes singles out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal._atomic import atomic_path
from shoal.discover import Survey
from shoal.errors import MissingExtraError, ParameterError
from shoal.typing import PathText

_FORMATS = (".png", ".svg", ".pdf")


def plot_survey(survey: Survey, path: PathText) -> Path:
    """Draw the share of unique rows against the number of attributes that an attacker knows.

    Parameters
    ----------
    survey : Survey
        What :func:`shoal.discover.survey` found.
    path : path
        File to write; its suffix tells the format (PNG, SVG or PDF).
    """
    path = Path(path)
    if path.suffix.lower() not in _FORMATS:
        raise ParameterError(f"cannot draw {path.name!r}: end it in {', '.join(_FORMATS)}.")
    figure = _draw(survey)
    with atomic_path(path) as part:
        # without the date, the same survey gives the same file
        undated: dict[str, Any] = {
            ".png": {"Software": None},
            ".svg": {"Date": None},
            ".pdf": {"CreationDate": None},
        }[path.suffix.lower()]
        figure.savefig(part, metadata=undated)
    return path


def _draw(survey: Survey) -> Any:
    try:
        # a figure of its own, not pyplot: no window, no state shared with the user's plots
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415  optional
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing a survey") from None
    figure = Figure(figsize=(7, 4.2), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    sizes = [len(risk.attributes) for risk in survey.attacker]
    worst = [100 * risk.unique_share for risk in survey.attacker]
    label = "worst set" if survey.exhaustive else "worst set found"
    axes.plot(sizes, worst, marker="o", color="#b3362b", label=label)
    if survey.mean_unique_share:
        mean = [100 * share for share in survey.mean_unique_share]
        axes.plot(sizes, mean, marker="s", color="#37688f", label="mean over all sets")
    for size, share, risk in zip(sizes, worst, survey.attacker, strict=True):
        text = ", ".join(name.replace("$", r"\$") for name in risk.attributes)
        below = share > 50
        axes.annotate(
            text, (size, share), xytext=(0, -14 if below else 8), textcoords="offset points",
            ha="right" if size == sizes[-1] else "left", va="top" if below else "bottom",
            fontsize=7, color="#b3362b",
        )  # fmt: skip
    axes.set(xlabel="attributes the attacker knows", ylabel="unique rows, %", ylim=(0, 105))
    axes.set_xticks(sizes)
    axes.set_title(f"{survey.n_rows:,} rows", loc="left", fontsize=10)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False)
    return figure
