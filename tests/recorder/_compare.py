"""Two recordings side by side: byte for byte, apart from what must vary."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

NUMBER = rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
VERSION = rb"\d+\.\d+[\w.+]*"
PROGRAMS = rb"[Pp]ython|shoal|numpy|scipy|numba|scikit-learn|duckdb|narwhals|lifelines"

RULES: tuple[tuple[str, bytes], ...] = (
    # seconds in JSON: of a whole, of a paper's experiment
    (r"\.(json|txt)$", rb'"(?:\w+_)?seconds": (' + NUMBER + rb")"),
    (r"\.(json|txt)$", rb'"ours": (' + NUMBER + rb')(?=(?:,\s+"\w+": [^\n]*){3},\s+"unit": "s")'),
    # in sentences and tables for people
    (r"\.(txt|md)$", rb"\b(\d+(?:\.\d+)?) s\b"),
    (r"^frontier/\w+\.csv$", rb"(?m)^(?:[^,\n]*,){8}(" + NUMBER + rb"),"),
    (r"evidence/index\.md$", rb"(?m)\| (" + NUMBER + rb") \|$"),
    (r"\.html$", rb'<data value="(' + NUMBER + rb')" data-at="\[&quot;seconds&quot;'),
    (r"\.html$", rb'&quot;seconds&quot;, &quot;\w+&quot;\]">(' + NUMBER + rb")<"),
    (r"\.html$", rb"manifest\.json</th><td><code>([0-9a-f]{64})"),  # it holds seconds
    # versions
    (r"\.(json|txt)$", rb'"(?:' + PROGRAMS + rb')": "(' + VERSION + rb')"'),
    (r"\.html$", rb"(?:" + PROGRAMS + rb")</th><td>(" + VERSION + rb")<"),
    (r"\.(html|md)$", rb"(?:" + PROGRAMS + rb"|Shoal) (\d+\.\d+(?:\.\w+)*)"),
    (r"\.pmml$", rb'<Application name="\w+" version="([^"]*)"'),
)
"""Files (by the end of their path), and what varies in them (the group of the pattern)."""

BY_PHASE = rb'"seconds": \{[^{}]*\}'
"""Seconds of each phase in JSON; the names of the phases are compared."""


def differences(before: Path, after: Path, *, only: str = "", lines: int = 5) -> list[str]:
    """What differs between two recordings, one text for each file.

    Parameters
    ----------
    before, after : Path
        Folders that `record` filled.
    only : str
        Look at cases whose name contains this.
    lines : int
        Changed lines to show of each file that is text.
    """
    one, two = _files(before, only), _files(after, only)
    found = []
    for name in sorted(one.keys() | two.keys()):
        if name not in two:
            found.append(f"{name}: missing from {after}")
        elif name not in one:
            found.append(f"{name}: not in {before}")
        else:
            left, right = (normalise(name, path.read_bytes()) for path in (one[name], two[name]))
            if left != right:
                found.append("\n".join([f"{name}: differs", *_changed(left, right)[:lines]]))
    return found


def normalise(name: str, content: bytes) -> bytes:
    """The content of a file without what varies between two runs of the same code."""
    for end, pattern in RULES:
        if re.search(end, name):
            content = re.sub(pattern, _hide, content)
    if name.endswith((".json", ".txt")):
        content = re.sub(BY_PHASE, lambda m: re.sub(rb": (" + NUMBER + rb")", _hide, m[0]), content)
    return content


def _hide(found: re.Match[bytes]) -> bytes:
    """The match with its group left out."""
    start, stop = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:start] + b"<varies>" + found[0][stop:]


def _files(folder: Path, only: str) -> dict[str, Path]:
    if not folder.is_dir():
        raise SystemExit(f"{folder} is not a folder.")
    found = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {name.as_posix(): path for name, path in found.items() if only in name.parts[0]}


def _changed(left: bytes, right: bytes) -> list[str]:
    try:
        texts = [content.decode().splitlines() for content in (left, right)]
    except UnicodeDecodeError:
        return [f"  {len(left)} bytes, then {len(right)}"]
    diff = difflib.unified_diff(*texts, lineterm="", n=0)
    return [f"  {line[:200]}" for line in diff if not line.startswith(("---", "+++", "@@"))]
