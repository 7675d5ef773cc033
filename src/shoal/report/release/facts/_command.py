"""The command that makes a release again, as far as the manifest tells it."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Mapping
from typing import Any

from shoal import anonymize
from shoal.anonymize._registry import word_of
from shoal.anonymize._release_files import find_schema
from shoal.privacy._words import write_condition, write_requirement
from shoal.report.release.facts._recount import Recount
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.tables._engine import OpenOptions

WORD = re.compile(r"[\w.+-]{1,40}")
"""What cannot be what somebody wrote about people."""
_OPTIONS = {"max_suppression": "--suppress", "metric": "--metric"}


def commands(
    release: ReleaseFile,
    seen: Recount | None,
    original: str | None,
    reading: OpenOptions | None = None,
) -> list[str]:
    """The commands for the release and for this report; empty where the first has no words."""
    method = word_of(release.get("method"))
    promise = _promise(release.get("privacy"))
    settings = _settings(release)
    if method is None or promise is None or settings is None or release.table is None:
        return []
    raw, out = original or "RAW.csv", release.table.name
    schema = find_schema(release.table).relative_to(release.table.parent).as_posix()
    parts = ["shoal", "anonymize", raw, "--schema", schema, "--method", method, *promise, *settings]
    parts += _form(release) + _rows(release, seen)
    how = [] if reading is None else _reading(reading)
    report = ["shoal", "report", out, *(["--original", original] if original else [])]
    return [shlex.join([*parts, *how, "--out", _again(out)]), shlex.join([*report, *how])]


def _reading(told: OpenOptions) -> list[str]:
    """Options on how the raw table is read, as given; names of the house are left open."""
    words: list[str] = []
    for name in ("encoding", "delimiter", "decimal", "thousands", "dates", "sheet", "table"):
        if (value := getattr(told, name)) is not None:
            words += [f"--{name}", name.upper() if name in ("sheet", "table") else value]
    if told.header is not None:
        words.append("--header" if told.header else "--no-header")
    for word in told.missing or ():
        words += ["--missing", word]
    return words + (["--skip-bad-rows"] if told.skip_bad_rows else [])


def _form(release: ReleaseFile) -> list[str]:
    """The form numbers were written in, unless it is the method's default."""
    form = str(release.manifest.get("form", "labels"))
    own = getattr(getattr(anonymize, str(release.get("method")), None), "form", "labels")
    return [] if form == own else ["--as", form]


def _again(name: str) -> str:
    """Another name: the schema that the command reads lies beside the release it was made with."""
    stem, dot, suffix = name.partition(".")
    return f"{stem}-again{dot}{suffix}"


def _rows(release: ReleaseFile, seen: Recount | None) -> list[str]:
    """Options on how rows are written; a secret is a word to put something in the place of."""
    manifest = release.manifest
    words: list[str] = []
    if manifest.get("keep_suppressed") or (seen is not None and seen.n_starred):
        words.append("--keep-suppressed")
    if manifest.get("order") == "input":
        words.append("--keep-order")
    if manifest.get("order") == "seed":
        words += ["--order-seed", "SEED"]
    ranges = manifest.get("ranges")
    for name in ranges if isinstance(ranges, list) else ():
        words += ["--statistics", str(name)]
    return words + (["--key", "KEY"] if manifest.get("key") else [])


def _promise(privacy: Any) -> list[str] | None:
    """`-k` and further conditions; None for one that the command line has no word for."""
    if not isinstance(privacy, Mapping):
        return None
    models = privacy["models"] if isinstance(privacy.get("models"), list) else [privacy]
    k = next((m.get("k") for m in models if m.get("model") == "KAnonymity"), None)
    words = [] if k is None else ["-k", str(k)]
    for model in models:
        if model.get("model") == "KAnonymity":
            continue
        if required := model.get("model") == "Requirement":
            condition = write_requirement(model)
        else:
            condition = write_condition(model, k)
        if condition is None:
            return None
        words += ["--requirement" if required else "--diversity", condition]
    return words or None


def _settings(release: ReleaseFile) -> list[str] | None:
    """Parameters that are not the method's defaults; None where one is no word or number."""
    defaults = _defaults(getattr(anonymize, str(release.get("method")), None))
    words: list[str] = []
    for name, value in release.mapping("parameters").items():
        if value is None or value == defaults.get(name):
            continue
        if name == "weights" and isinstance(value, Mapping):
            for column, weight in value.items():
                words += ["--weight", f"{column}={weight}"]
            continue
        if not isinstance(value, str | int | float) or not WORD.fullmatch(str(value)):
            return None
        text = str(value).lower() if isinstance(value, bool) else str(value)
        words += [_OPTIONS[name], text] if name in _OPTIONS else ["--set", f"{name}={text}"]
    return words


def _defaults(kind: Any) -> dict[str, Any]:
    if kind is None:
        return {}
    return {name: p.default for name, p in inspect.signature(kind).parameters.items()}
