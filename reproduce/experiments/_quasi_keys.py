"""Keys of Adult and covtype: exact, and from samples of rows and of pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from reproduce._evidence import Chart, Evidence, Finding, Line
from reproduce._experiment import Experiment, Setup
from reproduce._quasi_tables import (
    adult_table,
    census_table,
    count_distinct,
    covtype_table,
    planted_table,
)
from shoal.discover import distinct_ratio, find_key, separation_ratio
from shoal.discover._results import KeyResult
from shoal.discover.sources._partition import CodeTable

DELTA = 0.01
EPS = {"distinct": 0.1, "separation": 0.001}
RATIO = {"distinct": distinct_ratio, "separation": separation_ratio}
WHERE = "Table 4"


@dataclass(frozen=True)
class Published:
    """A row of the paper's table 4: attributes in the key, seconds, ratio of the sampled keys."""

    greedy: tuple[int, float]
    distinct: tuple[int, float, float]
    separation: tuple[int, float, float]


ADULT = Published((13, 35.5), (13, 8.8, 1.0), (5, 3.11, 0.99995))
COVTYPE = Published((5, 964), (3, 78.1, 0.9997), (2, 27.1, 0.999996))
SAMPLES = 25
SLACK = 1  # attributes fewer than published, which samples other than the paper's may need


def sampled_keys(table: CodeTable, kind: str, seeds: range) -> list[tuple[KeyResult, float]]:
    """Keys from one sample per seed, each with its ratio on the whole table."""
    keys = []
    for seed in seeds:
        key = find_key(table, kind, eps=EPS[kind], delta=DELTA, random_state=seed)
        keys.append((key, RATIO[kind](table, key.attributes)))
    return keys


def _run(setup: Setup) -> Evidence:
    seeds = range(setup.seed, setup.seed + SAMPLES)
    steps = 2 if setup.quick else 4
    setup.progress(0, steps, "Adult")
    adult = adult_table()
    find_key(adult.take(np.arange(100)), duplicates="drop", search="minimum")  # compiles
    exact = find_key(adult)
    findings = [*_exact("Adult", exact, ADULT), *_minimum(adult)]
    setup.progress(1, steps, "samples of Adult")
    findings += _sampled("Adult", adult, ADULT, seeds)
    findings += _planted(setup)
    lines = [Line("Adult", _sizes(exact), exact.distinct_ratios)]
    if not setup.quick:
        setup.progress(2, steps, "covtype")
        covtype = covtype_table()
        exact = find_key(covtype)
        findings += _exact("covtype", exact, COVTYPE)
        findings += _sampled("covtype", covtype, COVTYPE, seeds)
        lines.append(Line("covtype", _sizes(exact), exact.distinct_ratios))
        setup.progress(3, steps, "census-income")
        findings += _stand_in(census_table(), seeds[:5])
    return Evidence(
        findings,
        "Sizes are those published. Sampled keys vary with the sample (Adult's separation keys "
        "mostly have 4 or 5 attributes, seldom 6 or 7), so medians over 25 samples are given. "
        "Tables with a planted key, as in section 4.3, are made so that no smaller key exists; the "
        "sampled search never needs more. The paper's states and census are not public in its "
        "form: census-income (1994 and 1995, other attributes, people of all ages) stands in, is "
        "labelled so, and is shown beside the census without being compared"
        + (", and the quick run leaves covtype and it out." if setup.quick else "."),
        [
            Chart(
                WHERE,
                "Each attribute of the greedy key tells more rows apart",
                "attributes",
                "distinct combinations per row",
                lines,
            )
        ],
        {"samples": SAMPLES, "delta": DELTA, "eps": EPS},
        bounds="Sizes of keys must be those printed, of sampled ones or one less; ratios at least "
        "1 - eps.",
    )


