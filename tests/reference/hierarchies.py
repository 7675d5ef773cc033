"""Slow, obvious twins of hierarchies: a mapping from each label to its parent."""


def path(parents, label):
    """The label and everything above it, up to the root."""
    steps = [label]
    while steps[-1] in parents:
        steps.append(parents[steps[-1]])
    return steps


def leaves_below(parents, label):
    """Labels without children, at or below a label."""
    inner = set(parents.values())
    return {leaf for leaf in parents if leaf not in inner and label in path(parents, leaf)}


def lowest_common_ancestor(parents, left, right):
    above = path(parents, right)
    return next(label for label in path(parents, left) if label in above)


def ceiling(parents, leaf, marked):
    """MAGVal: the first marked label on the way up, the root if none."""
    steps = path(parents, leaf)
    return next((label for label in steps if label in marked), steps[-1])


def numbered(parents, root, rank):
    """Leaves in the order of a walk that takes siblings by rank, then inner nodes after theirs."""
    leaves, inner = [], []

    def visit(node):
        below = sorted((child for child in parents if parents[child] == node), key=rank.get)
        for child in below:
            visit(child)
        (inner if below else leaves).append(node)

    visit(root)
    return leaves + inner
