"""Where passphrases come from: a file, the environment, or a prompt; never an argument."""

import os
from pathlib import Path
from typing import Annotated

import typer

from shoal.errors import KeyFileError

VARIABLE = "SHOAL_PASSPHRASE"

PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file", help=f"File with the passphrase; else {VARIABLE}, else you are asked."
    ),
]


def passphrase(file: Path | None, *, new: bool = False) -> str:
    """The passphrase of a key; a new one is asked for twice."""
    if file is not None:
        try:
            return file.read_text("utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError):
            raise KeyFileError(f"passphrase file '{file.name}' cannot be read as text.") from None
    if VARIABLE in os.environ:
        return os.environ[VARIABLE]
    return str(typer.prompt("Passphrase", hide_input=True, confirmation_prompt=new, err=True))


PseudonymKeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key", help="Key file for pseudonyms and shifted dates (shoal site key pseudonyms)."
    ),
]


def read_pseudonym_key(path: Path, passphrase_file: Path | None) -> bytes:
    """The secret in a key file."""
    from shoal.federated import PseudonymKey

    return PseudonymKey.load(path, passphrase(passphrase_file)).secret
