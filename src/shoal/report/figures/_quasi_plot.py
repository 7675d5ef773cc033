"""A picture of the risk: how many people an attacker with so many attributes singles out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal._figure import (
    BLUE,
    RED,
    figure_path,
    for_the_house,
    in_picture,
    legend_above,
    new_figure,
    save_figure,
)
from shoal.discover._survey import Survey
from shoal.typing import PathText

_LETTERS = 44
"""That a line of names may have beside a point."""


def plot_survey(survey: Survey, path: PathText) -> Path:
    """Draw the share of unique rows against the number of attributes that an attacker knows.

    Parameters
    ----------
    survey : Survey
        What :func:`shoal.discover.survey` found.
    path : path
        File to write; its suffix tells the format (PNG, SVG or PDF).
    """
    path = figure_path(path)
    figure = _draw(survey)
    return save_figure(figure, path)


def _draw(survey: Survey) -> Any:
    figure = new_figure(7, 4.2, "drawing a survey")
    axes = figure.add_subplot()
    sizes = [len(risk.attributes) for risk in survey.attacker]
    worst = [100 * risk.unique_share for risk in survey.attacker]
    label = "worst set" if survey.exhaustive else "worst set found"
    axes.plot(sizes, worst, marker="o", color=RED, label=label)
    if survey.mean_unique_share:
        mean = [100 * share for share in survey.mean_unique_share]
        axes.plot(sizes[: len(mean)], mean, marker="s", color=BLUE, label="mean over all sets")
    for size, share, risk in zip(sizes, worst, survey.attacker, strict=True):
        below = share > 50
        said = axes.annotate(
            _in_lines(risk.attributes), (size, share), xytext=(0, -14 if below else 8),
            textcoords="offset points", ha="right" if 2 * size > sizes[-1] + 1 else "left",
            va="top" if below else "bottom", fontsize=7, color=RED,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
        )  # fmt: skip
        said.set_in_layout(False)  # it lies inside; the axes get no smaller for it
    axes.set(xlabel="attributes the attacker knows", ylabel="unique rows, %", ylim=(0, 105))
    axes.set_xticks(sizes)
    axes.grid(axis="y", alpha=0.3)
    legend_above(axes, f"{survey.n_rows:,} rows")
    for_the_house(figure)
    return figure


def _in_lines(names: Sequence[str]) -> str:
    lines: list[str] = []
    for name in (in_picture(name, 24) for name in names):
        if lines and len(lines[-1]) + len(name) < _LETTERS:
            lines[-1] += f", {name}"
        else:
            lines.append(name)
    return ",\n".join(lines)
