"""`shoal attack`: what a release or a transform gives away, measured on your own table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli._options import Encoding, SchemaOrBeside, Seed, Table
from shoal.cli._output import output
from shoal.cli._reading import reads_tables
from shoal.cli.publish._attack_output import show_attacks
from shoal.cli.publish._check import schema_beside
from shoal.cli.together._passphrase import PassphraseFile, passphrase

app = typer.Typer(
    no_args_is_help=True, help="Attack a release or a transform before you rely on it."
)

Known = Annotated[
    list[int] | None,
    typer.Option("--known", min=0, help="How many people the attacker knows. May be repeated."),
]


@app.command("release")
@reads_tables
def release_attack(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="A released table, of any method.")
    ],
    original: Annotated[
        Path, typer.Option("--original", help="The raw table: everybody, with all columns.")
    ],
    schema: SchemaOrBeside = None,
    column: Annotated[
        str | None,
        typer.Option("--column", help="Sensitive column to guess; else the target or the first."),
    ] = None,
    second: Annotated[
        Path | None,
        typer.Option("--second", help="Another release of the same people, to intersect with."),
    ] = None,
    known_row: Annotated[
        list[int] | None,
        typer.Option(
            "--known-row",
            min=0,
            help="Row of the raw table, from 0, whose value the attacker knows. May be repeated.",
        ),
    ] = None,
    encoding: Encoding = None,
) -> None:
    """Link a release to people by their quasi-identifiers and guess what is sensitive.

    The raw table holds the sensitive values too: guesses are scored by them, never made from them.
    """
    from shoal.anonymize._release_files import require_labels
    from shoal.attacks import linking_attack
    from shoal.schema import Schema
    from shoal.tables import open_table

    require_labels(release, "the attack")
    attack = linking_attack(
        open_table(release, encoding=encoding),
        open_table(original, encoding=encoding),
        Schema.from_toml(schema or schema_beside(release)),
        column=column,
        second=None if second is None else open_table(second, encoding=encoding),
        known=known_row or (),
    )
    details = attack.summary.details
    facts = {name.replace("_", " "): value for name, value in details.items()}
    show_attacks({"column": attack.column} | facts, [attack.summary], _LINKED)


_LINKED = {
    "column": "column that is guessed",
    "certain": "people whose value is certain",
    "several groups": "people who fit several groups",
    "no group": "people who fit no group",
    "smallest group": "fewest people that somebody hides among",
    "known": "people whose value was known",
}
"""What is found by linking, in words."""


@app.command("any")
@reads_tables
def any_attack(
    release: Annotated[
        Path,
        typer.Argument(metavar="RELEASE", help="A table of any method: labels, noise, synthetic."),
    ],
    original: Annotated[
        Path, typer.Option("--original", help="The raw table that it was made of.")
    ],
    control: Annotated[
        Path | None,
        typer.Option("--control", help="Rows of others, drawn alike, which were not used."),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(
            "--schema", "-s", help="Schema with the hierarchies behind labels, if there are."
        ),
    ] = None,
    secret: Annotated[
        list[str] | None,
        typer.Option("--secret", help="Column to guess; else what is sensitive. May be repeated."),
    ] = None,
    columns: Annotated[
        int, typer.Option("--columns", min=1, help="Columns in a query that singles out.")
    ] = 3,
    attacks: Annotated[
        int, typer.Option("--attacks", min=1, help="Attacks of each kind: a query, or a person.")
    ] = 2_000,
    seed: Seed = 0,
    encoding: Encoding = None,
) -> None:
    """Single out, link and guess people of any table, ours or not, synthetic ones included.

    What succeeds as often on control rows is true of everybody; what is beyond that tells about
    those in the table.  Nothing here is a promise: other attacks may achieve more.
    """
    from shoal.attacks.rows._any import attack_any
    from shoal.schema import Schema
    from shoal.tables import open_table

    results = attack_any(
        open_table(release, encoding=encoding),
        open_table(original, encoding=encoding),
        None if control is None else open_table(control, encoding=encoding),
        None if schema is None else Schema.from_toml(schema),
        secrets=secret or (),
        n_columns=columns,
        n_attacks=attacks,
        random_state=seed,
    )
    facts = {"control rows": "none: by guessing is by luck" if control is None else "given"}
    show_attacks(facts, results)


@app.command("shadow")
@reads_tables
def shadow_attack_command(
    original: Annotated[
        Path,
        typer.Option("--original", help="Rows that the attacker has: the raw table, or others."),
    ],
    release: Annotated[
        Path | None,
        typer.Argument(metavar="[RELEASE]", help="A release, whose manifest says how it is made."),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", "-s", help="What the columns are; else what lies beside RELEASE."),
    ] = None,
    program: Annotated[
        str | None,
        typer.Option("--program", help="Any program: 'python synthesize.py {table} {release}'."),
    ] = None,
    shadows: Annotated[
        int, typer.Option("--shadows", min=6, help="Releases to make, each of half of the people.")
    ] = 16,
    attacks: Annotated[
        int, typer.Option("--attacks", min=1, help="Attacks, each on another person.")
    ] = 200,
    people: Annotated[
        int, typer.Option("--people", min=4, help="People to make releases of, at most.")
    ] = 5_000,
    seed: Seed = 0,
    encoding: Encoding = None,
) -> None:
    """Tell who is in a table by releases that the same program makes with and without each person.

    RELEASE is made again of halves of the people, as its manifest says; --program does it for
    tables of other programs, synthetic ones included.  Nothing of it is kept.
    """
    from shoal.attacks import shadow_attack
    from shoal.attacks.rows._program import read_program, run_program
    from shoal.errors import ParameterError
    from shoal.schema import Schema
    from shoal.tables import open_table

    if (release is None) == (program is None):
        raise ParameterError("name a RELEASE with its manifest, or a --program: one of them.")
    if schema is None and release is not None:
        schema = schema_beside(release)
    columns = None if schema is None else Schema.from_toml(schema)
    if program is not None:
        make = run_program(program)
    else:
        assert release is not None
        assert columns is not None
        make = read_program(release, columns)
    with output().progress() as progress:
        result = shadow_attack(
            make,
            open_table(original, encoding=encoding),
            schema=columns,
            n_shadows=shadows,
            n_attacks=attacks,
            n_people=people,
            random_state=seed,
            progress=progress,
        )
    show_attacks(dict(result.details), [result])


@app.command("refine")
@reads_tables
def refine_attack_command(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="A released table, its manifest beside it.")
    ],
    schema: SchemaOrBeside = None,
    register: Annotated[
        Path | None,
        typer.Option("--register", help="Public columns of everybody in it, perhaps of others."),
    ] = None,
    original: Annotated[
        Path | None,
        typer.Option("--original", help="The raw table, to count whom conclusions single out."),
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", help="How it was made; else as the manifest says.")
    ] = None,
    range_ends: Annotated[
        str | None,
        typer.Option(
            "--range-ends", help="lines, exact or nodes; else as the manifest says, else lines."
        ),
    ] = None,
    encoding: Encoding = None,
) -> None:
    """Conclude from the least labels of a release what people behind them must have.

    Whoever knows the method, the hierarchies and the lines can conclude it from the release alone.
    """
    from shoal.anonymize._registry import METHODS
    from shoal.anonymize._release_files import read_making, require_labels
    from shoal.attacks import refine_attack
    from shoal.schema import Schema
    from shoal.tables import open_table

    require_labels(release, "the attack")
    made, ends = read_making(release)
    if method is not None:
        made = METHODS[method].rpartition(".")[2] if method in METHODS else method
    told = refine_attack(
        open_table(release, encoding=encoding),
        Schema.from_toml(schema or schema_beside(release)),
        method=made,
        ranges=range_ends or ends,
        register=None if register is None else open_table(register, encoding=encoding),
        truth=None if original is None else open_table(original, encoding=encoding),
    )
    facts = {"method": made, "ends of ranges": range_ends or ends, "groups": len(told.sizes)}
    facts |= {name.replace("_", " "): v for r in told.results for name, v in r.details.items()}
    show_attacks(facts, list(told.results))


@app.command("table")
@reads_tables
def table_attack(
    table: Table,
    key: Annotated[Path, typer.Option("--key", help="Key file.")],
    public: Annotated[
        Path | None,
        typer.Option("--public", help="Table whose marginals are public; else TABLE itself."),
    ] = None,
    known: Known = None,
    seed: Seed = 0,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Frequency analysis of aliases, bracketing and unfolding of graded values, membership."""
    from shoal.attacks import attack_table
    from shoal.federated import TransformKey
    from shoal.federated.transforms._files import sample_file

    shared = TransformKey.load(key, passphrase(passphrase_file))
    results = attack_table(
        sample_file(table, shared),
        shared,
        public=None if public is None else sample_file(public, shared),
        n_known=known or (2, 10),
        random_state=seed,
    )
    show_attacks({}, results)


@app.command("kernel")
@reads_tables
def kernel_attack(
    table: Table,
    kernel: Annotated[Path, typer.Option("--kernel", help="Kernel file.")],
    known: Known = None,
    seed: Seed = 0,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Reconstruction of rows from projections, with and without B, and membership."""
    from shoal.attacks import attack_kernel
    from shoal.federated import RandomKernel
    from shoal.federated.transforms._files import read_rows

    shared = RandomKernel.load(kernel, passphrase(passphrase_file))
    show_attacks({}, attack_kernel(read_rows(table), shared, n_known=known, random_state=seed))
