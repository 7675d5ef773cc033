"""Weka, which the papers used, where Java and Weka are on the machine.

Weka is GPL: it is called as a program of its own, and nothing of it is part of this project.
Debian's package `weka` brings version 3.6, which has Tertius.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reproduce._classify import Examples
from shoal.errors import ParameterError

_USUAL = Path("/usr/share/java/weka.jar")
_ERRORS = re.compile(r"^Incorrectly Classified Instances\s+(\d+)", re.MULTILINE)
_CLAUSE = re.compile(r"^\s*\d+\. /\* ([\d.]+) ([\d.]+) \*/ (.*)$", re.MULTILINE)
_SQUARES = re.compile(r"^Within cluster sum of squared errors: ([\d.]+)", re.MULTILINE)


Values = Sequence[str | None] | NDArray[Any]


class Clause(NamedTuple):
    """A clause of Tertius: how far it is confirmed, how often it is broken, and its text."""

    confirmation: float
    noise: float
    text: str


def find_weka() -> Path | None:
    """Weka's jar: the file that `SHOAL_WEKA` names, or Debian's; None without it or Java."""
    named = os.environ.get("SHOAL_WEKA")
    if named and not Path(named).is_file():
        raise ParameterError("SHOAL_WEKA names no file. Set it to the path of weka.jar.")
    jar = Path(named) if named else _USUAL
    return jar if jar.is_file() and shutil.which("java") else None


def j48_error(jar: Path, train: Examples, test: Examples) -> float:
    """Test rows in percent that J48 with its own settings gets wrong."""
    with tempfile.TemporaryDirectory() as folder:
        learn, judge = Path(folder) / "train.arff", Path(folder) / "test.arff"
        header = arff_header(train, test)
        for path, rows in ((learn, train), (judge, test)):
            path.write_text(header + arff_rows(rows), "utf-8")
        files = ["-t", str(learn), "-T", str(judge), "-o", "-v"]  # -v: not the training rows
        said = _call(jar, "weka.classifiers.trees.J48", files)
    found = _ERRORS.findall(said)
    return 100 * int(found[-1]) / len(test.classes)


def tertius_rules(jar: Path, columns: Mapping[str, Values]) -> list[Clause]:
    """Clauses that Tertius with its own settings finds, in its order."""
    said = _mine(jar, "weka.associations.Tertius", columns)
    return [Clause(float(a), float(b), text) for a, b, text in _CLAUSE.findall(said)]


def k_means_squares(jar: Path, columns: Mapping[str, Values]) -> float:
    """Squared error within two clusters of SimpleKMeans with its own settings."""
    return float(_SQUARES.findall(_mine(jar, "weka.clusterers.SimpleKMeans", columns))[-1])


def arff_table(columns: Mapping[str, Values]) -> str:
    """A table for Weka: arrays of numbers are numeric, None is missing, the rest is nominal."""
    lines, cells = ["@relation rows"], []
    for name, values in columns.items():
        if isinstance(values, np.ndarray) and values.dtype.kind == "f":
            lines.append(f"@attribute {_quoted(name)} numeric")
            cells.append([repr(float(value)) for value in values])
        else:
            known = dict.fromkeys(value for value in values if value is not None)
            lines.append(f"@attribute {_quoted(name)} {{{','.join(map(_quoted, known))}}}")
            cells.append(["?" if value is None else _quoted(value) for value in values])
    rows = "".join(",".join(row) + "\n" for row in zip(*cells, strict=True))
    return "\n".join([*lines, "@data", rows])


def _mine(jar: Path, scheme: str, columns: Mapping[str, Values]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.arff"
        path.write_text(arff_table(columns), "utf-8")
        return _call(jar, scheme, ["-t", str(path)])


def _call(jar: Path, scheme: str, options: Sequence[str]) -> str:
    command = ["java", "-Djava.awt.headless=true", "-Xmx2g", "-cp", str(jar), scheme, *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def arff_header(train: Examples, test: Examples) -> str:
    """Names of the columns and all values of each, the class last."""
    columns = [
        (name, np.union1d(train.columns[name], test.columns[name])) for name in train.columns
    ]
    columns.append(("class of the row", np.union1d(train.classes, test.classes)))
    lines = [
        f"@attribute {_quoted(name)} {{{','.join(map(_quoted, values))}}}"
        for name, values in columns
    ]
    return "\n".join(["@relation rows", *lines, "@data", ""])


def arff_rows(rows: Examples) -> str:
    """One line for each row."""
    columns = [list(map(_quoted, values)) for values in (*rows.columns.values(), rows.classes)]
    return "".join(",".join(row) + "\n" for row in zip(*columns, strict=True))


def _quoted(value: str) -> str:
    escaped = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
