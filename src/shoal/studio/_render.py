"""Pages out of plain values: every value is escaped, and a name that is misspelt is an error."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from shoal.studio._texts import load_texts

_FOLDER = Path(__file__).parent / "templates"


def render(template: str, **values: Any) -> str:
    """The page."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"t": load_texts()}
    environment.filters |= {
        "number": number, "percent": percent, "moment": moment, "size": size, "say": say,
        "seconds": seconds, "plain": plain, "sentence": sentence,
    }  # fmt: skip
    return environment


def number(value: Any) -> Markup:
    """A number, as English writes it; a script writes it as the reader's language does."""
    if value is None:
        return Markup("–")  # noqa: RUF001
    shown = f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
    return Markup('<data class="number" value="{}">{}</data>').format(value, shown)


def percent(share: Any, digits: int = 1) -> Markup:
    """A share; what is not zero never looks like it."""
    if share is None:
        return Markup("–")  # noqa: RUF001
    least = 10.0 ** -(digits + 2)
    shown = f"<{100 * least:.{digits}f} %" if 0 < share < least else f"{100 * share:.{digits}f} %"
    template = '<data class="percent" value="{}">{}</data>'
    return Markup(template).format(f"{share:.6g}", shown)


def plain(value: float) -> str:
    """A number for a field: as short as it can be, and read back as the same."""
    return str(int(value)) if value == int(value) else repr(value)


def moment(text: str) -> Markup:
    """A time in UTC; a script writes it as the reader's language and clock do."""
    shown = text.replace("T", " ").removesuffix("+00:00")
    return Markup('<time datetime="{}">{}</time>').format(text, shown)


def size(value: float | None) -> Markup:
    """Bytes, as people say them."""
    if value is None:
        return Markup()
    units = ["B", "kB", "MB", "GB", "TB"]
    while value >= 1000 and len(units) > 1:
        value = value / 1000
        units.pop(0)
    shown = f"{value:.0f} B" if units[0] == "B" else f"{value:.1f} {units[0]}"
    return Markup('<span class="figures">{}</span>').format(shown)


def seconds(value: float | None) -> str:
    """A time to wait."""
    if value is None:
        return ""
    return f"{value:.0f} s" if value < 90 else f"{value / 60:.0f} min"


def say(text: str, **values: Any) -> Markup:
    """A text of the texts' file with values put in, each escaped."""
    return Markup(escape(text)).format(**values)


def sentence(text: str) -> str:
    """What an error says, where it stands alone; a letter alone (k) and a name with signs stay."""
    first = text.partition(" ")[0]
    is_word = first == "a" or (len(first) > 1 and first.isalpha())
    return text[:1].upper() + text[1:] if is_word else text