def _planted(setup: Setup) -> Iterator[Finding]:
    """Section 4.3: tables whose minimum key is known."""
    shapes = ((2, 60, 12), (3, 20, 12), (4, 10, 12), (6, 5, 12))
    for key_size, n_values, n_others in shapes[:2] if setup.quick else shapes:
        table = planted_table(key_size, n_values, n_others, setup.seed)
        found = sampled_keys(table, "distinct", range(setup.seed, setup.seed + 5))
        what = f"planted key of {key_size} among {table.n_columns}, {table.n_rows:,} rows"
        largest = max(len(key.attributes) for key, _ in found)
        said = f"at most {key_size}"
        yield Finding("Section 4.3", f"{what}: largest of 5", largest, said, high=key_size)
        low = 1 - EPS["distinct"]
        least = min(ratio for _, ratio in found)
        yield Finding("Section 4.3", f"{what}: least ratio", least, f"at least {low}", low)


def _stand_in(table: CodeTable, seeds: range) -> Iterator[Finding]:
    """Census-income beside the paper's census: another table, so nothing is compared."""
    where = f"Stand-in: census-income, {table.n_rows:,} different rows, {table.n_columns} columns"
    greedy = find_key(table)
    said = "14 to 29 (states)"
    yield Finding(where, "greedy key, attributes", len(greedy.attributes), said)
    yield Finding(where, "greedy key, time", greedy.seconds, unit="s")
    for kind, size, ratio in (("distinct", 17, 0.993), ("separation", 3, 0.99998)):
        found = sampled_keys(table, kind, seeds)
        what = f"{kind} key (eps = {EPS[kind]})"
        median = float(np.median([len(key.attributes) for key, _ in found]))
        yield Finding(where, f"{what}, median attributes", median, f"{size} (census)")
        least = min(r for _, r in found)
        yield Finding(where, f"{what}, least ratio", least, f"{ratio} (census)")


def _exact(name: str, key: KeyResult, published: Published) -> Iterator[Finding]:
    size, seconds = published.greedy
    what = f"{name}, greedy key"
    yield Finding(WHERE, f"{what}, attributes", len(key.attributes), size, size, size)
    yield Finding(WHERE, f"{what}, distinct ratio", key.distinct_ratios[-1], None, 1, 1)
    yield Finding(WHERE, f"{what}, time", key.seconds, seconds, unit="s")


def _minimum(table: CodeTable) -> Iterator[Finding]:
    """The paper searched exhaustively; here a proof, and a count of every set of 12 attributes."""
    proved = find_key(table, search="minimum", time_limit=None)
    bound = proved.lower_bound if proved.proved_minimum else np.nan
    size = ADULT.greedy[0]
    yield Finding("Section 4.3", "Adult, minimum key, attributes", bound, size, size, size)
    most = max(count_distinct(table, s) for s in combinations(range(table.n_columns), size - 1))
    what = f"Adult, best ratio of any {size - 1} attributes, by brute force"
    high = 1 - 1 / table.n_rows
    yield Finding("Section 4.3", what, most / table.n_rows, "below 1", high=high)


def _sampled(name: str, table: CodeTable, row: Published, seeds: range) -> Iterator[Finding]:
    for kind, (size, seconds, ratio) in (
        ("distinct", row.distinct),
        ("separation", row.separation),
    ):
        found = sampled_keys(table, kind, seeds)
        what = f"{name}, {kind} key (eps = {EPS[kind]})"
        median = float(np.median([len(key.attributes) for key, _ in found]))
        yield Finding(WHERE, f"{what}, median attributes", median, size, size - SLACK, size)
        ratios = [r for _, r in found]
        yield Finding(WHERE, f"{what}, median ratio", float(np.median(ratios)), ratio)
        low = 1 - EPS[kind]
        yield Finding(WHERE, f"{what}, least ratio", min(ratios), f"at least {low}", low)
        median = float(np.median([key.seconds for key, _ in found]))
        yield Finding(WHERE, f"{what}, median time", median, seconds, unit="s")


def _sizes(key: KeyResult) -> list[float]:
    return [float(i) for i in range(1, len(key.attributes) + 1)]


EXPERIMENT = Experiment(
    title="Few attributes tell nearly all rows apart, and a small sample finds them",
    reference="R. Motwani, Y. Xu. Efficient algorithms for masking and finding quasi-identifiers. "
    "Practical Privacy-Preserving Data Mining workshop, SIAM 2008.",
    run=_run,
)
