"""Every model on one column, with its twin; the contract tests below run over all of them."""

from shoal.privacy import (
    AlphaKAnonymity,
    BetaLikeness,
    ConfidenceLimit,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    Proximity,
    PSensitive,
    RecursiveDiversity,
    TCloseness,
    confidence_to_l,
)
from shoal.schema import Hierarchy
from tests.reference import privacy as twin
from tests.reference.rows import coding

TREE_ROWS = [
    ("1", "low", "any", "*"),
    ("2", "low", "any", "*"),
    ("5", "high", "any", "*"),
    ("6", "6", "6", "*"),
]
TREE = Hierarchy.from_levels(TREE_ROWS)
VALUES = (1, 2, 5, 6, None)
CODING = coding("s", VALUES, "numeric", TREE)
PLAIN = coding("s", VALUES, "numeric")

_tree = twin.tree_distance(TREE_ROWS)


def tree_distance(x, y):
    return _tree(x if x is None else str(x), y if y is None else str(y))


def closeness(t, distance=None):
    def holds(group, whole):
        return twin.t_closeness(group, whole, t, distance or twin.ordered_distance(whole))

    return holds


MODELS = [
    (KAnonymity(3), lambda g, w: twin.k_anonymity(g, w, 3)),
    (DistinctDiversity(2), lambda g, w: twin.distinct_diversity(g, w, 2)),
    (DistinctDiversity(4, "s"), lambda g, w: twin.distinct_diversity(g, w, 4)),
    (EntropyDiversity(1.5), lambda g, w: twin.entropy_diversity(g, w, 1.5)),
    (EntropyDiversity(3), lambda g, w: twin.entropy_diversity(g, w, 3)),
    (RecursiveDiversity(1.5, 2), lambda g, w: twin.recursive_diversity(g, w, 1.5, 2)),
    (RecursiveDiversity(0.4, 1), lambda g, w: twin.recursive_diversity(g, w, 0.4, 1)),
    (RecursiveDiversity(3, 3), lambda g, w: twin.recursive_diversity(g, w, 3, 3)),
    (TCloseness(0.25), closeness(0.25, twin.equal_distance)),
    (TCloseness(0.2, distance="ordered"), closeness(0.2)),
    (TCloseness(0.2, distance="hierarchical"), closeness(0.2, tree_distance)),
    (AlphaKAnonymity(0.4, 2), lambda g, w: twin.alpha_k(g, w, 0.4, 2)),
    (AlphaKAnonymity(0.3, 4, "s", ("2", "5")), lambda g, w: twin.alpha_k(g, w, 0.3, 4, (2, 5))),
    (PSensitive(2, 4), lambda g, w: twin.p_sensitive(g, w, 2, 4)),
    (Proximity(1, 2), lambda g, w: twin.proximity(g, w, 1, 2)),
    (Proximity(3, 1.5), lambda g, w: twin.proximity(g, w, 3, 1.5)),
    (BetaLikeness(0.5), lambda g, w: twin.beta_likeness(g, w, 0.5)),
    (BetaLikeness(1.2, enhanced=True), lambda g, w: twin.beta_likeness(g, w, 1.2, True)),
]
TWO_VALUED = [
    (ConfidenceLimit(0.7), lambda g, w: twin.confidence_limit(g, w, 0.7)),
    (ConfidenceLimit(0.7), lambda g, w: twin.entropy_diversity(g, w, confidence_to_l(0.7))),
    (ConfidenceLimit(1.0), lambda g, w: True),
]
