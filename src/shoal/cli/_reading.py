"""How tables and promises are read, and what no result may replace: the same in every command.

Nothing here loads the library before a command runs.
"""

from __future__ import annotations

import inspect
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import typer

from shoal._addresses import is_address
from shoal._resources import scratch
from shoal.cli._options import Encoding, OutFile
from shoal.cli._output import output
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.privacy import PrivacyModel
    from shoal.schema import Schema
    from shoal.tables import FrequencyTable

TABLES = (
    "table", "original", "release", "control", "test", "second", "register", "public",
    "population",
)  # fmt: skip
"""Parameters of commands that name tables."""

LIKE_THE_SCHEMA = ("table", "original", "test", "control")
"""Those that hold rows of the kind that a schema describes; others may be written otherwise."""

RELEASED = ("release", "second")
"""Those that are releases: what is said about reading is said of the raw table beside them."""

_READING: dict[str, Any] = {
    "encoding": Encoding,
    "delimiter": Annotated[
        str | None,
        typer.Option("--delimiter", help="Sign between the cells of CSV files, or the word tab."),
    ],
    "decimal": Annotated[
        str | None, typer.Option("--decimal", help="Sign before decimals in CSV files: . or ,")
    ],
    "thousands": Annotated[
        str | None, typer.Option("--thousands", help="Sign between thousands in CSV files.")
    ],
    "dates": Annotated[
        str | None, typer.Option("--dates", help="What comes first in dates: dmy or mdy.")
    ],
    "header": Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="Whether the first line of CSV files holds names."
        ),
    ],
    "missing": Annotated[
        list[str] | None,
        typer.Option("--missing", help="Word that stands for nothing. May be repeated."),
    ],
    "skip_bad_rows": Annotated[
        bool,
        typer.Option("--skip-bad-rows", help="Leave out lines of CSV files that are no rows."),
    ],
    "sheet": Annotated[
        str | None, typer.Option("--sheet", help="Sheet of an Excel workbook, by name or number.")
    ],
    "database_table": Annotated[
        str | None, typer.Option("--table", help="Table of a database, SCHEMA.NAME or NAME.")
    ],
}


