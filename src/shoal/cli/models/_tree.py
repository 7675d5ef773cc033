"""`shoal tree`: train a decision tree that can be published with its counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from scipy.stats import binomtest

from shoal._atomic import refuse_existing, write_text
from shoal.cli._output import output
from shoal.errors import ParameterError, SchemaError, TableError
from shoal.models import KAnonymousTreeClassifier
from shoal.privacy import ConfidenceLimit, EntropyDiversity, KAnonymity, PrivacyModel
from shoal.schema import Schema
from shoal.tables import open_table

app = typer.Typer(help="Train a decision tree that can be published with its counts.")

SHOWN = 40
"""Lines of a tree, and leaves, that are shown to people; files hold all of them."""


@dataclass(frozen=True)
class Tested:
    """Accuracy on rows that the tree has not seen, with a 95 % interval (Wilson)."""

    rows: int
    accuracy: float
    low: float
    high: float
    majority: float  # accuracy of always naming the commonest class of the training rows


@app.command()
def tree(
    table: Annotated[Path, typer.Argument(help="CSV or Parquet file, or a folder of them.")],
    schema: Annotated[
        Path,
        typer.Option("--schema", "-s", exists=True, dir_okay=False, help="Column roles, TOML."),
    ],
    target: Annotated[
        str | None, typer.Option("--target", help="The class; that of the schema without.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Smallest group of people.")] = 10,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the tree here: .json, .pmml, .dot or .txt."),
    ] = None,
    criterion: Annotated[str, typer.Option(help="gain (ID3), gain_ratio (C4.5) or gini.")] = "gain",
    prune: Annotated[
        bool | None, typer.Option("--prune/--no-prune", help="Prune; without, as C4.5 does.")
    ] = None,
    max_depth: Annotated[int | None, typer.Option(min=0, help="Depth limit.")] = None,
    confidence: Annotated[
        float | None, typer.Option(help="Nobody's class may be surer than this share.")
    ] = None,
    diversity: Annotated[
        float | None, typer.Option(help="Entropy l-diversity of private columns.")
    ] = None,
    test_share: Annotated[
        float, typer.Option(min=0.0, max=0.9, help="Share of rows held out to test; 0 for none.")
    ] = 0.3,
    seed: Annotated[int, typer.Option(help="Seed of the split.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Train on TABLE, test on rows held out, and say what the tree reveals about people."""
    if out is not None and out.suffix not in (".json", ".pmml", ".dot", ".txt"):
        raise ParameterError(f"cannot tell the format of {out.name!r}: .json, .pmml, .dot, .txt.")
    refuse_existing([] if out is None else [out], force=force)
    roles, name = _with_target(Schema.from_toml(schema), target)
    columns, classes = _read(table, roles, name)
    model = KAnonymousTreeClassifier(
        roles,
        _privacy(k, confidence, diversity),
        criterion=criterion,  # type: ignore[arg-type]
        prune="auto" if prune is None else prune,
        max_depth=max_depth,
    )
    held_out = _hold_out(len(classes), test_share, seed)
    with output().progress() as progress:
        progress(0, 0, "growing the tree")
        model.fit(_rows(columns, ~held_out), classes[~held_out])
    tested = _test(model, _rows(columns, held_out), classes[held_out])
    if out is not None:
        write_text(out, _written(model, out.suffix))
    output().emit(_result(model, tested, out), lambda: _show(model, tested, out))


def _with_target(schema: Schema, target: str | None) -> tuple[Schema, str]:
    name = target or schema.target
    if name is None:
        raise SchemaError("the schema names no target. Say which column with --target.")
    if name not in schema:
        raise SchemaError(f"the schema has no column {name!r}. Check --target.")
    columns = {own: replace(column, target=own == name) for own, column in schema.items()}
    return Schema(columns), name


