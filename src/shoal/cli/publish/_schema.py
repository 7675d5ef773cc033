"""`shoal schema`: suggest what the columns of a table are; show a schema; take one from ARX."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from shoal.cli._options import Encoding, Force, Table, refuse_existing
from shoal.cli._output import output
from shoal.cli._reading import reads_tables, shown_reading
from shoal.cli.publish.walk._schema_files import hierarchy_folder, hierarchy_paths, write_schema
from shoal.cli.publish.walk._schema_terminal import require_terminal, walk_in_terminal
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from rich.tree import Tree as Branches

    from shoal.schema import Column, Hierarchy, Schema


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
    help="Suggest what the columns of a table are (shoal schema TABLE), show or import a schema."
    "\n\nThe options of shoal schema TABLE are listed by shoal schema suggest -h.",
)


@app.command()
@reads_tables
def suggest(
    table: Table,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Schema file to write, else stdout.")
    ] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Walk through the columns and decide.")
    ] = False,
    group: Annotated[
        bool,
        typer.Option("--group", help="Group values of categories, by what a release at k loses."),
    ] = False,
    k: Annotated[int, typer.Option("-k", help="Smallest group that --group plans for.")] = 10,
    hierarchies: Annotated[
        Path | None,
        typer.Option(help="Folder to write every hierarchy to, as CSV files that you can edit."),
    ] = None,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Suggest a schema for TABLE, with comments saying why.  `shoal schema TABLE` does the same.

    Read it column by column before you use it: only you know what others know.
    """
    from shoal.discover import suggest_schema

    out = None if out == Path("-") else out
    if (group or hierarchies is not None) and out is None:
        raise ParameterError("hierarchies are files that the schema names: say --out SCHEMA too.")
    refuse_existing([] if out is None else [out], force=force)
    out_ = output()
    if interactive:
        require_terminal(out_.json)
    with out_.progress() as progress:
        progress(0, 0, "looking at the columns")
        suggestion = suggest_schema(table, encoding=encoding)
    schema: Schema | None = suggestion.schema
    if interactive:
        schema = walk_in_terminal(suggestion)
    if schema is None:
        out_.note("Nothing was written.")
        return
    if group:
        schema = _grouped(table, schema, k, encoding)
    trees = _trees(table, schema, every=hierarchies is not None, encoding=encoding)
    for warning in suggestion.warnings:
        out_.note(f"Warning: {warning}")
    if not schema.quasi_identifiers:  # a release would fail, and the file's remark is easily missed
        out_.note(
            "No quasi-identifier was found: give at least one column "
            'role = "quasi-identifier" before you anonymize.'
        )
    data = suggestion.to_dict() | {"schema": schema.to_dict()}
    if out is None:
        content = schema.to_toml(comments=suggestion.reasons, header=suggestion.header)
        out_.emit(data | {"file": None, "hierarchies": {}}, lambda: out_.print(content))
        return
    folder = hierarchy_folder(out, hierarchies)
    refuse_existing(hierarchy_paths(list(trees), folder).values(), force=force)
    files = write_schema(
        out, schema, trees, folder, comments=suggestion.reasons, header=suggestion.header
    )
    data |= _file_facts(out, files)
    out_.emit(data, lambda: _tell_files(out, folder, files))


def _grouped(table: Any, schema: Schema, k: int, encoding: str | None) -> Schema:
    from shoal.anonymize import group_values

    out = output()
    with out.progress() as progress:
        grouped = group_values(table, schema, k, encoding=encoding, progress=progress)
    out.note(
        "Groups are computed from the rows, and the files name every value in them, also one that "
        "a single person has: they stay in the house. The schema of a release lists what its cells "
        "say. Read the files, rename groups, and move values where you know better."
    )
    return grouped


def _trees(
    table: Any, schema: Schema, *, every: bool, encoding: str | None
) -> dict[str, Hierarchy]:
    """Hierarchies to write as files: those of values, and every other if asked for."""
    from shoal.schema import Hierarchy
    from shoal.schema._csv import FromFile
    from shoal.tables import open_table

    trees = {
        name: column.hierarchy
        for name, column in schema.items()
        if isinstance(column.hierarchy, Hierarchy)
    }
    if every:
        cells = open_table(table, encoding=encoding).compress(schema).cells
        for coding in cells.codings:
            own = schema[coding.name].hierarchy
            if own is not None and not isinstance(own, FromFile) and coding.hierarchy is not None:
                trees[coding.name] = coding.hierarchy
    return trees


@app.command("import")
def import_(
    project: Annotated[
        Path, typer.Argument(metavar="PROJECT", help="Project of ARX, a .deid file.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Schema file to write.")],
    hierarchies: Annotated[
        Path | None,
        typer.Option(help="Folder for the hierarchies; beside the schema unless given."),
    ] = None,
    force: Force = False,
) -> None:
    """Make a schema of a project of ARX: roles, hierarchies, limits and weights.

    The rows inside the project are not read.
    """
    from shoal.schema import Hierarchy, read_arx_project

    out_ = output()
    refuse_existing([out], force=force)
    read = read_arx_project(project)
    trees = {
        name: column.hierarchy
        for name, column in read.schema.items()
        if isinstance(column.hierarchy, Hierarchy)
    }
    folder = hierarchy_folder(out, hierarchies)
    refuse_existing(hierarchy_paths(list(trees), folder).values(), force=force)
    header = (f"From {project.name}.", *read.notes)
    files = write_schema(out, read.schema, trees, folder, comments={}, header=header)
    data = {
        "criteria": list(read.criteria),
        "suppression": read.suppression,
        "notes": list(read.notes),
    } | _file_facts(out, files)
    out_.emit(data, lambda: _tell_files(out, folder, files))
    for note in read.notes:
        out_.note(f"Note: {note}")
    if read.criteria:
        asked = "; ".join(read.criteria)
        out_.note(f"The project asks for {asked}: say so with -k and --diversity.")


def _file_facts(out: Path, files: Mapping[str, Path]) -> dict[str, Any]:
    """The schema as it was written: trees stay in their files, since they hold values of rows."""
    from shoal.schema import Schema

    return {
        "schema": Schema.from_toml(out).to_dict(),
        "file": str(out),
        "hierarchies": {name: str(path) for name, path in files.items()},
    }


def _tell_files(out: Path, folder: Path, files: Sized) -> None:
    output().print(f"schema: {out}")
    if files:
        output().print(f"hierarchies: {folder}")


@app.command()
def show(
    schema: Annotated[Path, typer.Argument(metavar="SCHEMA", help="Schema file, TOML.")],
) -> None:
    """Show roles, hierarchies and limits of SCHEMA."""
    from shoal.schema import Schema

    described = Schema.from_toml(schema)
    output().emit(described, lambda: output().print(draw_schema(described)))
    if described.reading:
        output().note(f"Its table is read with {shown_reading(described.reading)}.")


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
                branch.add(describe_column(name, schema[name]).replace("[", "\\["))
    return root


def describe_column(name: str, column: Column) -> str:
    """A column in a line: kind, hierarchy, weight, limits."""
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
