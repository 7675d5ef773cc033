"""How results look in a notebook: small tables of escaped text, pictures, and a bar of progress.

Nothing here knows a result: each says what its table and its bars are.
"""

from __future__ import annotations

import html
import io
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shoal._figure import (
    BLUE,
    figure_path,
    in_picture,
    new_figure,
    save_figure,
    title_above,
)

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.typing import PathText, Progress

_MUTED = "opacity:.75"
_SCROLL = "overflow-x:auto;max-width:100%"  # a wide table moves in its box, not the page
_NUMBER = re.compile(r"[-+]?[0-9][0-9,.]*( %| of [0-9,]+)?")


def html_table(title: str, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table as HTML; every text is escaped, and columns of numbers are set right.

    Examples
    --------
    >>> html_table("", ["a"], [["<b>"]]).count("&lt;b&gt;")
    1
    """
    sides = ["right" if _is_numeric(column) else "left" for column in zip(*rows, strict=True)]
    sides = sides or ["left"] * len(header)
    head = "".join(map(_head, header, sides))
    body = "".join("<tr>" + "".join(map(_cell, row, sides)) + "</tr>" for row in rows)
    caption = f"<p><strong>{_text(title)}</strong></p>" if title else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div>{caption}<div style="{_SCROLL}">{table}</div></div>'


def html_note(text: str) -> str:
    """A sentence below a table."""
    return f'<p style="{_MUTED}">{_text(text)}</p>'


def _is_numeric(column: Sequence[Any]) -> bool:
    """Whether a column holds nothing but numbers, also as people read them: `7 %`, `3 of 4`."""
    given = [value for value in column if value is not None]
    return bool(given) and all(
        _NUMBER.fullmatch(value) if isinstance(value, str) else isinstance(value, int | float)
        for value in given
    )


def _head(name: str, side: str) -> str:
    return f'<th style="text-align:{side}">{_text(name)}</th>'


def _cell(value: Any, side: str) -> str:
    shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
    if isinstance(value, float):
        shown = f"{value:,.4g}"
    return f'<td style="text-align:{side}">{_text("" if shown is None else shown)}</td>'


def _text(value: Any) -> str:
    return html.escape(str(value))


def flat_rows(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Names and values; entries of a mapping get lines of their own."""
    flat: list[list[Any]] = []
    for name, value in rows:
        if isinstance(value, Mapping):
            inner = [[f"{name}: {str(key).replace('_', ' ')}", item] for key, item in value.items()]
            flat += flat_rows(inner)
        else:
            flat.append([name, value])
    return flat


def html_measures(measures: Mapping[str, Any]) -> str:
    """What was measured, a line for each figure."""
    rows = [[name.replace("_", " "), value] for name, value in measures.items()]
    return html_table("", ["measure", "value"], flat_rows(rows))


def percent(share: float) -> str:
    """A share as people read it."""
    return f"{100 * share:.1f} %"


class Plot:
    """A picture that a notebook shows by itself, and that can be saved.

    Parameters
    ----------
    figure : matplotlib figure
        What is drawn.
    """

    def __init__(self, figure: Any) -> None:
        self.figure = figure

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png")
        return buffer.getvalue()

    def save(self, path: PathText) -> Path:
        """Write the picture; the suffix tells the format (PNG, SVG or PDF)."""
        return save_figure(self.figure, figure_path(path))


def plot_bars(title: str, names: Sequence[str], values: Sequence[float], unit: str) -> Plot:
    """A bar for each name."""
    figure = new_figure(7, 0.38 * len(names) + 1.3, "drawing a picture")
    axes = figure.subplots()
    places = range(len(names))
    bars = axes.barh(places, list(values), color=BLUE)
    axes.bar_label(bars, fmt="%.3g", padding=3, fontsize=8)
    axes.set_yticks(places, [in_picture(name) for name in names])
    widest = max((value for value in values if value > 0), default=1.0)
    axes.set(xlabel=unit, xlim=(0, 1.15 * widest), ylim=(len(names) - 0.4, -0.6))
    axes.spines[["top", "right"]].set_visible(False)
    title_above(figure, title, 90)
    return Plot(figure)


class NotebookProgress:
    """A bar below the cell that is running, gone when the work is done."""

    def __init__(self) -> None:
        self._handle: Any = None

    def __call__(self, done: int, total: int, what: str, /) -> None:
        display: Any = sys.modules["IPython.display"]
        share = f' value="{done}" max="{total}"' if total else ""
        shown = display.HTML(f"<progress{share}></progress> {_text(what)}")
        if self._handle is None:
            self._handle = display.display(shown, display_id=True)
        elif self._handle is not None:
            self._handle.update(shown)

    def close(self) -> None:
        """Take the bar away."""
        if self._handle is not None:
            self._handle.update(sys.modules["IPython.display"].HTML(""))
            self._handle = None


def notebook_progress() -> Progress | None:
    """A bar where a notebook is running; None elsewhere."""
    running = "ipykernel" in sys.modules and "IPython.display" in sys.modules
    return NotebookProgress() if running else None
