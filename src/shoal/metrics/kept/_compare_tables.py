"""Compare a release with the raw table by what analysts do."""

from __future__ import annotations

from threadpoolctl import threadpool_limits

from shoal.metrics.kept._comparison import TableComparison
from shoal.metrics.kept._counts_kept import compare_counts
from shoal.metrics.kept._model_kept import compare_models
from shoal.metrics.kept._propensity import compare_propensity
from shoal.metrics.kept._regression_kept import compare_regressions
from shoal.metrics.kept._table_pair import TablePair, read_pair
from shoal.metrics.kept._tables_kept import compare_tables_kept
from shoal.schema import Schema
from shoal.typing import Native


def compare_tables(
    original: Native,
    release: Native,
    schema: Schema | None = None,
    *,
    target: str | None = None,
    weight: str | None = None,
    test: Native | None = None,
    random_state: int = 0,
) -> TableComparison:
    """Measure what a release keeps for analysts, whatever tool made it.

    Parameters
    ----------
    original : table or path
        The raw rows.
    release : table or path
        What is published: labels, intervals, noise or synthetic rows.
    schema : Schema, optional
        Roles and the hierarchies behind labels.  Without it a label is a value, a number, a range,
        a set, a value with its end masked, or a star.
    target : str, optional
        Column for regression and classifier; the schema's target, its first sensitive column, or
        the last column unless given.
    weight : str, optional
        Column of both tables with the people that a row stands for; all measures weigh rows by it.
    test : table or path, optional
        Raw rows of other people to test the classifier on; otherwise 30 % of the raw rows, which
        may also be in the release.
    random_state : int, default=0
        Seed of drawn rows, counts and forests.

    Returns
    -------
    TableComparison
        Its ``measures`` are what people read first; a notebook shows it as tables.

    Notes
    -----
    A label is read as a recipient would: spread evenly over the raw values that it stands for, or,
    where a number is needed, by its middle.  Of larger tables 50,000 rows are drawn; at most 20
    values of a column are told apart, and ten parts of a number.  The order of the rows does not
    matter: the same content gives the same figures.

    Examples
    --------
    >>> people = {"age": [21, 34, 45, 62] * 5, "ill": ["flu", "flu", "gout", "gout"] * 5}
    >>> found = compare_tables(people, people)
    >>> found.propensity.pmse, found.counts.mean_error, found.regression.overlap
    (0.0, 0.0, 1.0)
    """
    pair = read_pair(
        original, release, schema, weights=weight, test=test, random_state=random_state
    )
    target = _target(pair, schema) if target is None else pair.column(target).name
    # products of this size gain nothing by threads, which wait for one another in a busy loop
    with threadpool_limits(1, user_api="blas"):
        return TableComparison(
            pair.n_raw,
            pair.n_released,
            weight,
            compare_tables_kept(pair),
            compare_propensity(pair),
            compare_counts(pair, random_state=random_state),
            compare_regressions(pair, target),
            compare_models(pair, target, random_state=random_state),
        )


def _target(pair: TablePair, schema: Schema | None) -> str:
    names = [column.name for column in pair.columns]
    wanted = [] if schema is None else [schema.target, *schema.sensitive]
    return next((name for name in wanted if name in names), names[-1])
