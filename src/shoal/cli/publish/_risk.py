"""`shoal risk`: how likely people are found, by whom, in the population behind a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli._options import Encoding, SchemaOrBeside, Table
from shoal.cli._output import output
from shoal.cli._reading import reads_tables
from shoal.cli.publish._check import schema_beside
from shoal.cli.publish._show import percent

if TYPE_CHECKING:
    from shoal.risk._special_uniques import SpecialUniques
    from shoal.risk._survey_risk import SurveyRisk
    from shoal.risk._uniques import PopulationUniques

app = typer.Typer()


@app.command()
@reads_tables
def risk(
    table: Table,
    schema: SchemaOrBeside = None,
    fraction: Annotated[
        float | None,
        typer.Option("--fraction", help="Share of the population that is in TABLE, 0 to 1."),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option("--weights", help="Column with the people that each row stands for."),
    ] = None,
    stratum: Annotated[
        str | None,
        typer.Option("--stratum", help="Quasi-identifier by which the sample was drawn."),
    ] = None,
    household: Annotated[
        str | None,
        typer.Option("--household", help="Column that names the household of each row."),
    ] = None,
    threshold: Annotated[
        float, typer.Option("--threshold", help="Risk above which a row counts as exposed.")
    ] = 0.2,
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", help="Draws for intervals of estimates; 0 for none.")
    ] = 200,
    max_size: Annotated[
        int | None,
        typer.Option("--max-size", help="Largest set of columns for special uniques."),
    ] = None,
    encoding: Encoding = None,
) -> None:
    """Tell how likely people of TABLE are found in the population that it is a sample of.

    Estimates people who are alone in the population, the risk of every row and every household,
    and which columns make rows stand out.  TABLE may be raw or released; without a sampling
    fraction or weights it is taken for the population.  No value of anybody is printed.
    """
    from shoal.risk import survey_risk
    from shoal.schema import Schema

    described = Schema.from_toml(schema or schema_beside(table))
    survey = survey_risk(
        table,
        described,
        fraction=1.0 if fraction is None and weight is None else fraction,
        weight=weight,
        stratum=stratum,
        household=household,
        threshold=threshold,
        max_size=max_size,
        bootstrap=bootstrap,
        encoding=encoding,
    )
    output().emit(survey.to_dict(), lambda: _show(survey))
    if described.subject is not None:
        output().note(
            f"Note: rows were counted, whoever they belong to by column {described.subject!r}. A "
            "person with several rows can be found by each of them; `shoal anonymize` counts "
            "people."
        )


def _show(survey: SurveyRisk) -> None:
    out = output()
    uniques, own, special = survey.uniques, survey.individual, survey.special
    rows: list[list[Any]] = [
        ["rows", survey.n_rows],
        ["groups", survey.n_groups],
        ["share of the population in the table", percent(survey.fraction)],
        ["rows alone in the table", percent(uniques.sample_uniques / survey.n_rows)],
        ["people alone in the population", _estimate(uniques)],
        ["highest chance to find a person", percent(own.highest)],
        ["average chance to find a person", percent(own.average)],
        ["rows found when all are guessed at", own.expected],
        [f"rows above a chance of {own.threshold:g}", percent(own.share_above)],
    ]
    if survey.n_strata > 1:
        rows.insert(3, ["strata", survey.n_strata])
    if own.highest_household is not None and own.average_household is not None:
        rows.append(["households", own.n_households])
        rows.append(["highest chance for a household", percent(own.highest_household)])
        rows.append(["average chance for a household", percent(own.average_household)])
    if special is not None and special.dis is not None:
        rows.append(["chance that a match is right (DIS)", percent(special.dis)])
    out.table("", ["measure", "value"], rows)
    if special is not None:
        _show_special(special)


def _show_special(special: SpecialUniques) -> None:
    out = output()
    out.table(
        "What makes rows stand out (special uniques)",
        ["column", "part in the scores"],
        [
            [name, percent(share)]
            for name, share in sorted(special.contributions.items(), key=lambda item: -item[1])
        ],
    )
    if any(special.by_size.values()):
        out.table(
            "Smallest sets of columns that single a row out",
            ["columns in the set", "such sets, over all rows"],
            [[size, n] for size, n in special.by_size.items() if n],
        )


def _estimate(uniques: PopulationUniques) -> str:
    text = percent(uniques.share)
    if uniques.low is not None and uniques.high is not None:
        text += f" ({percent(uniques.low)} to {percent(uniques.high)})"
    return f"{text}, by {uniques.used}" if uniques.fraction < 1 else text
