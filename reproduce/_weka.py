"""Weka's J48, the C4.5 that the papers used, where Java and Weka are on the machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from reproduce._classify import Examples
from shoal.errors import ParameterError

_USUAL = Path("/usr/share/java/weka.jar")
_ERRORS = re.compile(r"^Incorrectly Classified Instances\s+(\d+)", re.MULTILINE)


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
        call = ["java", "-Djava.awt.headless=true", "-cp", str(jar), "weka.classifiers.trees.J48"]
        files = ["-t", str(learn), "-T", str(judge), "-o", "-v"]  # -v: not the training rows
        done = subprocess.run([*call, *files], capture_output=True, text=True, check=True)
    found = _ERRORS.findall(done.stdout)
    return 100 * int(found[-1]) / len(test.classes)


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
