"""Templates become pages here, and nowhere else: every value is escaped on its way in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.report.figures._bars import Bar, draw_bars
from shoal.report.release.pages._numbers import at_most, exact, number, of_hundred, percent

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_FOLDER = Path(__file__).parents[2] / "templates"


def render(template: str, **context: Any) -> str:
    """The template, filled in."""
    return _environment().get_template(template).render(context)


def drawn(name: str, title: str, description: str, bars: Sequence[Bar]) -> Markup:
    """Bars as SVG, which are markup already and must not be escaped once more."""
    from markupsafe import Markup  # noqa: PLC0415  comes with Jinja

    return Markup(draw_bars(name, title, description, bars))


@cache
def _environment() -> Environment:
    # loaded by those who write a page; drawing a figure has no use for it
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    environment = Environment(
        loader=FileSystemLoader(_FOLDER, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,  # a name that is misspelt is an error, not a gap in the page
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "at_most": at_most,
        "exact": exact,
        "number": number,
        "of_hundred": of_hundred,
        "percent": percent,
    }
    return environment
