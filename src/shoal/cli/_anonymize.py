"""`shoal anonymize`: a release that keeps its promise."""

import inspect
import secrets
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal import anonymize as methods
from shoal.cli._options import (
    Encoding,
    Force,
    K,
    MissingToRoot,
    Privacy,
    SchemaFile,
    Table,
    read_privacy,
    refuse_existing,
)
from shoal.cli._output import output
from shoal.cli._show import show_release
from shoal.errors import ParameterError
from shoal.schema import Schema
from shoal.tables import Output as Rows

app = typer.Typer()

METHODS: dict[str, str] = {
    "bottom-up": "BottomUpGeneralization",
    "top-down": "TopDownSpecialization",
    "full-domain": "FullDomain",
    "mondrian": "Mondrian",
    "constrained": "ConstrainedKMember",
}
"""Names on the command line of the classes in `shoal.anonymize` that take a schema and a model."""


@app.command()
def anonymize(
    table: Table,
    schema: SchemaFile,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="File to write: .csv, .parquet, .arrow.")
    ],
    method: Annotated[
        str, typer.Option("--method", "-m", help=f"One of {', '.join(METHODS)}.")
    ] = "bottom-up",
    k: K = None,
    diversity: Privacy = None,
    suppress: Annotated[
        float | None, typer.Option("--suppress", help="Share of rows that may be left out, 0 to 1.")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option("--metric", help="What to lose least of: information, ncp, ..."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--set", help="A parameter of the method, NAME=VALUE. May be repeated."),
    ] = None,
    keep_suppressed: Annotated[
        bool, typer.Option("--keep-suppressed", help="Keep suppressed rows, starred.")
    ] = False,
    shuffle: Annotated[
        bool, typer.Option("--shuffle", help="Break the order of the rows, for good.")
    ] = False,
    ranges: Annotated[
        list[str] | None,
        typer.Option("--ranges", help="Numeric column that also gets _min, _max and _mean."),
    ] = None,
    missing_to_root: MissingToRoot = False,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Release TABLE so that everybody hides among at least k people.

    Writes the release with its manifest, its recoding and its schema beside it.  The output is
    counted again before it is handed out.
    """
    release_paths = [out, *(_beside(out, end) for end in (".manifest.json", ".recoding.json"))]
    refuse_existing(release_paths, force=force)
    estimator = make_method(
        method,
        Schema.from_toml(schema),
        read_privacy(k, diversity),
        {"max_suppression": suppress, "metric": metric, **_parse(option or [])},
    )
    rows = Rows(
        keep_suppressed=keep_suppressed,
        shuffle=secrets.randbits(31) if shuffle else None,  # drawn, never kept
        ranges=tuple(ranges or ()),
    )
    out_ = output()
    started = time.perf_counter()
    with out_.progress() as progress:
        estimator.fit(
            table,
            output=rows,
            missing_to_root=missing_to_root,
            encoding=encoding,
            progress=progress,
        )
        progress(0, 0, "writing and counting again")
        release = estimator.release_
        paths = release.write(out, force=force)
    data = release.to_dict() | {
        "files": {name: str(path) for name, path in paths.items()},
        "total_seconds": round(time.perf_counter() - started, 3),
    }
    out_.emit(data, lambda: show_release(release, paths))


def make_method(name: str, schema: Schema, privacy: Any, parameters: dict[str, Any]) -> Any:
    """The estimator called `name`; parameters that are None keep their defaults."""
    known = {key: kind for key, kind in METHODS.items() if hasattr(methods, kind)}
    if name not in known:
        raise ParameterError(f"unknown method {name!r}. Choose from {', '.join(known)}.")
    kind = getattr(methods, known[name])
    given = {key: value for key, value in parameters.items() if value is not None}
    allowed = set(inspect.signature(kind).parameters) - {"schema", "privacy"}
    if unknown := sorted(given.keys() - allowed):
        raise ParameterError(
            f"method {name} has no parameter {unknown[0]!r}. It has {', '.join(sorted(allowed))}."
        )
    return kind(schema, privacy, **given)


def _parse(options: list[str]) -> dict[str, Any]:
    parsed: dict[str, Any] = {}
    for option in options:
        name, equals, text = option.partition("=")
        if not equals:
            raise ParameterError(f"--set {option!r}: write NAME=VALUE.")
        parsed[name.replace("-", "_")] = _value(text)
    return parsed


def _value(text: str) -> Any:
    named = {"true": True, "false": False, "none": None}
    if text.lower() in named:
        return named[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name.removesuffix(path.suffix) + end)
