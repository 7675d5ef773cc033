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
