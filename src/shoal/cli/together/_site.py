"""`shoal site`: keys, encoded rows, shares, and reading results back."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.attacks import attack_kernel, attack_table
from shoal.cli._output import output
from shoal.cli.publish._attack_output import show_attacks, show_facts
from shoal.cli.together._passphrase import PassphraseFile, passphrase
from shoal.errors import ParameterError
from shoal.federated import (
    RandomKernel,
    TransformKey,
    decode_file,
    decode_text,
    encode_file,
    make_kernel,
    make_key,
    make_share,
    write_share,
)
from shoal.federated._agreement import read_agreement
from shoal.federated.transforms._files import combine_files, read_rows, sample_file

app = typer.Typer(no_args_is_help=True, help="Mine across sites.")
key_app = typer.Typer(no_args_is_help=True, help="Make, show and extend the sites' shared key.")
kernel_app = typer.Typer(no_args_is_help=True, help="Make and show the sites' random kernel.")
app.add_typer(key_app, name="key")
app.add_typer(kernel_app, name="kernel")

TEXT = (".txt", ".md", ".log", ".dot")

Agreement = Annotated[Path, typer.Argument(help="What the sites agreed on, TOML.")]
KeyArgument = Annotated[Path, typer.Argument(help="Key file.")]
KeyOption = Annotated[Path, typer.Option("--key", help="Key file.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="File to write.")]
Site = Annotated[str, typer.Option("--site", help="Name of this site.")]
Folder = Annotated[Path, typer.Option("--to", help="Folder where all sites put their files.")]
Table = Annotated[Path, typer.Argument(help="CSV or Parquet file.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]


@key_app.command("new")
def key_new(
    agreement: Agreement, out: Out, passphrase_file: PassphraseFile = None, force: Force = False
) -> None:
    """Draw a key and write it, encrypted."""
    _refuse_existing(out, force)
    key = make_key(read_agreement(agreement))
    key.save(out, passphrase(passphrase_file, new=True))
    _show_key(key)


@key_app.command("show")
def key_show(key: KeyArgument, passphrase_file: PassphraseFile = None) -> None:
    """Show version, fingerprint and columns; never ranges or aliases."""
    _show_key(TransformKey.load(key, passphrase(passphrase_file)))


@key_app.command("extend")
def key_extend(
    key: KeyArgument,
    column: Annotated[str, typer.Option("--column", help="Mapped column.")],
    category: Annotated[list[str], typer.Option("--category", help="New category; repeat.")],
    passphrase_file: PassphraseFile = None,
) -> None:
    """Add categories under new aliases; old aliases stay.  Send the new file to all sites."""
    secret = passphrase(passphrase_file)
    longer = TransformKey.load(key, secret).extend({column: category})
    longer.save(key, secret)
    _show_key(longer)


@kernel_app.command("new")
def kernel_new(
    agreement: Agreement, out: Out, passphrase_file: PassphraseFile = None, force: Force = False
) -> None:
    """Draw B and write it with the agreed ranges, encrypted."""
    _refuse_existing(out, force)
    kernel = make_kernel(read_agreement(agreement))
    kernel.save(out, passphrase(passphrase_file, new=True))
    _show_kernel(kernel)


@kernel_app.command("show")
def kernel_show(kernel: KeyArgument, passphrase_file: PassphraseFile = None) -> None:
    """Show the fingerprint and the features; never B."""
    _show_kernel(RandomKernel.load(kernel, passphrase(passphrase_file)))


@app.command()
def encode(
    table: Table,
    key: KeyOption,
    site: Site,
    folder: Folder,
    peer: Annotated[
        list[str] | None, typer.Option("--peer", help="Fingerprint another site read to you.")
    ] = None,
    attacks: Annotated[bool, typer.Option(help="Print what the transform gives away.")] = True,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Encode TABLE with the shared key, for the miner."""
    shared = TransformKey.load(key, passphrase(passphrase_file))
    for fingerprint in peer or ():
        shared.check_peer(fingerprint)
    written = encode_file(table, folder, shared, site)
    results = attack_table(sample_file(table, shared), shared) if attacks else []
    show_attacks({"file": written.name, **shared.to_dict()}, results)


@app.command()
def combine(
    files: Annotated[list[Path], typer.Argument(help="The sites' encoded files.")],
    out: Out,
    site: Annotated[
        list[str] | None, typer.Option("--site", help="Site whose file is expected; repeat.")
    ] = None,
    with_site: Annotated[bool, typer.Option(help="Add a column with each row's site.")] = False,
) -> None:
    """Join encoded files; different keys are refused before anything is written."""
    if out.suffix != ".parquet":
        raise ParameterError("the combined file must end in .parquet.")
    written = combine_files(files, out, sites=site, with_site=with_site)
    _say({"file": written.name, "files": len(files)})


@app.command()
def decode(
    source: Annotated[Path, typer.Argument(help="Encoded rows (Parquet, CSV) or a text report.")],
    key: KeyOption,
    out: Out,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Read rows or a report back with the shared key."""
    shared = TransformKey.load(key, passphrase(passphrase_file))
    if source.suffix in TEXT:
        out.write_text(decode_text(source.read_text("utf-8"), shared), "utf-8")
    else:
        decode_file(source, out, shared)
    _say({"file": out.name})


@app.command()
def share(
    table: Table,
    kernel: Annotated[Path, typer.Option("--kernel", help="Kernel file.")],
    site: Site,
    folder: Folder,
    label: Annotated[str | None, typer.Option(help="Column with the class.")] = None,
    time: Annotated[str | None, typer.Option(help="Column with the survival time.")] = None,
    event: Annotated[str | None, typer.Option(help="Column with 1 for an event.")] = None,
    attacks: Annotated[bool, typer.Option(help="Print what the shares give away.")] = True,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Publish TABLE's random-kernel projection, with outcomes."""
    shared = RandomKernel.load(kernel, passphrase(passphrase_file))
    rows = read_rows(table)
    made = make_share(shared, rows, site, label=label, time=time, event=event)
    written = write_share(made, folder)
    results = attack_kernel(rows, shared) if attacks else []
    show_attacks({"file": written.name, **made.to_dict()}, results)


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


def _refuse_existing(path: Path, force: bool) -> None:
    if path.exists() and not force:
        raise ParameterError(
            f"'{path.name}' exists, and a key that is lost cannot be made again. Choose another "
            "name, or overwrite it with --force."
        )