def _read(table: Path, schema: Schema, target: str) -> tuple[dict[str, Any], Any]:
    """Columns of the table, and the class of every row that has one."""
    engine = open_table(table)
    schema.require(engine.names)
    columns = engine.columns()
    classes = columns.pop(target)
    known = ~np.ma.getmaskarray(classes)
    if not known.all():
        output().note(f"{int((~known).sum())} rows without a class are left out.")
    found = np.ma.getdata(classes)[known]
    if not len(found):
        raise TableError("the table has no rows with a class.")
    return {name: column[known] for name, column in columns.items()}, found


def _privacy(k: int, confidence: float | None, diversity: float | None) -> PrivacyModel:
    model: PrivacyModel = KAnonymity(k)
    if confidence is not None:
        model = model & ConfidenceLimit(confidence)
    if diversity is not None:
        model = model & EntropyDiversity(diversity)
    return model


def _hold_out(n_rows: int, share: float, seed: int) -> Any:
    held_out = np.zeros(n_rows, np.bool_)
    held_out[np.random.default_rng(seed).permutation(n_rows)[: int(share * n_rows)]] = True
    return held_out


def _rows(columns: dict[str, Any], kept: Any) -> dict[str, Any]:
    return {name: column[kept] for name, column in columns.items()}


def _test(model: KAnonymousTreeClassifier, rows: dict[str, Any], classes: Any) -> Tested | None:
    if not len(classes):
        return None
    right = int((model.predict(rows) == classes).sum())
    interval = binomtest(right, len(classes)).proportion_ci(0.95, method="wilson")
    commonest = model.classes_[model.tree_.nodes.counts[0].argmax()]
    return Tested(
        len(classes),
        right / len(classes),
        float(interval.low),
        float(interval.high),
        float((classes == commonest).mean()),
    )


def _written(model: KAnonymousTreeClassifier, suffix: str) -> str:
    match suffix:
        case ".json":
            return model.to_json()
        case ".pmml":
            return model.export_pmml()
        case ".dot":
            return model.export_dot()
        case _:
            return model.export_text() + "\n"


def _result(
    model: KAnonymousTreeClassifier, tested: Tested | None, out: Path | None
) -> dict[str, Any]:
    return {
        "guarantee": model.guarantee(),
        "privacy": model.privacy_.to_dict(),
        "spans": model.spans_.n_spans,
        "largest_k": model.spans_.largest_k,
        "exposure": model.exposure_,
        "tested": tested,
        "leaves": model.leaves(),
        "text": model.export_text(),
        "out": None if out is None else str(out),
    }


def _show(model: KAnonymousTreeClassifier, tested: Tested | None, out: Path | None) -> None:
    lines = model.export_text().splitlines()
    typer.echo("\n".join(lines[:SHOWN]))
    if len(lines) > SHOWN:
        typer.echo(f"... and {len(lines) - SHOWN} more lines")
    leaves = sorted(model.leaves(), key=lambda leaf: -leaf.rows)
    rows = [(leaf.node, leaf.rows, str(leaf.label), leaf.confidence) for leaf in leaves[:SHOWN]]
    more = f", the largest {SHOWN} of {len(leaves)}" if len(leaves) > SHOWN else ""
    output().table(f"Leaves{more}", ("leaf", "rows", "class", "confidence"), rows)
    if tested is not None:
        typer.echo(
            f"Accuracy on {tested.rows:,} rows held out: {tested.accuracy:.1%} "
            f"(95 % interval {tested.low:.1%} to {tested.high:.1%}); "
            f"always the commonest class: {tested.majority:.1%}."
        )
    typer.echo(model.guarantee())
    if model.exposure_ is not None:
        typer.echo(
            f"Exposed: the class of {model.exposure_.exposed:,} of {model.exposure_.rows:,} people "
            f"({model.exposure_.share:.2%}) is certain; highest confidence "
            f"{model.exposure_.confidence:.1%}."
        )
    if out is not None:
        output().note(f"Written to {out.name}.")
