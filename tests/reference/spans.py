"""Spans by the definition: try every combination of private values, look where the row lands."""

from itertools import product


def span_of(model, row, private_domains):
    """Set of outputs of `model` (a function of a row, a dict) over all private values."""
    names = list(private_domains)
    return frozenset(
        model(row | dict(zip(names, values, strict=True)))
        for values in product(*private_domains.values())
    )


def groups(model, rows, private_domains):
    """Rows (by position) that share each span."""
    found = {}
    for place, row in enumerate(rows):
        found.setdefault(span_of(model, row, private_domains), []).append(place)
    return found


def breaches(model, rows, private_domains, k):
    """Spans with more than one output and fewer than k rows."""
    found = groups(model, rows, private_domains)
    return {span for span, members in found.items() if len(span) > 1 and len(members) < k}


def groups_with_class(model, rows, private_domains, classes):
    """Rows that share each pair of span and class; classes are None where they are private."""
    found = {}
    for place, (row, told) in enumerate(zip(rows, classes, strict=True)):
        found.setdefault((span_of(model, row, private_domains), told), []).append(place)
    return found
