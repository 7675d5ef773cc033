"""Every privacy model from its definition, over groups of rows as written; no two share code.

A model takes a group's values of the sensitive column, those of the whole release, its parameters
and what is public of the column.  Values are cells as written.
"""

import math
from collections import Counter
from fractions import Fraction

from tests.judge.values import read_moment, read_number

SLACK = Fraction(1, 10**8)  # parameters are binary fractions; promises are not broken by rounding


def distinct(group, whole, model, fact):
    return len(set(group)) >= model["l"]


def entropy(group, whole, model, fact):
    shares = [n / len(group) for n in Counter(group).values()]
    return -sum(p * math.log(p) for p in shares) >= math.log(model["l"]) - 1e-8


def recursive(group, whole, model, fact):
    counts = sorted(Counter(group).values(), reverse=True)
    return counts[0] < Fraction(model["c"]) * sum(counts[model["l"] - 1 :]) + SLACK


def confidence(group, whole, model, fact):
    most = max(Counter(group).values())
    return Fraction(most, len(group)) <= Fraction(model["c"]) + SLACK


def alpha(group, whole, model, fact):
    guarded = model.get("values")
    counts = Counter(cell for cell in group if guarded is None or cell[1] in guarded)
    return len(group) >= model["k"] and all(
        Fraction(n, len(group)) <= Fraction(model["alpha"]) + SLACK for n in counts.values()
    )


def p_sensitive(group, whole, model, fact):
    return len(group) >= model["k"] and len(dict.fromkeys(group)) >= model["p"]


def likeness(group, whole, model, fact):
    overall = Counter(whole)
    for cell, n in Counter(group).items():
        before = Fraction(overall[cell], len(whole))
        bound = Fraction(model["beta"])
        if model.get("enhanced"):
            bound = min(bound, Fraction(-math.log(before)))
        if Fraction(n, len(group)) - before > bound * before + SLACK:
            return False
    return True


def disclosure(group, whole, model, fact):
    share, overall = Counter(group), Counter(whole)
    for cell, n in overall.items():
        now, before = share[cell] / len(group), n / len(whole)
        if not before / 2 ** model["delta"] - 1e-8 <= now <= before * 2 ** model["delta"] + 1e-8:
            return False
    return True


def proximity(group, whole, model, fact):
    places = [_place(cell, fact) for cell in group]
    reach = Fraction(model["e"])
    for place in places:
        if place is None:
            near = sum(other is None for other in places)
        else:
            near = sum(other is not None and abs(other - place) <= reach for other in places)
        if near * Fraction(model["m"]) > len(group) * (1 + SLACK):
            return False
    return True


def closeness(group, whole, model, fact):
    share, overall = Counter(group), Counter(whole)
    apart = {
        cell: Fraction(share[cell], len(group)) - Fraction(overall[cell], len(whole))
        for cell in overall
    }
    distance = {"equal": _equal, "ordered": _ordered, "hierarchical": _hierarchical}
    return distance[model.get("distance", "equal")](apart, fact) <= Fraction(model["t"]) + SLACK


def _equal(apart, fact):
    return sum(map(abs, apart.values())) / 2


def _ordered(apart, fact):
    places = {cell: _place(cell, fact) for cell in apart}
    cells = sorted(apart, key=lambda cell: (places[cell] is None, places[cell] or 0))
    carried, moved = Fraction(0), Fraction(0)
    for cell in cells[:-1]:
        carried += apart[cell]
        moved += abs(carried)
    return moved / max(1, len(cells) - 1)


def _hierarchical(apart, fact):
    """Earth is moved between leaves as low in the tree as it can be; the rest moves on upward.

    `fact.above` gives the way up of each leaf; all leaves are equally deep, and the root, which is
    above all, is not named.
    """
    ways = {cell: (cell, *fact.above[cell[1]], "*") for cell in apart}
    height = max(map(len, ways.values())) - 1
    cost = Fraction(0)
    for level in range(1, height + 1):
        children = {}
        for cell, amount in apart.items():
            child, node = ways[cell][level - 1 :], ways[cell][level:]
            below = children.setdefault(node, {})
            below[child] = below.get(child, 0) + amount
        for below in children.values():
            surplus = sum(amount for amount in below.values() if amount > 0)
            lack = -sum(amount for amount in below.values() if amount < 0)
            cost += Fraction(level, height) * min(surplus, lack)
    return cost


def _place(cell, fact):
    text = cell[1]
    if text is None:
        return None
    if fact.order:
        return Fraction(fact.order.index(text))
    number = read_number(text)
    if number is not None:
        return number
    moment = read_moment(text)
    epoch = read_moment("1970-01-01")
    return Fraction((moment - epoch).days) + Fraction((moment - epoch).seconds, 86400)


MODELS = {
    "DistinctDiversity": distinct,
    "EntropyDiversity": entropy,
    "RecursiveDiversity": recursive,
    "ConfidenceLimit": confidence,
    "TCloseness": closeness,
    "AlphaKAnonymity": alpha,
    "PSensitive": p_sensitive,
    "BetaLikeness": likeness,
    "DeltaDisclosure": disclosure,
    "Proximity": proximity,
}
"""Models of one sensitive column; k-anonymity and delta-presence look at groups alone."""
