"""First looks at a table: its columns at once, exact counts soon after, roles with reasons."""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shoal._resources import scratch
from shoal.errors import ShoalError, TableWarning
from shoal.studio.work._bench import Args, Bench, source_of
from shoal.studio.work._registered import task
from shoal.tables import open_table
from shoal.tables._open import open_relation
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.typing import Progress

_SAMPLE = 20_000
"""Rows of the first look."""
_HEAD = 4_000_000
"""Bytes of a large text file that the first look takes."""
_SMALL = 100_000
"""Rows up to which the values of every column are counted."""
_FEW = 200
"""Values of a column, estimated, up to which they are counted in larger tables."""
_QUICK = 2_000_000
"""Rows up to which that takes no time to speak of."""
_TEXTS = (".csv", ".tsv", ".txt", ".data")


@task("glance")
def glance(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Names, sorts and missing values from the first rows; of a large text its head alone."""
    progress(0, 0, "opening the table")
    head = look_at_head(args)
    if head is not None:
        return head
    engine = bench.relation(args)
    sample = _count(engine, f"(SELECT * FROM source LIMIT {_SAMPLE})")
    seen = sample["rows"]
    told = {"exact": seen < _SAMPLE, "rows_exact": True, "sampled": seen}
    # whatever is open tells its number of rows without reading them
    return sample | told | {"rows": engine.n_rows, "notes": bench.notes(args)}


def look_at_head(args: Args) -> dict[str, Any] | None:
    """The same from the first lines of a large text file; None where that is no good."""
    path = Path(args["table"])
    if not path.is_file() or path.suffix.lower() not in _TEXTS or path.stat().st_size < 4 * _HEAD:
        return None
    with path.open("rb") as file:
        head = file.read(_HEAD)
    head = head[: head.rfind(b"\n") + 1]
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or not head:  # two bytes for each sign
        return None
    with TemporaryDirectory(dir=scratch()) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)  # told of the whole file, soon
        part = Path(folder) / path.name
        part.write_bytes(head)
        try:
            counted = _count(open_relation(open_table(source_of(args, str(part)))), "source")
        except ShoalError:  # a row of many lines was cut, say: the whole file will tell
            return None
    about = round(counted["rows"] * path.stat().st_size / len(head))
    told = {"exact": False, "rows_exact": False, "sampled": counted["rows"], "notes": []}
    return counted | told | {"rows": about}


@task("look")
def look(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """The same from all rows."""
    progress(0, 0, "counting all rows")
    told = {"exact": True, "rows_exact": True, "notes": bench.notes(args)}
    return _count(bench.relation(args), "source") | told


def _count(engine: DuckEngine, rows: str) -> dict[str, Any]:
    names, types, titles = engine.names, engine.types, engine.titles
    asked = ["count(*) AS n"]
    for index, name in enumerate(names):
        value = engine.value_sql(name)
        asked += [f"count({value}) AS p{index}", f"approx_count_distinct({value}) AS d{index}"]
    counts = engine.fetch(f"SELECT {', '.join(asked)} FROM {rows} AS source")
    total = int(counts["n"][0])
    about = [int(counts[f"d{index}"][0]) for index in range(len(names))]
    exact = _count_few(engine, rows, total, about)
    return {
        "rows": total,
        "columns": [
            {
                "name": name,
                "sort": types[name],
                "title": titles.get(name, ""),
                "missing": total - int(counts[f"p{index}"][0]),
                # an estimate may exceed what there is
                "distinct": exact.get(index, min(about[index], int(counts[f"p{index}"][0]))),
                "distinct_exact": index in exact,
            }
            for index, name in enumerate(names)
        ],
    }


def _count_few(engine: DuckEngine, rows: str, total: int, about: list[int]) -> dict[int, int]:
    """Exact numbers of values in a small table, else where there seem to be few of them."""
    few = [i for i, number in enumerate(about) if number <= _FEW or total <= _SMALL]
    if not few or total > _QUICK:
        return {}
    asked = [f"count(DISTINCT {engine.value_sql(engine.names[i])}) AS d{i}" for i in few]
    counts = engine.fetch(f"SELECT {', '.join(asked)} FROM {rows} AS source")
    return {index: int(counts[f"d{index}"][0]) for index in few}


@task("suggest")
def suggest(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Roles, kinds and hierarchies with the reason for each: what `shoal schema` suggests."""
    from shoal.discover import suggest_schema  # noqa: PLC0415  not for the first look

    progress(0, 0, "looking at the columns")
    return suggest_schema(bench.engine(args)).to_dict()
