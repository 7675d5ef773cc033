"""`shoal tree`: train a decision tree that can be published with its counts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal._atomic import write_text
from shoal.cli._options import (
    Encoding,
    Force,
    KByDefault,
    Privacy,
    SchemaFile,
    Seed,
    Table,
    Target,
    refuse_existing,
    refuse_format,
)
from shoal.cli._output import output
from shoal.cli._reading import read_privacy, reads_tables
from shoal.cli.models._shown_trial import echo_lines, echo_model, model_facts

if TYPE_CHECKING:
    from shoal.cli.models._trial import Tested
    from shoal.models import KAnonymousTreeClassifier

app = typer.Typer(help="Train a decision tree that can be published with its counts.")

FORMATS = (".json", ".pmml", ".dot", ".txt")
SHOWN = 40
"""Lines of a tree, and leaves, that are shown to people; files hold all of them."""


@app.command()
@reads_tables
def tree(
    table: Table,
    schema: SchemaFile,
    target: Target = None,
    k: KByDefault = 10,
    diversity: Privacy = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the tree here: .json, .pmml, .dot or .txt."),
    ] = None,
    criterion: Annotated[str, typer.Option(help="gain (ID3), gain_ratio (C4.5) or gini.")] = "gain",
    splits: Annotated[
        str,
        typer.Option(help="Categories: binary (two sets of them), or multiway (a branch each)."),
    ] = "binary",
    look_ahead: Annotated[
        bool,
        typer.Option(
            "--look-ahead", help="Look a step ahead where a split leaves what cannot be split."
        ),
    ] = False,
    prune: Annotated[
        bool | None, typer.Option("--prune/--no-prune", help="Prune; as C4.5 does unless given.")
    ] = None,
    confidence_factor: Annotated[
        float, typer.Option(help="Of pruning, as in C4.5: at most 0.5; less prunes more.")
    ] = 0.25,
    max_depth: Annotated[int | None, typer.Option(min=0, help="Depth limit.")] = None,
    max_leaves: Annotated[
        int | None, typer.Option(min=1, help="Limit of leaves; the tree grows best first.")
    ] = None,
    confidence: Annotated[float | None, typer.Option(hidden=True)] = None,
    test_share: Annotated[
        float, typer.Option(min=0.0, max=0.9, help="Share of rows held out to test; 0 for none.")
    ] = 0.3,
    seed: Seed = 0,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Train on TABLE, test on rows held out, and say what the tree reveals about people.

    A tree that is written is trained on all rows; the accuracy is that of a tree without those
    held out.
    """
    from shoal.cli.models._trial import read_classes, train, with_target
    from shoal.models import KAnonymousTreeClassifier
    from shoal.schema import Schema

    refuse_format(out, FORMATS)
    refuse_existing([] if out is None else [out], force=force)
    roles, name = with_target(Schema.from_toml(schema), target)
    columns, classes = read_classes(table, roles, name, encoding)
    model = KAnonymousTreeClassifier(
        roles,
        read_privacy(k, _conditions(confidence, diversity)),
        criterion=criterion,  # type: ignore[arg-type]
        splits=splits,  # type: ignore[arg-type]
        prune="auto" if prune is None else prune,
        confidence_factor=confidence_factor,
        look_ahead=look_ahead,
        max_depth=max_depth,
        max_leaves=max_leaves,
    )
    model, tested = train(
        model,
        columns,
        classes,
        share=test_share,
        seed=seed,
        doing="growing the tree",
        published=out is not None,
    )
    if out is not None:
        write_text(out, _written(model, out.suffix))
    output().emit(_result(model, tested, out), lambda: _show(model, tested, out))


def _conditions(confidence: float | None, diversity: list[str] | None) -> list[str]:
    """All conditions in one spelling; `--confidence 0.9` and `--diversity 1.5` are older ones."""
    older = [] if confidence is None else [f"confidence:{confidence}"]
    return older + [f"entropy:{text}" if text[:1].isdigit() else text for text in diversity or ()]


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
        **model_facts(model, tested),
        "leaves": model.leaves(),
        "text": model.export_text(),
        "out": None if out is None else str(out),
    }


def _show(model: KAnonymousTreeClassifier, tested: Tested | None, out: Path | None) -> None:
    echo_lines(model.export_text(), SHOWN)
    leaves = sorted(model.leaves(), key=lambda leaf: -leaf.rows)
    rows = [(leaf.node, leaf.rows, str(leaf.label), leaf.confidence) for leaf in leaves[:SHOWN]]
    more = f", the largest {SHOWN} of {len(leaves)}" if len(leaves) > SHOWN else ""
    output().table(f"Leaves{more}", ("leaf", "rows", "class", "confidence"), rows)
    echo_model(model, tested, out)
