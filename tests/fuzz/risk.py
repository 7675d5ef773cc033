"""Risk conditions on random tables: made by every method, judged without the package.

    python -m tests.fuzz.risk --tables 1000 [--method local]

A finding is printed with the numbers that make it again.
"""

import argparse
import inspect
import random
from collections import Counter

import pandas as pd

from shoal import Schema
from shoal.anonymize._registry import METHODS, make_method, method_class
from shoal.errors import InfeasibleError
from shoal.privacy import AverageRisk, KAnonymity, KMap
from shoal.tables import RowOptions, open_table
from tests.judge.judge import Claim, judge
from tests.judge.labels import Fact

CITIES = {"L": ["a", "b", "c"], "R": ["d", "e"]}
COLUMNS = {
    "age": {"role": "quasi-identifier", "kind": "numeric"},
    "city": {"role": "quasi-identifier", "hierarchy": {"tree": CITIES}},
    "row": {"role": "insensitive", "kind": "numeric"},
}
FACTS = {
    "age": Fact("quasi-identifier", "numeric"),
    "city": Fact(
        "quasi-identifier",
        above={city: (node,) for node, below in CITIES.items() for city in below},
    ),
    "row": Fact("insensitive", "numeric"),
}
CHUNK = 25
KINDS = ("k-map", "average-risk", "household")


def draw(kind, seed):
    """A table, its schema and facts, a model with its plain values, and a population."""
    rng = random.Random(f"{kind}:{seed}")
    n = rng.randrange(6, 40)
    people = [(rng.randrange(20, 60), rng.choice("abcde")) for _ in range(3 * n)]
    rows = people[:n]
    columns = {
        "age": [age for age, _ in rows],
        "city": [city for _, city in rows],
        "row": list(range(1000, 1000 + n)),
    }
    everybody = {"age": [age for age, _ in people], "city": [city for _, city in people]}
    schema, facts = dict(COLUMNS), dict(FACTS)
    if kind == "k-map":
        k = rng.choice((2, 4, 7))
        if rng.random() < 0.3:
            return columns, schema, facts, KMap(k, fraction=rng.choice((0.1, 0.4))), {}
        raw = Schema({name: COLUMNS[name] for name in everybody})
        population = open_table(pd.DataFrame(everybody)).compress(raw).cells
        return columns, schema, facts, KMap(k, population=population), everybody
    if kind == "average-risk":
        limit, seen = rng.choice((0.1, 0.25, 0.4, 0.5)), rng.choice((None, None, 0.3))
        return columns, schema, facts, AverageRisk(limit, fraction=seen), {}
    columns["home"] = [f"household {rng.randrange(n // 2 + 1)}" for _ in range(n)]
    schema["home"], facts["home"] = {"role": "household"}, Fact("household")
    model = KAnonymity(rng.choice((2, 3))) if rng.random() < 0.7 else AverageRisk(0.4)
    return columns, schema, facts, model, {}


def run(kind, seed, method):
    """What became of a release: "judged", "infeasible", or what is broken."""
    columns, schema, facts, model, population = draw(kind, seed)
    known = inspect.signature(method_class(method)).parameters
    suppress = {"max_suppression": 0.3} if seed % 3 == 0 and "max_suppression" in known else {}
    made = make_method(method, Schema(schema), model, suppress)
    try:
        release = made.fit(pd.DataFrame(columns), output=RowOptions()).release_
        table = release.table
    except InfeasibleError:
        return "infeasible"
    claim = Claim(
        columns, facts, [model.to_dict()], suppressed=release.n_suppressed, population=population
    )
    return "; ".join(judge(table, claim)) or "judged"


def run_many(kind, tables, methods=tuple(METHODS)):
    """Outcomes by kind, and findings."""
    outcomes, findings = Counter(), []
    for seed in tables:
        for method in methods:
            outcome = run(kind, seed, method)
            known = outcome in ("judged", "infeasible")
            outcomes[outcome if known else "broken"] += 1
            if not known:
                findings.append((kind, seed, method, outcome))
    return outcomes, findings


def main():
    """What the arguments ask for; 1 when something was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--method", action="append", choices=[*METHODS])
    given = parser.parse_args()
    found, totals = 0, {kind: Counter() for kind in KINDS}
    for first in range(given.first, given.first + given.tables, CHUNK):
        for kind in KINDS:
            last = min(first + CHUNK, given.first + given.tables)
            outcomes, findings = run_many(kind, range(first, last), given.method or tuple(METHODS))
            totals[kind] += outcomes
            for finding in findings[:5]:
                print(*finding, flush=True)  # noqa: T201
            found += len(findings)
        said = {kind: dict(outcomes) for kind, outcomes in totals.items()}
        print(f"{last - given.first} tables: {said}", flush=True)  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
