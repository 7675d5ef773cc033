"""`shoal rules`: association rules that can be published with support and confidence."""

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
    Table,
    refuse_existing,
    refuse_format,
)
from shoal.cli._output import output, to_json
from shoal.cli._reading import read_privacy, reads_tables

if TYPE_CHECKING:
    from shoal.models import KAnonymousRules

app = typer.Typer(help="Mine association rules that can be published.")

SHOWN = 40
"""Rules that are shown to people; files hold all of them."""


@app.command()
@reads_tables
def rules(
    table: Table,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", "-s", help="Items as columns, TOML: sensitive ones are private."),
    ] = None,
    private: Annotated[
        list[str] | None,
        typer.Option("--private", help="A private item, without a schema. May be repeated."),
    ] = None,
    basket: Annotated[
        str | None, typer.Option("--basket", help="Column that numbers the baskets, with --item.")
    ] = None,
    item: Annotated[
        str | None, typer.Option("--item", help="Column of items: one row for each item bought.")
    ] = None,
    k: KByDefault = 10,
    diversity: Privacy = None,
    min_support: Annotated[float, typer.Option(help="Least share of baskets of a rule.")] = 0.01,
    min_confidence: Annotated[float, typer.Option(help="Least confidence of a rule.")] = 0.3,
    max_items: Annotated[int, typer.Option(min=2, help="Items of a rule, at most.")] = 4,
    prefer: Annotated[
        str, typer.Option(help="Of the sets tried, the one with more rules, or more weight.")
    ] = "rules",
    hierarchy: Annotated[
        Path | None, typer.Option("--hierarchy", help="Table with the columns item and parent.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the rules here: .json.")
    ] = None,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Mine TABLE for rules by which nobody's private items can be told.

    TABLE has a column of true and false (1 and 0) for every item; or, with --basket and --item,
    a row for every item in a basket.
    """
    from shoal.cli.models._baskets import read_items, read_parents, read_roles
    from shoal.models import KAnonymousRules

    refuse_format(out, (".json",))
    refuse_existing([] if out is None else [out], force=force)
    columns = read_items(table, basket, item, encoding)
    model = KAnonymousRules(
        read_roles(schema, private or [], list(columns)),
        read_privacy(k, diversity),
        min_support=min_support,
        min_confidence=min_confidence,
        max_items=max_items,
        prefer=prefer,  # type: ignore[arg-type]
        hierarchy=None if hierarchy is None else read_parents(hierarchy),
    )
    with output().progress() as progress:
        progress(0, 0, "mining rules")
        model.fit(columns)
    if out is not None:
        write_text(out, to_json(model.rules_) + "\n")
    output().emit(_result(model, out), lambda: _show(model, out))


def _result(model: KAnonymousRules, out: Path | None) -> dict[str, Any]:
    spans = model.spans_.spans
    # sums over rules that were left out would tell what these are
    told = {name: n for name, n in model.cost_.to_dict().items() if not name.startswith("weight_")}
    return {
        "privacy": model.privacy_.to_dict(),
        "rules": model.rules_,
        "cost": told,
        "spans": spans.n_spans,
        "largest_k": spans.largest_k,
        "out": None if out is None else str(out),
    }


def _show(model: KAnonymousRules, out: Path | None) -> None:
    rows = [
        (
            ", ".join(rule["antecedents"]),
            ", ".join(rule["consequents"]),
            rule["support"],
            rule["confidence"],
        )
        for rule in model.rules_[:SHOWN]
    ]
    more = f", the first {SHOWN} of {len(model.rules_)}" if len(model.rules_) > SHOWN else ""
    output().table(f"Rules{more}", ("if", "then", "support", "confidence"), rows)
    cost = model.cost_
    typer.echo(
        f"{cost.mined:,} rules mined: {cost.kept:,} released as found, {cost.generalized:,} with "
        f"coarser items, {cost.dropped:,} left out ({cost.channels:,} of them because supports "
        "together would count out too few baskets)."
    )
    typer.echo(f"Whoever the rules say something private of: {model.privacy_.describe()}.")
    if out is not None:
        output().note(f"Written to {out.name}.")
