"""Draw the pictures of the README from real results, so that they are never out of date.

`python docs/pictures.py` writes docs/images/*.svg; `--check` exits with 1 when one would differ.
"""

import sys
from html import escape
from pathlib import Path

from shoal import Schema
from shoal.anonymize import LocalRecoding
from shoal.privacy import KAnonymity

IMAGES = Path(__file__).parent / "images"
PEOPLE = {
    "name": ["Ada", "Ben", "Cleo", "Dora", "Emil", "Finn"],
    "age": [34, 36, 31, 58, 52, 55],
    "postcode": ["10115", "10117", "10119", "80331", "80333", "80335"],
    "illness": ["asthma", "flu", "flu", "gout", "asthma", "flu"],
}
SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "age": {
            "role": "quasi-identifier",
            "kind": "numeric",
            "hierarchy": {"intervals": [10, 20]},
        },
        "postcode": {"role": "quasi-identifier", "hierarchy": {"prefix": [3, 2]}},
        "illness": {"role": "sensitive"},
    }
)
GROUPS = ("#0d9488", "#b45309")
ROW, WIDTH, TOP = 26, (70, 74, 92, 86), 66


def before_after() -> str:
    """Six people, and the same six hiding among three each."""
    table = LocalRecoding(SCHEMA, KAnonymity(3), ranges="nodes").fit_transform(_relation())
    after = [list(map(str, row)) for row in table.fetchall()]
    before = [list(map(str, row)) for row in zip(*PEOPLE.values(), strict=True)]
    keys = list(dict.fromkeys((row[0], row[1]) for row in after))
    colours = [GROUPS[keys.index((row[0], row[1])) % len(GROUPS)] for row in after]
    left = _table(before, list(PEOPLE), 20, ["#64748b"] * len(before), WIDTH)
    right = _table(after, list(PEOPLE)[1:], 420, colours, WIDTH[1:])
    text = (
        f'<text x="20" y="28" class="title">What the hospital has</text>'
        f'<text x="420" y="28" class="title">What it publishes: groups of three</text>'
        f'<text x="372" y="{TOP + 3 * ROW}" class="arrow">&#8594;</text>'
    )
    style = (
        "text{font:14px system-ui,sans-serif;fill:#334155}.title{font-weight:600}"
        ".head{fill:#64748b;font-size:12px}.arrow{font-size:28px}"
        "@media(prefers-color-scheme:dark){text{fill:#e2e8f0}.head{fill:#94a3b8}}"
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 240" role="img" '
        'aria-label="A table of six people with names, and its release in two groups of three">'
        f"<style>{style}</style>{text}{left}{right}</svg>\n"
    )


def _relation() -> object:
    import duckdb  # noqa: PLC0415  comes with shoal

    rows = ", ".join(str(row) for row in zip(*PEOPLE.values(), strict=True))
    return duckdb.sql(f"SELECT * FROM (VALUES {rows}) AS people({', '.join(PEOPLE)})")


def _table(
    rows: list[list[str]], names: list[str], x: int, colours: list[str], widths: tuple[int, ...]
) -> str:
    parts = []
    for row, (cells, colour) in enumerate(zip(rows, colours, strict=True)):
        y = TOP + row * ROW
        parts.append(f'<rect x="{x - 8}" y="{y - 18}" width="4" height="24" fill="{colour}"/>')
        parts += _texts(cells, x, y, widths, "")
    return "".join([*_texts(names, x, TOP - 22, widths, "head"), *parts])


def _texts(cells: list[str], x: int, y: int, widths: tuple[int, ...], kind: str) -> list[str]:
    places = [x + sum(widths[:column]) for column in range(len(cells))]
    shown = zip(places, cells, strict=True)
    return [
        f'<text x="{left}" y="{y}" class="{kind}">{escape(cell)}</text>' for left, cell in shown
    ]


PICTURES = {"before-after.svg": before_after}


def main(arguments: list[str]) -> int:
    """Draw or compare every picture; the exit code."""
    differing = 0
    for name, draw in PICTURES.items():
        path, drawn = IMAGES / name, draw()
        if not path.exists() or path.read_text("utf-8") != drawn:
            differing += 1
            if "--check" not in arguments:
                path.write_text(drawn, "utf-8")
    return int("--check" in arguments and differing > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
