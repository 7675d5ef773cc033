"""Numbers on pages come from files: fill them in, or say which ones do not agree.

A marker names a file under docs/evidence, the place of a number in it, and how to write it::

    <!-- evidence: speed.json rows[bench=trees][what=ID3 on Adult].ratio as .2f -->0.83<!-- / -->

A place is made of names joined by dots; `[name=value]` keeps the entries of a list in which `name`
is `value` (one must be left), `[3]` picks the fourth.  Without `as`, texts stand as they are and
numbers as Python writes them.

`python docs/fill.py` writes the numbers into README.md and all pages; `--check` only compares, and
exits with 1 when a page says something else.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MARKER = re.compile(
    r"(<!-- evidence: (?P<file>\S+) (?P<place>.*?)(?: as (?P<form>\S+))? -->)"
    r"(?P<shown>.*?)(<!-- / -->)"
)
_STEP = re.compile(r"\[(?P<pick>[^\]]+)\]|\.?(?P<name>[^.\[]+)")


def look_up(data: Any, place: str) -> Any:
    """What stands at a place; a KeyError that says where the way ends."""
    for step in _STEP.finditer(place):
        try:
            data = _follow(data, step)
        except (KeyError, IndexError, TypeError, ValueError):
            raise KeyError(f"nothing at {step.group()!r} of {place!r}") from None
    return data


def _follow(data: Any, step: re.Match[str]) -> Any:
    pick = step["pick"]
    if pick is None:
        (data,) = data if isinstance(data, list) else [data]  # one entry is left, or it is unclear
        return data[step["name"]]
    name, equals, value = pick.partition("=")
    return [entry for entry in data if str(entry[name]) == value] if equals else data[int(pick)]


def fill(text: str, folder: Path) -> str:
    """The text with every marked number taken from the files in `folder`."""

    def write(found: re.Match[str]) -> str:
        data = json.loads((folder / found["file"]).read_text("utf-8"))
        value = look_up(data, found["place"])
        shown = format(value, found["form"]) if found["form"] else str(value)
        return f"{found[1]}{shown}<!-- / -->"

    return MARKER.sub(write, text)


def pages() -> Iterator[Path]:
    """README and all pages but those of the evidence itself."""
    yield ROOT / "README.md"
    evidence = ROOT / "docs" / "evidence"
    yield from (p for p in sorted((ROOT / "docs").rglob("*.md")) if evidence not in p.parents)


def main(arguments: list[str]) -> int:
    """Fill in or compare every page; the exit code."""
    differing = []
    for page in pages():
        text = page.read_text("utf-8")
        filled = fill(text, ROOT / "docs" / "evidence")
        if filled != text:
            differing.append(page.relative_to(ROOT))
            if "--check" not in arguments:
                page.write_text(filled, "utf-8")
    for page in differing:
        sys.stderr.write(f"{page}: numbers differ from docs/evidence\n")
    return int("--check" in arguments and bool(differing))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
