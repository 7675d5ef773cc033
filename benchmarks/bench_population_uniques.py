"""Estimates of population uniques where the truth is known: docs/evidence/population-uniques.md.

    python benchmarks/bench_population_uniques.py

Two made-up populations of a million people, samples of 1, 5, 10 and 50 %, ten draws each.
"""

import argparse

import numpy as np

from shoal.risk import estimate_uniques

PEOPLE = 1_000_000
FRACTIONS = (0.01, 0.05, 0.1, 0.5)
METHODS = ("zayatz", "pitman", "slide-negative-binomial")


def population(rng, people, fine):
    """Groups of people: age, sex, region and what depends on them; `fine` has two columns more."""
    age = np.clip(rng.gamma(4.0, 11.0, people), 0, 99).astype(np.int64)
    sex = rng.integers(0, 2, people)
    region = np.minimum(rng.zipf(1.6, people), 120)
    household = np.clip(age // 25 + rng.integers(0, 3, people), 0, 4)
    columns = [age, sex, region, household]
    if fine:
        schooling = np.clip(rng.poisson(3 + age / 40), 0, 11)
        work = np.minimum(rng.zipf(1.3 + 0.02 * schooling), 300)
        columns += [schooling, work]
    packed = np.zeros(people, np.int64)
    for column in columns:
        packed = packed * (int(column.max()) + 1) + column
    return np.unique(packed, return_inverse=True)[1].reshape(-1)


def compare(group_of, fraction, times, rng):
    """Bias and error of each estimator, in shares of the population; how often intervals hold."""
    people = len(group_of)
    truth = float((np.bincount(group_of) == 1).sum()) / people
    found = {name: [] for name in (*METHODS, "dankar")}
    covered = 0
    for turn in range(times):
        sample = np.bincount(rng.choice(group_of, int(people * fraction), replace=False))
        result = estimate_uniques(sample, fraction, bootstrap=100, random_state=turn)
        for name in METHODS:
            found[name].append(result.estimates[name])
        found["dankar"].append(result.share)
        covered += result.low <= truth <= result.high
    return truth, found, covered


def show(kind, truth, fraction, found, covered, draws):
    """The lines of one sampling fraction."""
    for name, shares in found.items():
        known = np.array([share for share in shares if share is not None])
        line = f"| {kind} | {truth:.2%} | {fraction:.0%} | {name} |"
        if len(known):
            error = float(np.sqrt(((known - truth) ** 2).mean()))
            line += f" {known.mean():.2%} | {known.mean() / truth - 1:+.0%} | {error / truth:.0%} |"
        else:
            line += " | | |"
        held = f"{covered} of {draws}" if name == "dankar" else ""
        print(f"{line} {len(known)} | {held} |", flush=True)


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("--people", type=int, default=PEOPLE)
    asked.add_argument("--draws", type=int, default=10)
    asked.add_argument("kinds", nargs="*", default=["coarse", "fine"])
    given = asked.parse_args()
    print("| population | truth | sample | estimator | mean | bias | error | answers | intervals |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for kind in given.kinds:
        group_of = population(np.random.default_rng(22), given.people, kind == "fine")
        for fraction in FRACTIONS:
            rng = np.random.default_rng(round(1000 * fraction))
            truth, found, covered = compare(group_of, fraction, given.draws, rng)
            show(kind, truth, fraction, found, covered, given.draws)


if __name__ == "__main__":
    main()
