"""Where the marks of a chart lie; templates draw them, and a table beside says the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH, HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 16, 44


def frontier_chart(points: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Detail lost against the chance to find a person, one line per method.

    Examples
    --------
    >>> point = {"method": "local", "k": 5, "gcp": 0.2, "highest_risk": 0.2}
    >>> chart = frontier_chart([point])
    >>> [(mark["x"], mark["method"]) for mark in chart["marks"]]
    [(340.0, 'local')]
    """
    good = [p for p in points if p.get("gcp") is not None and p.get("highest_risk")]
    risks = [math.log10(p["highest_risk"]) for p in good]
    low, high = (min(risks), max(risks)) if risks else (-2.0, 0.0)
    margin = 0.03 * (high - low) if high - low > 1e-9 else 0.5
    low, high = low - margin, high + margin  # no mark lies on the axis and its numbers
    most = max([p["gcp"] for p in good], default=0.0) or 1.0
    top = _round_up(most)
    names = list(dict.fromkeys(p["method"] for p in points))

    def x(risk: float) -> float:
        share = (math.log10(risk) - low) / (high - low)
        return round(_LEFT + share * (WIDTH - _LEFT - _RIGHT), 1)

    def y(lost: float) -> float:
        return round(HEIGHT - _BOTTOM - lost / top * (HEIGHT - _TOP - _BOTTOM), 1)

    marks = [
        {
            "x": x(p["highest_risk"]), "y": y(p["gcp"]), "method": p["method"], "k": p["k"],
            "series": names.index(p["method"]) % 8, "lost": p["gcp"], "risk": p["highest_risk"],
        }
        for p in good
    ]  # fmt: skip
    return {
        "width": WIDTH, "height": HEIGHT, "left": _LEFT, "bottom": HEIGHT - _BOTTOM,
        "right": WIDTH - _RIGHT, "top": _TOP, "marks": marks,
        "names": [{"name": name, "series": names.index(name) % 8} for name in names],
        "lines": [_line(marks, name) for name in names],
        "x_ticks": [{"x": x(r), "risk": r} for r in _risk_ticks(low, high)],
        "y_ticks": [{"y": y(top * i / 4), "lost": top * i / 4} for i in range(5)],
    }  # fmt: skip


def _line(marks: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    own = sorted((m for m in marks if m["method"] == name), key=lambda m: m["x"])
    points = " ".join(f"{m['x']},{m['y']}" for m in own)
    return {"points": points, "series": own[0]["series"] if own else 0}


def _risk_ticks(low: float, high: float) -> list[float]:
    ticks = [1 / n for n in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 5000)]
    return [risk for risk in ticks if low - 1e-9 <= math.log10(risk) <= high + 1e-9]


def _round_up(share: float) -> float:
    steps = (0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
    return next((step for step in steps if share <= step), share)


def scatter_chart(nodes: Sequence[Sequence[Any]], best: Mapping[str, Any]) -> dict[str, Any]:
    """Nodes of a lattice: sum of levels against loss."""
    heights = [node[0] for node in nodes] or [0]
    losses = [node[1] for node in nodes] or [1.0]
    low, high = min(heights), max(max(heights), min(heights) + 1)
    top = max(losses) or 1.0

    def place(height: float, loss: float) -> tuple[float, float]:
        x = _LEFT + (height - low) / (high - low) * (WIDTH - _LEFT - _RIGHT)
        return round(x, 1), round(HEIGHT - _BOTTOM - loss / top * (HEIGHT - _TOP - _BOTTOM), 1)

    return {
        "width": WIDTH, "height": HEIGHT, "left": _LEFT, "bottom": HEIGHT - _BOTTOM,
        "right": WIDTH - _RIGHT, "top": _TOP,
        "nodes": [[*place(height, loss), safe] for height, loss, safe in nodes],
        "best": place(best["height"], best["loss"]),
        "x_ticks": [{"x": place(h, 0)[0], "height": h} for h in range(low, high + 1)],
        "y_ticks": [{"y": place(low, top * i / 4)[1], "lost": top * i / 4} for i in range(5)],
    }  # fmt: skip