def reads_tables(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options on how its tables are read; its paths carry them from there on."""
    signature = inspect.signature(command, eval_str=True)
    own = dict(signature.parameters)
    for name, each in signature.parameters.items():
        is_target = name == "out" and each.annotation == OutFile
        if (name in TABLES or is_target) and get_origin(each.annotation) is Annotated:
            kind, *rest = get_args(each.annotation)
            plain: Any = str if kind is Path else str | None  # a path would take an address apart
            own[name] = each.replace(annotation=Annotated[plain, *rest])
    kinds = {name: get_args(each.annotation)[:1] for name, each in signature.parameters.items()}
    # paths alone are tables: `release` of an audit is a word
    tables = [name for name in TABLES if kinds.get(name) in ((Path,), (Path | None,))]
    added = {
        name: inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if name == "skip_bad_rows" else None,
            annotation=annotation,
        )
        for name, annotation in _READING.items()
        if name not in own
    }

    @wraps(command)
    def run(**given: Any) -> None:
        from shoal.anonymize._release_files import MANIFESTS
        from shoal.tables._engine import OpenOptions, TableFile

        told = {name: given.pop(name) for name in added}
        told.setdefault("encoding", given.get("encoding"))
        told["table"] = told.pop("database_table")  # commands have a table of their own
        told["missing"] = tuple(told["missing"] or ()) or None
        named = [name for name in tables if given.get(name) is not None]
        options = OpenOptions(**told)
        files = {name: TableFile.of(str(given[name]), options) for name in named}
        given |= files
        schema = Path(given.get("schema") or "")  # one that cannot be read is told by the command
        is_told = schema.is_file() and b"reading" in schema.read_bytes()
        if is_told or any(any(file.parent.glob(MANIFESTS)) for file in files.values()):
            _follow_files_beside(files, schema if is_told else None)
        if given.get("out") == "-":
            _to_standard_output(command, given)
            return
        if isinstance(given.get("out"), str):
            out = given["out"]
            given["out"] = _in_database(out) if is_address(out) else Path(out)
        command(**given)

    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own.values()]
    run.__signature__ = inspect.Signature([*parameters, *added.values()])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in run.__signature__.parameters.values()}  # type: ignore[attr-defined]
    return run


def _to_standard_output(command: Callable[..., None], given: dict[str, Any]) -> None:
    """Run a command into a folder of its own, and hand its table on once it was judged."""
    if output().json:
        raise ParameterError("--json and the table cannot both go to standard output.")
    with TemporaryDirectory(dir=scratch()) as folder:
        output().note(
            "Standard output gets the table alone; with -o FILE its manifest and schema are kept."
        )
        output().quiet = True  # what is said of the table would be taken for rows
        table = Path(folder) / "table.csv"
        command(**given | {"out": table})
        with table.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


def _in_database(address: str) -> Path:
    from shoal.tables._engine import OpenOptions, TableFile

    return TableFile.of(address, OpenOptions())


def _follow_files_beside(files: dict[str, Any], schema: Path | None) -> None:
    """Read tables as a schema or the files of a release say, where the command line does not."""
    from shoal.schema import Schema

    told = {name: file.options for name, file in files.items()}
    known = {} if schema is None else Schema.from_toml(schema).reading
    for name in LIKE_THE_SCHEMA:
        if name in files:
            files[name].options = told[name].filled(known)
    _follow_release(files)
    for name, file in files.items():
        used = {n: v for n, v in known.items() if n not in told[name].said()}
        # a release that its manifest describes is not read by the schema of the raw table
        if schema is not None and used and used.items() <= file.options.said().items():
            output().note(f"{file.name} is read with {shown_reading(used)}, as {schema.name} says.")


def shown_reading(said: Mapping[str, Any]) -> str:
    """The options that say so, as they are typed.

    Examples
    --------
    >>> shown_reading({"header": False, "missing": ("?", "not asked"), "skip_bad_rows": True})
    "--no-header '--missing=?' '--missing=not asked' --skip-bad-rows"
    """
    words = []
    for name, value in said.items():
        option = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
        else:
            values = value if isinstance(value, tuple) else (value,)
            words += [f"--{option}={word}" for word in values]
    return " ".join(map(shlex.quote, words))


def _follow_release(files: dict[str, Any]) -> None:
    """Released files are read as their manifests say, raw tables as when they were released."""
    from shoal.anonymize._release_files import as_told, as_written

    local = {name: file for name, file in files.items() if not is_address(file)}
    has_raw = any(name not in RELEASED for name in files)
    for name, file in local.items():
        file.options = as_written(file, file.options, of_raw=has_raw and name in RELEASED)
    raw = files.get("original", files.get("table"))
    if raw is not None and "release" in local:
        raw.options = as_told(local["release"], raw.options)


def read_privacy(
    k: int | None, conditions: Sequence[str] | None, population: FrequencyTable | None = None
) -> PrivacyModel:
    """The privacy model that `-k` and the further conditions ask for."""
    from shoal.privacy._words import read_promise

    return read_promise(k, conditions or (), population)


def read_table_promise(
    schema: Schema,
    k: int | None,
    conditions: Sequence[str] | None,
    requirements: Sequence[str] | None,
    population: FrequencyTable | None = None,
) -> PrivacyModel:
    """The same for a table, whose schema may require something already."""
    from shoal.privacy._promise import bind_promise
    from shoal.privacy._words import read_promise
    from shoal.privacy.models._k_anonymity import as_privacy_model

    if not conditions and not requirements and (k is not None or schema.requirements):
        return bind_promise(None, schema) if k is None else as_privacy_model(k)
    return read_promise(k, conditions or (), population, requirements or ())


def read_population(path: Path, schema: Schema, encoding: str | None) -> FrequencyTable:
    """The people of `--population`, counted."""
    from shoal.risk import population_of

    return population_of(path, schema, encoding=encoding)


def refuse_input(
    outputs: Sequence[Path], inputs: Sequence[Path], *, database: bool = False
) -> None:
    """Raise when a result would replace what it is made of, which --force does not allow either.

    Commands that write into a `database` say so.
    """
    if any(map(is_address, (*outputs, *inputs))):
        from shoal.cli._replaced import refuse_source

        refuse_source(outputs, inputs, database=database)
    sources = {Path(source).resolve() for source in inputs}
    for path in outputs:
        if path.resolve() in sources:
            raise ParameterError(
                f"{path.name} is what this is made of, and would be lost. Choose another name."
            )
