"""`shoal schema`: suggest what the columns of a table are; `shoal schema show`: look at it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from shoal.cli._options import Encoding, Force, Table, refuse_existing
from shoal.cli._output import output
from shoal.cli._reading import reads_tables

if TYPE_CHECKING:
    from rich.tree import Tree as Branches

    from shoal.schema import Column, Schema


class _SuggestByDefault(TyperGroup):
    """`shoal schema TABLE` means `shoal schema suggest TABLE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the name of the default command in front, unless a command or help is asked for."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["suggest", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_SuggestByDefault,
    no_args_is_help=True,
    help="Suggest what the columns of a table are (shoal schema TABLE), or show a schema.",
)


@app.command()
@reads_tables
def suggest(
    table: Table,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Schema file to write, else stdout.")
    ] = None,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Suggest a schema for TABLE, with comments saying why.  `shoal schema TABLE` does the same.

    Read it column by column before you use it: only you know what others know.
    """
    from shoal.discover import suggest_schema

    refuse_existing([] if out is None else [out], force=force)
    out_ = output()
    with out_.progress() as progress:
        progress(0, 0, "looking at the columns")
        suggestion = suggest_schema(table, encoding=encoding)
    content = suggestion.to_toml(out)
    data = suggestion.to_dict() | {"file": None if out is None else str(out)}
    out_.emit(data, lambda: out_.print(content if out is None else f"schema: {out}"))


@app.command()
def show(
    schema: Annotated[Path, typer.Argument(metavar="SCHEMA", help="Schema file, TOML.")],
) -> None:
    """Show roles, hierarchies and limits of SCHEMA."""
    from shoal.schema import Schema

    described = Schema.from_toml(schema)
    output().emit(described, lambda: output().print(draw_schema(described)))


def draw_schema(schema: Schema) -> Branches:
    """Columns below their roles."""
    from rich.tree import Tree as Branches

    from shoal.schema._column import ROLES

    root = Branches(f"{len(schema)} columns")
    for role in ROLES:
        names = schema.having(role)
        if names:
            branch = root.add(f"{role} ({len(names)})")
            for name in names:
                branch.add(_line(name, schema[name]).replace("[", "\\["))
    return root


def _line(name: str, column: Column) -> str:
    parts: list[str] = [column.kind]
    if column.hierarchy is not None:
        parts.append(_hierarchy(column.hierarchy))
    if column.weight != 1.0:
        parts.append(f"weight {column.weight:g}")
    if column.limit:
        parts.append(f"not beyond {', '.join(column.limit)}")
    if column.limit_level is not None:
        parts.append(f"not beyond level {column.limit_level}")
    if column.target:
        parts.append("target")
    return f"{name}: {'; '.join(parts)}"


def _hierarchy(hierarchy: Any) -> str:
    from shoal.schema import Hierarchy

    if isinstance(hierarchy, Hierarchy):
        return f"{hierarchy.n_values} values in {hierarchy.n_levels} levels"
    written = hierarchy.to_toml()
    if isinstance(written, str):
        return written
    if "tree" in written:
        tree = hierarchy.build([])
        return f"tree of {tree.n_values} values in {tree.n_levels} levels"
    return ", ".join(f"{key} {value}" for key, value in written.items())
