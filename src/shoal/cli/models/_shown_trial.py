"""What commands that train classifiers say of accuracy and of exposed people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.cli._output import WRITTEN_OUT, output

if TYPE_CHECKING:
    from shoal.cli.models._trial import Tested
    from shoal.models._published import Exposure, PublishedClassifier


def echo_trial(tested: Tested | None) -> None:
    """Accuracy on rows held out, where there were any."""
    if tested is not None:
        typer.echo(
            f"Accuracy on {tested.rows:,} rows held out: {tested.accuracy:.1%} "
            f"(95 % interval {tested.low:.1%} to {tested.high:.1%}); "
            f"always the commonest class: {tested.majority:.1%}."
        )


def echo_exposure(exposure: Exposure | None) -> None:
    """People whose class is certain, where the class is private."""
    if exposure is not None:
        typer.echo(
            f"Exposed: the class of {exposure.exposed:,} of {exposure.rows:,} people "
            f"({exposure.share:.2%}) is certain; highest confidence {exposure.confidence:.1%}."
        )


def echo_lines(text: str, most: int) -> None:
    """The first lines of what files hold whole."""
    lines = text.splitlines()
    typer.echo("\n".join(lines[:most]).translate(WRITTEN_OUT))
    if len(lines) > most:
        typer.echo(f"... and {len(lines) - most} more lines")


def echo_model(model: PublishedClassifier, tested: Tested | None, out: Path | None) -> None:
    """How right a classifier is, what it promises, what it exposes, and where it was written."""
    echo_trial(tested)
    typer.echo(model.guarantee())
    echo_exposure(model.exposure_)
    if out is not None:
        rest = " (trained on all rows; the accuracy is of a model without those held out)"
        output().note(f"Written to {out.name}{'' if tested is None else rest}.")


def model_facts(model: PublishedClassifier, tested: Tested | None) -> dict[str, Any]:
    """What machines are told of every classifier."""
    return {
        "guarantee": model.guarantee(),
        "privacy": model.privacy_.to_dict(),
        "spans": model.spans_.n_spans,
        "largest_k": model.spans_.largest_k,
        "exposure": model.exposure_,
        "tested": tested,
    }
