"""`shoal bayes`: train a naive Bayes classifier that can be published with its counts."""

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
    from shoal.models import KAnonymousNaiveBayes

app = typer.Typer(help="Train a naive Bayes classifier that can be published with its counts.")

FORMATS = (".json", ".txt")
SHOWN = 60
"""Lines of counts that are shown to people; files hold all of them."""


@app.command()
@reads_tables
def bayes(
    table: Table,
    schema: SchemaFile,
    target: Target = None,
    k: KByDefault = 10,
    diversity: Privacy = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the counts here: .json or .txt.")
    ] = None,
    ranges: Annotated[
        int, typer.Option(min=1, help="Ranges of a column of numbers or dates, at most.")
    ] = 10,
    alpha: Annotated[float, typer.Option(help="Added to every count when shares are taken.")] = 1.0,
    test_share: Annotated[
        float, typer.Option(min=0.0, max=0.9, help="Share of rows held out to test; 0 for none.")
    ] = 0.3,
    seed: Seed = 0,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Train on TABLE, test on rows held out, and say what the counts reveal about people.

    Every person is counted by one column at most, and every count that tells something private is
    of a group that the promise allows.  What is written is trained on all rows.
    """
    from shoal.cli.models._trial import read_classes, train, with_target
    from shoal.models import KAnonymousNaiveBayes
    from shoal.schema import Schema

    refuse_format(out, FORMATS)
    refuse_existing([] if out is None else [out], force=force)
    roles, name = with_target(Schema.from_toml(schema), target)
    columns, classes = read_classes(table, roles, name, encoding)
    privacy = read_privacy(k, diversity)
    model = KAnonymousNaiveBayes(roles, privacy, ranges=ranges, alpha=alpha, random_state=seed)
    model, tested = train(
        model,
        columns,
        classes,
        share=test_share,
        seed=seed,
        doing="counting",
        published=out is not None,
    )
    if out is not None:
        write_text(out, model.to_json() if out.suffix == ".json" else model.export_text() + "\n")
    output().emit(_result(model, tested, out), lambda: _show(model, tested, out))


def _result(model: KAnonymousNaiveBayes, tested: Tested | None, out: Path | None) -> dict[str, Any]:
    return {
        **model_facts(model, tested),
        "classes": [str(value) for value in model.classes_.tolist()],
        "class_counts": model.class_counts_.tolist(),
        "columns": [
            {"name": own.name, "labels": own.shown_labels(), "counts": own.counts.tolist()}
            for own in model.columns_
        ],
        "out": None if out is None else str(out),
    }


def _show(model: KAnonymousNaiveBayes, tested: Tested | None, out: Path | None) -> None:
    echo_lines(model.export_text(values=False), SHOWN)
    echo_model(model, tested, out)
