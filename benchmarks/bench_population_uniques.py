"""Estimates of population uniques where the truth is known: docs/evidence/population-uniques.md.

    python benchmarks/bench_population_uniques.py
    python benchmarks/bench_population_uniques.py --coverage 200

Two made-up populations of a million people, samples of 1, 5, 10 and 50 %, ten draws each; or how
often bootstrap intervals hold the truth in populations that follow Pitman's model.
"""

import argparse
import random

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


def pitman_population(people, theta, sigma, seed):
    """Groups of people as Pitman's model makes them, one person after the other.

    Person n + 1 founds a group with chance (theta + sigma groups) / (n + theta), and else joins one
    with a chance in proportion to its size less sigma.  Any first so many are a random sample.
    """
    rng = random.Random(seed)
    group_of, sizes = [], []
    for n in range(people):
        if rng.random() * (n + theta) < theta + sigma * len(sizes):
            group_of.append(len(sizes))
            sizes.append(1)
            continue
        while True:  # a random person's group is one in proportion to its size
            group = group_of[int(rng.random() * n)]
            if rng.random() * sizes[group] >= sigma:
                break
        group_of.append(group)
        sizes[group] += 1
    return np.array(group_of)


def coverage(times, people=100_000):
    """How often intervals of 95 % hold the truth, where the model is right."""
    print("| theta | sigma | truth | sample | mean estimate | intervals that hold the truth |")
    print("|---|---|---|---|---|---|", flush=True)
    for theta, sigma in ((2_000, 0.2), (500, 0.5)):
        lines = {fraction: [] for fraction in FRACTIONS[:3]}
        for turn in range(times):
            group_of = pitman_population(people, theta, sigma, turn)
            truth = float((np.bincount(group_of) == 1).sum()) / people
            for fraction, found in lines.items():
                sizes = np.bincount(group_of[: int(people * fraction)])
                made = estimate_uniques(
                    sizes[sizes > 0], fraction, method="pitman", bootstrap=100, random_state=turn
                )
                found.append((truth, made.share, made.low <= truth <= made.high))
        for fraction, found in lines.items():
            truth, mean, held = np.array(found, np.float64).mean(axis=0)
            line = f"| {theta} | {sigma} | {truth:.2%} | {fraction:.0%} | {mean:.2%} |"
            print(f"{line} {held:.1%} of {times} |", flush=True)


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
    asked.add_argument("--coverage", type=int, default=0)
    given = asked.parse_args()
    if given.coverage:
        coverage(given.coverage)
        return
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
