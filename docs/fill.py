"""Numbers on pages come from files: write them in, or say which pages do not agree.

A page marks a whole block, which a reader of the source can skip::

    <!-- generated: speed -->
    ...
    <!-- end -->

What stands in between is `docs/blocks/speed.md`, a Jinja2 template, filled in.  A template asks for
a number with ``{{ evidence('speed.json', 'rows[bench=trees][what=ID3 on Adult].ratio', '.2f') }}``:
a file under docs/evidence, a place in it, and a format.  A place is made of names joined by dots;
`[name=value]` keeps the entries of a list in which `name` is `value` (one must be left), `[3]`
picks the fourth.  Without a format, texts stand as they are and numbers as Python writes them.

`python docs/fill.py` writes the blocks into README.md and all pages; `--check` only compares, and
exits with 1 when a page says something else.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(
    r"(?P<open><!-- generated: (?P<name>[\w-]+) -->\n)(?P<shown>.*?)(?P<close>\n<!-- end -->)", re.S
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
    """The text with every generated block rendered; `folder` holds `blocks` and `evidence`."""

    def evidence(file: str, place: str, form: str = "") -> str:
        data = json.loads((folder / "evidence" / file).read_text("utf-8"))
        return format(look_up(data, place), form)

    templates = Environment(loader=FileSystemLoader(folder / "blocks"), undefined=StrictUndefined)

    def write(block: re.Match[str]) -> str:
        shown = templates.get_template(f"{block['name']}.md").render(evidence=evidence)
        return f"{block['open']}{shown.strip()}{block['close']}"

    return BLOCK.sub(write, text)


def pages() -> Iterator[Path]:
    """README and all pages but those of the evidence itself and the templates."""
    yield ROOT / "README.md"
    generated = {ROOT / "docs" / "evidence", ROOT / "docs" / "blocks"}
    yield from (p for p in sorted((ROOT / "docs").rglob("*.md")) if not generated & {*p.parents})


def main(arguments: list[str]) -> int:
    """Fill in or compare every page; the exit code."""
    differing = []
    for page in pages():
        text = page.read_text("utf-8")
        filled = fill(text, ROOT / "docs")
        if filled != text:
            differing.append(page.relative_to(ROOT))
            if "--check" not in arguments:
                page.write_text(filled, "utf-8")
    for page in differing:
        sys.stderr.write(f"{page}: numbers differ from docs/evidence\n")
    return int("--check" in arguments and bool(differing))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
