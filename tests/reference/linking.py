"""The linking attack, slowly: person by person, row by row."""

from collections import Counter
from itertools import permutations


def fitting_rows(person, rows, fits):
    """Released rows that may be a person's; `fits(name, label, value)` judges one column."""
    return [
        at
        for at, row in enumerate(rows)
        if all(fits(name, row[name], value) for name, value in person.items())
    ]


def shares(values):
    """Share of each value."""
    counts = Counter(values)
    return {value: n / len(values) for value, n in counts.items()}


def posterior(people, rows, private, fits, known=(), truth=()):
    """Probability of each private value for everybody, each fitting row equally likely.

    A known person is taken out of his group where all rows that fit him are written alike.
    """
    fitting = [fitting_rows(person, rows, fits) for person in people]
    gone = set()
    for one in known:
        written = {tuple(rows[at].items()) for at in fitting[one]}
        if len(written) == 1:
            own = [at for at in fitting[one] if private[at] == truth[one] and at not in gone]
            gone.update(own[:1])
    left = [[private[at] for at in own if at not in gone] for own in fitting]
    return [shares(own) for own in left]


def intersect(one, two, prior):
    """Both releases as independent evidence."""
    found = []
    for a, b in zip(one, two, strict=True):
        if not a or not b:
            found.append(a or b)
            continue
        weight = {value: a[value] * b[value] / prior[value] for value in a.keys() & b.keys()}
        total = sum(weight.values())
        found.append({value: w / total for value, w in weight.items()} if total else {})
    return found


def by_assignments(people, rows, private, fits):
    """The same over all possible assignments of everybody to rows: exact, and very slow."""
    fitting = [set(fitting_rows(person, rows, fits)) for person in people]
    found = [Counter() for _ in people]
    for order in permutations(range(len(rows))):
        if all(at in own for at, own in zip(order, fitting, strict=True)):
            for person, at in enumerate(order):
                found[person][private[at]] += 1
    return [{value: n / counts.total() for value, n in counts.items()} for counts in found]
