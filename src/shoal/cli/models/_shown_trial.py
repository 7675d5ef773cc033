"""What commands that train classifiers say of accuracy and of exposed people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from shoal.cli.models._tree_trial import Tested
    from shoal.models.tree._publish import Exposure


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
