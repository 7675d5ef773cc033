"""Risk of tables by its definition, in plain Python and fractions; groups are lists of rows."""

from fractions import Fraction
from itertools import combinations
from math import comb, factorial

SLACK = Fraction(1, 10**9)  # limits are binary fractions; a limit of 0.3 allows 3 in 10


def risks(groups, people=None, fraction=None):
    """Risk of every row of every group; `people` are the population's people of each group."""
    found = []
    for index, rows in enumerate(groups):
        n = len(rows)
        behind = n if people is None else people[index]
        behind = Fraction(n) / Fraction(fraction) if fraction else behind
        found += [Fraction(1) / behind] * n
    return found


def average_risk(groups, limit, **seen):
    rows = risks(groups, **seen)
    return not rows or sum(rows) / len(rows) <= Fraction(limit) + SLACK


def records_at_risk(groups, share, threshold, **seen):
    rows = risks(groups, **seen)
    return (
        not rows or Fraction(sum(r > threshold + SLACK for r in rows), len(rows)) <= share + SLACK
    )


def thresholds(groups, at_risk, highest, success, **seen):
    few = records_at_risk(groups, at_risk, highest, **seen)
    return few and average_risk(groups, success, **seen)


def uniqueness(groups, share, people=None):
    sizes = people or [len(rows) for rows in groups]
    alone = sum(len(rows) for rows, n in zip(groups, sizes, strict=True) if n == 1)
    return alone <= (share + SLACK) * sum(map(len, groups))


def correct_guesses(groups, guesses, **seen):
    return sum(risks(groups, **seen)) <= guesses + SLACK


def k_map(people, k):
    return people >= k


def binomial_tail(n, p, least):
    """Chance that at least `least` of n succeed."""
    p = Fraction(p)
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(least, n + 1))


def minimal_sample_uniques(rows):
    """For every row, the sets of columns that single it out and have no part that does."""
    n_columns = len(rows[0])
    found = []
    for row in rows:
        own = []
        for size in range(1, n_columns + 1):
            for columns in combinations(range(n_columns), size):
                alike = sum(all(other[c] == row[c] for c in columns) for other in rows)
                if alike == 1 and not any(set(part) <= set(columns) for part in own):
                    own.append(columns)
        found.append(own)
    return found


def suda_scores(rows):
    """Score of every row, and the share of all scores that has each column in it."""
    n_columns = len(rows[0])
    sets = minimal_sample_uniques(rows)
    scores = [sum(factorial(n_columns - len(s)) for s in own) for own in sets]
    total = sum(scores)
    shares = [
        sum(factorial(n_columns - len(s)) for own in sets for s in own if c in s) / max(total, 1)
        for c in range(n_columns)
    ]
    return scores, shares


def household_risk(risks_of_rows, household):
    """Chance that somebody of each row's household is found."""
    missed = {}
    for risk, name in zip(risks_of_rows, household, strict=True):
        missed[name] = missed.get(name, 1.0) * (1.0 - risk)
    return [1.0 - missed[name] for name in household]
