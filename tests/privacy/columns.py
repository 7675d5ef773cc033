"""A sensitive column that every model can be asked about, and its tree."""

from shoal.schema import Hierarchy
from tests.reference.rows import coding

TREE_ROWS = [
    ("1", "low", "any", "*"),
    ("2", "low", "any", "*"),
    ("5", "high", "any", "*"),
    ("6", "6", "6", "*"),
]
TREE = Hierarchy.from_levels(TREE_ROWS)
VALUES = (1, 2, 5, 6, None)
TWO_VALUES = (1, 5)
CODING = coding("s", VALUES, "numeric", TREE)
