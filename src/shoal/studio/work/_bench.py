"""What a worker keeps at hand: opened tables and the last releases, so that nothing is done twice.

Whatever is kept is named by all it depends on; a table that was changed is opened again.
"""

from __future__ import annotations

import inspect
import json
import tomllib
import warnings
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.errors import TableWarning
from shoal.privacy._words import read_promise
from shoal.schema import Schema
from shoal.studio.project._reading import reading_keywords
from shoal.tables import FrequencyTable, RowOptions, open_table
from shoal.tables._engine import Compressed, Engine, OpenOptions, TableFile
from shoal.tables._frequency import CodingOptions
from shoal.tables._open import open_relation
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.typing import Progress

if TYPE_CHECKING:
    from shoal.anonymize import Release
    from shoal.privacy import PrivacyModel

_KEPT = 2
"""Tables, cells and releases that are kept, of each."""

Args = Mapping[str, Any]


class Bench:
    """Opened tables and finished fits."""

    def __init__(self) -> None:
        self._kept: dict[str, OrderedDict[str, Any]] = {}

    def engine(self, args: Args) -> Engine:
        """The raw table."""
        return self._opened(args)[0]

    def notes(self, args: Args) -> list[str]:
        """What was noticed when the raw table was opened: how it was read where it left it open."""
        return list(self._opened(args)[1])

    def _opened(self, args: Args) -> tuple[Engine, list[str]]:
        opened: tuple[Engine, list[str]] = self._keep(
            "engine", _table_key(args), lambda: _open(args)
        )
        return opened

    def relation(self, args: Args) -> DuckEngine:
        """The raw table, for work that is written in SQL."""
        return open_relation(self.engine(args))

    def raw(self, args: Args) -> Compressed:
        """The raw table as cells, without its hierarchies: who looks alike as things stand."""
        schema = read_schema(args)
        roles = {name: [column.role, column.kind] for name, column in schema.items()}
        options = CodingOptions(use_hierarchies=False)
        return self._keep(
            "raw",
            f"{_table_key(args)} {json.dumps(roles)}",
            lambda: self.engine(args).compress(schema, options),
        )

    def release(self, args: Args, progress: Progress) -> Release:
        """The release that the settings ask for; nothing is written."""
        keys = ("schema", "method", "k", "conditions", "suppress")
        wanted = json.dumps([args.get(key) for key in keys])
        return self._keep(
            "release", f"{_table_key(args)} {wanted}", lambda: self._fit(args, progress)
        )

    def _fit(self, args: Args, progress: Progress) -> Release:
        from shoal.anonymize._registry import make_method  # noqa: PLC0415  a first look needs no method

        parameters = suppression_of(args["method"], args)
        method = make_method(args["method"], read_schema(args), privacy_of(args), parameters)
        from shoal.studio.work._keys import passing_key  # noqa: PLC0415  it needs this file

        # labels: screens show and compare what they cover
        rows = RowOptions(key=passing_key(read_schema(args)))
        release: Release = method.fit(self.engine(args), output=rows, progress=progress).release_
        return release

    def _keep(self, kind: str, key: str, make: Any) -> Any:
        kept = self._kept.setdefault(kind, OrderedDict())
        if key not in kept:
            while len(kept) >= _KEPT:  # before the new one needs the memory
                kept.popitem(last=False)
            kept[key] = make()
        kept.move_to_end(key)
        return kept[key]


def read_schema(args: Args) -> Schema:
    """The schema as the project's file says it."""
    return Schema.from_dict(tomllib.loads(args["schema"]), folder=args["folder"])


def privacy_of(args: Args) -> PrivacyModel:
    """The promise, in the words of the command line."""
    return read_promise(args["k"], args.get("conditions") or ())


def suppression_of(method: str, args: Args) -> dict[str, Any]:
    """The share of rows that may be left out, for methods that can leave rows out."""
    from shoal.anonymize._registry import method_class  # noqa: PLC0415  a first look needs none

    takes = "max_suppression" in inspect.signature(method_class(method)).parameters
    return {"max_suppression": args.get("suppress") or None} if takes else {}


def cells_of(compressed: Compressed) -> FrequencyTable:
    """Cells whose sizes count people where the schema has a subject."""
    if compressed.people is None:
        return compressed.cells
    from shoal.anonymize._subjects import count_raw  # noqa: PLC0415  for such schemas alone

    return count_raw(compressed.cells, compressed.people)


def _open(args: Args) -> tuple[Engine, list[str]]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", TableWarning)
        engine = open_table(source_of(args))
    return engine, [str(one.message) for one in said if issubclass(one.category, TableWarning)]


def source_of(args: Args, path: str = "") -> TableFile:
    """The raw table, or another file written like it, as a path that knows how it is read."""
    options = OpenOptions(**reading_keywords(args.get("reading") or {}))
    return TableFile.of(path or args["table"], options)


def like(args: Args, path: str) -> TableFile:
    """Another file, read like the table; which sheet it is concerns the table alone."""
    said = args.get("reading") or {}
    kept = {k: v for k, v in said.items() if k not in ("sheet", "database_table")}
    return source_of({"reading": kept}, path)


def released(args: Args, path: str) -> TableFile:
    """A release of the table: of its encoding; written by Shoal, it tells the rest by itself."""
    said = args.get("reading") or {}
    kept = {k: v for k, v in said.items() if k in ("encoding", "missing")}
    return source_of({"reading": kept}, path)


def _table_key(args: Args) -> str:
    return json.dumps([args["table"], args.get("reading"), args.get("stamp")])
