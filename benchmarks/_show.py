"""Tables of text."""

from collections.abc import Iterable, Iterator, Sequence

from benchmarks._run import Done

HEAD = ("benchmark", "what", "ours", "peer", "peer's figure", "ours / peer", "unit", "note")


def figures(done: Iterable[Done]) -> Iterator[Sequence[str]]:
    """The rows of every benchmark, as text."""
    for benchmark in done:
        for row in benchmark.rows:
            yield (
                benchmark.name,
                row.what,
                figure(row.ours),
                row.peer_name if row.peer is not None or row.note else "",
                figure(row.peer),
                figure(row.ratio),
                row.unit,
                row.note,
            )


def figure(value: float | None) -> str:
    """A number to three digits, large ones in full."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as Markdown, its columns aligned."""
    cells = [list(head), *([c.replace("|", "/") for c in row] for row in rows)]
    widths = [max(3, *(len(row[at]) for row in cells)) for at in range(len(head))]
    cells.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"
        for row in cells
    )
