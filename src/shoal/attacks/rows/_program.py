"""The program behind a release, to be run on other people: what its manifest says, or a command."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shoal._plain import from_json
from shoal._resources import scratch
from shoal.anonymize import perturb_table, release_sets
from shoal.anonymize._registry import make_method, word_of
from shoal.anonymize._release_files import file_beside
from shoal.audit._training_table import read_frame
from shoal.errors import ParameterError, TableError
from shoal.privacy import PrivacyModel
from shoal.schema import Schema
from shoal.tables import RowOptions
from shoal.typing import Native, PathText

Program = Callable[[Native], Native]
"""Takes a table, and gives what would be published of it."""


def read_program(release: PathText, schema: Schema) -> Program:
    """The program that made a release of Shoal's, by the manifest beside it.

    Intervals are made as labels, which tell the same.
    """
    path = file_beside(release, "manifest")
    try:
        return _from_manifest(release, schema, from_json(path.read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise ParameterError(
            f"there is no manifest {path.name!r} that says how the release was made. Name the "
            "program that makes such tables with --program."
        ) from None


def _from_manifest(release: PathText, schema: Schema, manifest: Mapping[str, Any]) -> Program:
    if manifest["shoal"] == "perturbed":
        changes = manifest["changes"]
        touched = {name for columns in changes.values() for name in columns}
        keep = [name for name in schema.quasi_identifiers if name not in touched]
        return lambda table: perturb_table(table, schema, **changes, keep=keep).table
    if manifest["shoal"] == "sets":
        k, m = manifest["km"]["k"], manifest["km"]["m"]
        return lambda table: release_sets(table, schema, k, m).table
    return _method(release, schema, manifest)


def _method(release: PathText, schema: Schema, manifest: Mapping[str, Any]) -> Program:
    from sklearn.base import clone  # noqa: PLC0415  slow to import

    # by the list of methods, never by whatever has the name: a manifest may come from anybody
    name = word_of(manifest["method"])
    if name is None:
        raise KeyError(name)
    try:
        promise = from_json(file_beside(release, "promise").read_text("utf-8"))
    except (OSError, ValueError):
        promise = manifest["privacy"]
    form: Any = "labels" if manifest["form"] == "intervals" else manifest["form"]
    output = RowOptions(form=form, keep_suppressed=manifest["keep_suppressed"])
    method = make_method(name, schema, PrivacyModel.from_dict(promise), manifest["parameters"])
    return lambda table: clone(method).fit(table, output=output).release_.table


def run_program(command: str) -> Program:
    """A command that reads the file `{table}` and writes the file `{release}`, both CSV.

    It is run without a shell.  What it prints may be people's values, and is not shown.
    """
    words = shlex.split(command)
    if not all(any(name in word for word in words) for name in ("{table}", "{release}")):
        raise ParameterError(
            "the program has to name {table}, the CSV file that it is given, and {release}, the "
            "one that it writes: for example 'python synthesize.py {table} {release}'."
        )

    def make(table: Native) -> Native:
        with TemporaryDirectory(dir=scratch()) as folder:
            raw, made = Path(folder) / "table.csv", Path(folder) / "release.csv"
            read_frame(table).write(raw)
            call = [
                word.replace("{table}", str(raw)).replace("{release}", str(made)) for word in words
            ]
            try:
                done = subprocess.run(call, capture_output=True, check=False)
            except OSError:
                raise ParameterError("the program cannot be started. Is its name right?") from None
            if done.returncode or not made.exists():
                raise TableError(
                    f"the program ended with exit code {done.returncode} and wrote "
                    f"{'a' if made.exists() else 'no'} table. Run it by hand to see why."
                )
            return read_frame(made).native

    return make
