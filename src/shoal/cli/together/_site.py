"""`shoal site`: keys, encoded rows, shares, and reading results back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal._atomic import write_text
from shoal.cli._options import (
    Force,
    KeepOrder,
    Table,
    refuse_existing,
)
from shoal.cli._output import output
from shoal.cli._reading import reads_tables, refuse_input
from shoal.cli.publish._attack_output import show_attacks, show_facts
from shoal.cli.together._passphrase import PassphraseFile, passphrase
from shoal.cli.together._site_model import predict, train
from shoal.errors import ParameterError, TableError

if TYPE_CHECKING:
    from shoal.federated import RandomKernel, TransformKey

app = typer.Typer(no_args_is_help=True, help="Mine across sites.")
key_app = typer.Typer(no_args_is_help=True, help="Make, show and extend the sites' shared key.")
kernel_app = typer.Typer(no_args_is_help=True, help="Make and show the sites' random kernel.")
app.add_typer(key_app, name="key")
app.add_typer(kernel_app, name="kernel")
app.command()(train)
app.command()(predict)

TEXT = (".txt", ".md", ".log", ".dot")

Agreement = Annotated[
    Path, typer.Argument(metavar="AGREEMENT", help="What the sites agreed on, TOML.")
]
KeyArgument = Annotated[Path, typer.Argument(metavar="KEY", help="Key file.")]
KeyOption = Annotated[Path, typer.Option("--key", help="Key file.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="File to write.")]
Site = Annotated[str, typer.Option("--site", help="Name of this site.")]
Folder = Annotated[Path, typer.Option("--to", help="Folder where all sites put their files.")]


@key_app.command("new")
def key_new(
    agreement: Agreement, out: Out, passphrase_file: PassphraseFile = None, force: Force = False
) -> None:
    """Draw a key and write it, encrypted."""
    from shoal.federated._agreement import make_key, read_agreement

    _refuse_existing_key(out, force)
    key = make_key(read_agreement(agreement))
    key.save(out, passphrase(passphrase_file, new=True))
    _show_key(key)


@key_app.command("pseudonyms")
def key_pseudonyms(out: Out, passphrase_file: PassphraseFile = None, force: Force = False) -> None:
    """Draw a key for pseudonyms and shifted dates (anonymize --key) and write it, encrypted."""
    from shoal.federated import PseudonymKey

    _refuse_existing_key(out, force)
    key = PseudonymKey.create()
    key.save(out, passphrase(passphrase_file, new=True))
    _say(key.to_dict())


@key_app.command("show")
def key_show(key: KeyArgument, passphrase_file: PassphraseFile = None) -> None:
    """Show version, fingerprint and columns; never ranges or aliases."""
    from shoal.federated import TransformKey

    _show_key(TransformKey.load(key, passphrase(passphrase_file)))


@key_app.command("extend")
def key_extend(
    key: KeyArgument,
    column: Annotated[str, typer.Option("--column", help="Mapped column.")],
    category: Annotated[
        list[str], typer.Option("--category", help="New category. May be repeated.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write; else KEY itself.")
    ] = None,
    passphrase_file: PassphraseFile = None,
    force: Force = False,
) -> None:
    """Add categories under new aliases; old aliases stay.  Send the new file to all sites."""
    from shoal.federated import TransformKey

    if out is not None:
        _refuse_existing_key(out, force)
    secret = passphrase(passphrase_file)
    longer = TransformKey.load(key, secret).extend({column: category})
    longer.save(out or key, secret)
    _show_key(longer)


@kernel_app.command("new")
def kernel_new(
    agreement: Agreement, out: Out, passphrase_file: PassphraseFile = None, force: Force = False
) -> None:
    """Draw B and write it with the agreed ranges, encrypted."""
    from shoal.federated._agreement import make_kernel, read_agreement

    _refuse_existing_key(out, force)
    kernel = make_kernel(read_agreement(agreement))
    kernel.save(out, passphrase(passphrase_file, new=True))
    _show_kernel(kernel)


@kernel_app.command("show")
def kernel_show(kernel: KeyArgument, passphrase_file: PassphraseFile = None) -> None:
    """Show the fingerprint and the features; never B."""
    from shoal.federated import RandomKernel

    _show_kernel(RandomKernel.load(kernel, passphrase(passphrase_file)))


@app.command()
@reads_tables
def encode(
    table: Table,
    key: KeyOption,
    site: Site,
    folder: Folder,
    peer: Annotated[
        list[str] | None, typer.Option("--peer", help="Fingerprint another site read to you.")
    ] = None,
    clear: Annotated[
        list[str] | None,
        typer.Option("--clear", help="Column outside the key to write as it is. May be repeated."),
    ] = None,
    drop_others: Annotated[
        bool, typer.Option("--drop-others", help="Leave out all other columns outside the key.")
    ] = False,
    keep_order: KeepOrder = False,
    attacks: Annotated[bool, typer.Option(help="Print what the transform gives away.")] = True,
    passphrase_file: PassphraseFile = None,
    force: Force = False,
) -> None:
    """Encode TABLE with the shared key, for the miner."""
    from shoal.attacks import attack_table
    from shoal.federated import TransformKey, encode_file
    from shoal.federated.transforms._files import SUFFIX, sample_file

    refuse_existing([folder / f"{site}{SUFFIX}"], force=force)
    shared = TransformKey.load(key, passphrase(passphrase_file))
    for fingerprint in peer or ():
        shared.check_peer(fingerprint)
    columns: dict[str, Any] = {"clear": clear or (), "drop_others": drop_others}
    written = encode_file(table, folder, shared, site, **columns, keep_order=keep_order)
    results = attack_table(sample_file(table, shared), shared) if attacks else []
    show_attacks({"file": written.name, **shared.to_dict()}, results)


@app.command()
def combine(
    files: Annotated[list[Path], typer.Argument(metavar="FILES", help="The sites' encoded files.")],
    out: Out,
    site: Annotated[
        list[str] | None,
        typer.Option("--site", help="Site whose file is expected. May be repeated."),
    ] = None,
    with_site: Annotated[bool, typer.Option(help="Add a column with each row's site.")] = False,
    keep_order: KeepOrder = False,
    force: Force = False,
) -> None:
    """Join encoded files; different keys are refused before anything is written.

    Rows are in a secret order, so that it does not tell whose they are.
    """
    from shoal.federated.transforms._files import combine_files

    if out.suffix != ".parquet":
        raise ParameterError("the combined file must end in .parquet.")
    refuse_input([out], files)
    refuse_existing([out], force=force)
    written = combine_files(files, out, sites=site, with_site=with_site, keep_order=keep_order)
    _say({"file": written.name, "files": len(files)})


@app.command()
def decode(
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="Encoded rows (Parquet, CSV) or a text report.")
    ],
    key: KeyOption,
    out: Out,
    passphrase_file: PassphraseFile = None,
    force: Force = False,
) -> None:
    """Read rows or a report back with the shared key."""
    from shoal.federated import TransformKey, decode_file
    from shoal.federated.transforms._decode_results import decode_text

    refuse_input([out], [source, key])
    refuse_existing([out], force=force)
    shared = TransformKey.load(key, passphrase(passphrase_file))
    if source.suffix in TEXT:
        write_text(out, decode_text(_read_report(source), shared))
    else:
        decode_file(source, out, shared)
    _say({"file": out.name})


@app.command()
@reads_tables
def share(
    table: Table,
    kernel: Annotated[Path, typer.Option("--kernel", help="Kernel file.")],
    site: Site,
    folder: Folder,
    label: Annotated[str | None, typer.Option(help="Column with the class.")] = None,
    time: Annotated[str | None, typer.Option(help="Column with the survival time.")] = None,
    event: Annotated[str | None, typer.Option(help="Column with 1 for an event.")] = None,
    uniform: Annotated[
        bool,
        typer.Option(
            "--allow-uniform-outcome", help="Publish also where everybody has the same outcome."
        ),
    ] = False,
    attacks: Annotated[bool, typer.Option(help="Print what the shares give away.")] = True,
    passphrase_file: PassphraseFile = None,
    force: Force = False,
) -> None:
    """Publish TABLE's random-kernel projection, with outcomes."""
    from shoal.attacks import attack_kernel
    from shoal.federated import RandomKernel, make_share, write_share
    from shoal.federated.kernels._share_files import SUFFIX
    from shoal.federated.transforms._files import read_rows

    refuse_existing([folder / f"{site}{SUFFIX}"], force=force)
    shared = RandomKernel.load(kernel, passphrase(passphrase_file))
    rows = read_rows(table)
    made = make_share(
        shared,
        rows,
        site,
        label=label,
        time=time,
        event=event,
        allow_uniform_outcome=uniform,
    )
    written = write_share(made, folder)
    results = attack_kernel(rows, shared) if attacks else []
    show_attacks({"file": written.name, **made.to_dict()}, results)


def _read_report(source: Path) -> str:
    try:
        return source.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise TableError(
            f"'{source.name}' cannot be read as text. Give a report in UTF-8, or encoded rows."
        ) from None


def _say(facts: dict[str, Any]) -> None:
    output().emit(facts, lambda: show_facts(facts))


def _show_key(key: TransformKey) -> None:
    _say(key.to_dict())


def _show_kernel(kernel: RandomKernel) -> None:
    _say(
        {
            "fingerprint": kernel.fingerprint,
            "features": list(kernel.ranges_),
            "components": len(kernel.basis_),
            "kernel": kernel.kernel,
        }
    )


def _refuse_existing_key(path: Path, force: bool) -> None:
    if path.exists() and not force:
        raise ParameterError(
            f"'{path.name}' exists, and a key that is lost cannot be made again. Choose another "
            "name, or overwrite it with --force."
        )
