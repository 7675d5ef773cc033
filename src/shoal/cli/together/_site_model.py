"""`shoal site train` and `shoal site predict`: a model from share files, and its predictions."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal._atomic import write_text
from shoal.cli._options import (
    Force,
    Table,
    refuse_existing,
    refuse_format,
)
from shoal.cli._output import output
from shoal.cli._reading import reads_tables, refuse_input
from shoal.cli.publish._attack_output import show_facts
from shoal.cli.together._passphrase import PassphraseFile, passphrase
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.federated import RandomKernelCox, RandomKernelSVC
    from shoal.federated.kernels._shares import Share


def train(
    files: Annotated[list[Path], typer.Argument(metavar="FILES", help="The sites' share files.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write: .json.")],
    site: Annotated[
        list[str] | None,
        typer.Option("--site", help="Site whose file is expected. May be repeated."),
    ] = None,
    nu: Annotated[
        float | None,
        typer.Option(help="Of a classifier: weight of errors against the margin; 1 if not given."),
    ] = None,
    ridge: Annotated[
        float | None,
        typer.Option(help="Of a survival model: weight of squared coefficients; 0 if not given."),
    ] = None,
    site_weight: Annotated[
        list[str] | None,
        typer.Option("--site-weight", help="SITE=NUMBER, for the rows of a site. May be repeated."),
    ] = None,
    force: Force = False,
) -> None:
    """Train on the sites' shares: a classifier on labels, a Cox model on survival times.

    Whoever trains needs no kernel.  The model is the one that `fit_shares` gives in Python.
    """
    from shoal.cli._options import numbers_by_column
    from shoal.federated import read_shares
    from shoal.federated._model_file import write_site_model

    refuse_format(out, (".json",))
    refuse_input([out], files)
    refuse_existing([out], force=force)
    shares = read_shares(files, site)
    weights = numbers_by_column("--site-weight", site_weight) or None
    model = _model(shares, nu, ridge).fit_shares(shares, weights)
    facts = write_site_model(model, shares, out)
    reached = {"file": out.name, **facts, **_reached(model)}
    output().emit(reached, lambda: show_facts(reached))


def _model(
    shares: Sequence[Share], nu: float | None, ridge: float | None
) -> RandomKernelSVC | RandomKernelCox:
    """An estimator for the outcome that the shares hold."""
    from shoal.federated import RandomKernelCox, RandomKernelSVC

    if shares[0].outcome == "label":
        if ridge is not None:
            raise ParameterError("--ridge is for survival models, and the shares hold labels.")
        return RandomKernelSVC(nu=1.0 if nu is None else nu)
    if nu is not None:
        raise ParameterError("--nu is for classifiers, and the shares hold survival times.")
    return RandomKernelCox(ridge=0.0 if ridge is None else ridge)


def _reached(model: Any) -> dict[str, Any]:
    names = ("objective_", "gradient_norm_", "n_iter_", "log_likelihood_")
    return {name.rstrip("_"): getattr(model, name) for name in names if hasattr(model, name)}


@reads_tables
def predict(
    table: Table,
    model: Annotated[Path, typer.Option("--model", help="File that `shoal site train` wrote.")],
    kernel: Annotated[Path, typer.Option("--kernel", help="Kernel file.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write: .csv.")],
    times: Annotated[
        str | None,
        typer.Option("--times", help="Of a survival model: chance to outlive these, e.g. 1,2,5."),
    ] = None,
    passphrase_file: PassphraseFile = None,
    force: Force = False,
) -> None:
    """Predict for the rows of TABLE, in their order; the file is about people and stays here."""
    from shoal.federated import RandomKernel, RandomKernelCox
    from shoal.federated._model_file import read_site_model
    from shoal.federated.transforms._files import read_rows

    refuse_format(out, (".csv",))
    refuse_input([out], [table, model, kernel])
    refuse_existing([out], force=force)
    shared = RandomKernel.load(kernel, passphrase(passphrase_file))
    site_model = read_site_model(model, shared)
    rows = read_rows(table)
    if isinstance(site_model, RandomKernelCox):
        columns = _survival(site_model, rows, _read_times(times))
    elif times is not None:
        raise ParameterError("--times is for survival models, and this is a classifier.")
    else:
        columns = {
            "class": site_model.predict(rows).tolist(),
            "score": site_model.decision_function(rows).tolist(),
        }
    write_text(out, _as_csv(columns))
    facts = {"file": out.name, "rows": len(rows), "columns": list(columns)}
    output().emit(facts, lambda: show_facts(facts))


def _survival(model: RandomKernelCox, rows: Any, times: list[float]) -> dict[str, list[Any]]:
    columns = {"log hazard": model.predict(rows).tolist()}
    chances = model.predict_survival(rows, times)
    return columns | {
        f"alive after {time:g}": chances[:, index].tolist() for index, time in enumerate(times)
    }


def _read_times(text: str | None) -> list[float]:
    try:
        return [float(part) for part in text.split(",")] if text else []
    except ValueError:
        raise ParameterError(f"--times {text!r}: write numbers with commas between.") from None


def _as_csv(columns: dict[str, list[Any]]) -> str:
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return held.getvalue()
