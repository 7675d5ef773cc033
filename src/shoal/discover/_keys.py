"""Finding keys and quasi-identifiers: what an attacker would have to collect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter

from shoal.discover._remarks import remark_constant, remark_one_value
from shoal.discover._results import KeyResult, MinimalKeys
from shoal.discover.covers._coverage import AllPairs
from shoal.discover.covers._covering_problem import Instance, Solution, require_key
from shoal.discover.covers._deadline import TIME_LIMIT, Deadline, begin
from shoal.discover.covers._differences import all_minimal_keys
from shoal.discover.covers._far_coverage import FarCoverage
from shoal.discover.covers._hitting import Budget, bits
from shoal.discover.sources._checks import (
    RandomState,
    check_choice,
    check_count,
    check_share,
    check_weights,
    make_generator,
)
from shoal.discover.sources._far_sets import engine_of_far, keys_there
from shoal.discover.sources._open import open_source
from shoal.discover.sources._source import Source
from shoal.errors import ParameterError
from shoal.typing import Floats, Native


def find_key(  # noqa: PLR0913  each one is a choice of the reader, by name
    table: Native,
    kind: str = "exact",
    *,
    eps: float = 0.01,
    delta: float = 0.01,
    beta: float | None = None,
    weights: Mapping[str, float] | None = None,
    columns: Sequence[str] | None = None,
    search: str = "greedy",
    duplicates: str = "keep",
    bins: Mapping[str, float] | None = None,
    max_nodes: int = 100_000,
    time_limit: float | Deadline | None = TIME_LIMIT,
    random_state: RandomState = None,
) -> KeyResult:
    """Find few attributes that tell all rows, or nearly all, apart.

    Parameters
    ----------
    table : frame, path, engine or RowSample
        What to search: anything that :func:`shoal.tables.open_table` reads, or a sample of a
        stream.
    kind : {"exact", "separation", "distinct"}
        Examine all rows; or sample pairs of rows, for a set with a high separation ratio; or
        sample rows, for a set with a high distinct ratio.
    eps, delta : float in (0, 1)
        The sampled forms are off by more than `eps` with a probability of at most `delta`.
    beta : float in (0, 1], optional
        Share of the pairs to separate.  Without it "exact" separates all pairs and "separation"
        all sampled ones; "distinct" knows no other.
    weights : mapping of str to float, optional
        Cost of each attribute to the attacker; 1 for those not named.
    columns : sequence of str, optional
        Attributes to choose from; by default all.
    search : {"greedy", "minimum"}
        Greedy, or branch and bound for the least cost, proved.
    duplicates : {"keep", "drop"}
        What to do with rows that are equal on all columns.  There is no key while they are kept;
        "drop" keeps one of them.
    bins : mapping of str to float, optional
        Width of the bins into which numbers of a column are put before they are compared.
    max_nodes : int
        Nodes of the search tree after which "minimum" gives up; the result says so.
    time_limit : float, optional
        Seconds after which "minimum" gives up, None for no limit; the greedy set is found in any
        case.  Where it is the time that decides, the result may differ from run to run.
    random_state : int, Generator or RandomState, optional
        Source of the sample.

    Returns
    -------
    KeyResult

    Notes
    -----
    **Guarantee.**  "exact": the attributes separate every pair of rows; the greedy ones cost at
    most 1 + 2 ln n times the least.  "separation": with probability 1 - delta they separate at
    least 1 - eps of all pairs, or (1 - eps) beta with `beta`; the cost is at most 1 + ln k times
    that of the cheapest key, k being the sampled pairs.  "distinct": with probability 1 - delta
    the distinct ratio is at least 1 - eps.  The same holds of "minimum" without the factors.

    **Departures from the paper.**  Rows are sampled without replacement, and for "distinct" one
    more than the paper's formula, which its lemma needs.  Pairs are drawn independently.
    Attributes may have costs.  Greedy choices are found by lazy evaluation; they are the same.

    References
    ----------
    .. [MX08] R. Motwani, Y. Xu.  Efficient algorithms for masking and finding quasi-identifiers.
       Workshop on practical privacy-preserving data mining (P3DM), 2008.

    Examples
    --------
    >>> table = {
    ...     "age": [20, 30, 40, 20, 40],
    ...     "sex": ["F", "F", "F", "M", "M"],
    ...     "state": ["CA", "CA", "TX", "NY", "CA"],
    ... }
    >>> found = find_key(table)
    >>> found.attributes, found.ratios
    (('age', 'sex'), (0.8, 1.0))
    """
    started = perf_counter()
    deadline = begin(time_limit)
    check_choice("kind", kind, ("exact", "separation", "distinct"))
    check_choice("search", search, ("greedy", "minimum"))
    check_share("eps", eps)
    check_share("delta", delta)
    check_count("max_nodes", max_nodes)
    if beta is not None:
        check_share("beta", beta, one_allowed=True)
        if kind == "distinct":
            raise ParameterError(
                "beta does not go with kind='distinct': a sample of rows bounds no distinct ratio "
                "but that of a key. Use kind='separation', or leave beta out."
            )
    source = open_source(table, columns=columns, duplicates=duplicates, bins=bins)
    costs = check_weights(weights, source.names)
    generator = make_generator(random_state)
    match kind:
        case "exact":
            instance = Instance.of_all_rows(source, 1.0 if beta is None else beta)
        case "distinct":
            instance = Instance.of_sampled_rows(source, eps, delta, generator)
        case _:
            instance = Instance.of_sampled_pairs(source, beta, eps, delta, generator)
    instance.require_feasible()
    solution = instance.solve(costs, search, Budget(max_nodes, deadline))
    return _report(source, kind, instance, solution, costs, search, started)


def minimal_keys(
    table: Native,
    max_size: int = 3,
    *,
    columns: Sequence[str] | None = None,
    duplicates: str = "keep",
    bins: Mapping[str, float] | None = None,
    max_nodes: int = 100_000,
    time_limit: float | Deadline | None = TIME_LIMIT,
) -> MinimalKeys:
    """List every minimal key of at most `max_size` attributes.

    Parameters
    ----------
    table : frame, path or engine
        What to search; all rows are examined.
    max_size : int
        Largest number of attributes.
    columns, duplicates, bins
        As in :func:`find_key`.
    max_nodes : int
        Nodes of the search tree after which the search gives up; the result says so.
    time_limit : float, optional
        Seconds after which it gives up, None for no limit.

    Returns
    -------
    MinimalKeys

    Notes
    -----
    **Guarantee.**  Every set listed tells all rows apart and none of its subsets does; when
    `complete`, there is no other up to the size.

    Examples
    --------
    >>> table = {
    ...     "age": [20, 30, 40, 20, 40],
    ...     "sex": ["F", "F", "F", "M", "M"],
    ...     "state": ["CA", "CA", "TX", "NY", "CA"],
    ... }
    >>> minimal_keys(table, 2).keys
    (('age', 'sex'), ('age', 'state'))
    """
    started = perf_counter()
    budget = Budget(max_nodes, begin(time_limit))
    check_count("max_size", max_size)
    check_count("max_nodes", max_nodes)
    source = open_source(table, columns=columns, duplicates=duplicates, bins=bins)
    far = engine_of_far(source)
    if far is not None:
        require_key(len(source.names), source.n_rows, int(far.group_sizes()[1].sum()))
        sets, single, complete = keys_there(far, source.n_rows, max_size, budget.deadline)
        notes = remark_one_value(source.names, [j for (j,), own in single if own.distinct < 2])
    else:
        instance = Instance.of_all_rows(source, 1.0)
        instance.require_feasible()
        masks, complete = all_minimal_keys(instance.coverage.partition.table, max_size, budget)  # type: ignore[union-attr]
        sets = [tuple(bits(key)) for key in masks]
        notes = remark_constant(source.names, instance.coverage)
    keys = tuple(tuple(source.names[j] for j in key) for key in sets)
    words = f"exact: all minimal keys of at most {max_size} of {len(source.names)} attributes"
    if not complete:
        why = f"after {max_nodes} nodes" if budget.spent > max_nodes else "its time was up"
        words = (
            f"incomplete: gave up, {why}; each set listed is a minimal key, whether there are "
            "others is undecided"
        )
    return MinimalKeys(
        keys,
        max_size,
        complete,
        source.n_rows,
        words,
        perf_counter() - started,
        source.notes + notes,
    )


def _report(
    source: Source,
    kind: str,
    instance: Instance,
    solution: Solution,
    costs: Floats,
    search: str,
    started: float,
) -> KeyResult:
    columns = solution.choice.columns
    total = instance.coverage.total
    distinct: list[float] = []
    if isinstance(instance.coverage, AllPairs):
        partition = instance.coverage.partition
        for column in columns:
            partition = partition.refine(column)
            distinct.append(partition.distinct / partition.table.n_rows)
    elif isinstance(instance.coverage, FarCoverage):
        far = instance.coverage
        distinct = [far.split(columns[:n]).distinct / far.n_rows for n, _ in enumerate(columns, 1)]
    cost = float(costs[list(columns)].sum())
    guarantee = instance.claim
    if solution.proved:
        guarantee += "; no cheaper set covers what was examined"
    elif search == "minimum":
        guarantee += (
            f"; the search gave up: the least cost is undecided, at least "
            f"{solution.lower_bound:g} and at most {cost:g}"
        )
    else:
        factor = cost / solution.lower_bound if solution.lower_bound else 1.0
        guarantee += f"; at most {factor:.3g} times the least cost"
    return KeyResult(
        attributes=tuple(source.names[j] for j in columns),
        ratios=tuple(covered / total for covered in solution.choice.covered),
        distinct_ratios=tuple(distinct),
        kind=kind,
        n_rows=source.n_rows,
        sample_size=instance.size,
        sample_unit=instance.unit,
        guarantee=guarantee,
        probability=instance.probability,
        cost=cost,
        proved_minimum=solution.proved,
        lower_bound=solution.lower_bound,
        seconds=perf_counter() - started,
        notes=source.notes + remark_constant(source.names, instance.coverage),
    )
