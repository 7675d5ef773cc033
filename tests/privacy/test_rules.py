import numpy as np

from shoal.privacy import KAnonymity, allowed, allowed_groups, compile_rules
from tests.reference.rows import table


def test_k_anonymity_alone_needs_no_histogram():
    rules = compile_rules(KAnonymity(3), table([[{"a": "x"}] * 2, [{"a": "y"}] * 5]))
    assert rules.size_only
    assert rules.minimum_size == 3
    assert rules.n_codes == 0
    assert allowed(rules, 3, np.zeros(0, np.int64))
    assert not allowed(rules, 2, np.zeros(0, np.int64))


def test_suppressed_cells_are_in_no_group():
    cells = table([[{}] * 2, [{}] * 5, [{}] * 1])
    rules = compile_rules(KAnonymity(3), cells)
    found = allowed_groups(rules, np.array([0, -1, 0]), 2)
    np.testing.assert_array_equal(found, [True, True])  # three rows; nobody
    found = allowed_groups(rules, np.array([0, 1, -1]), 2)
    np.testing.assert_array_equal(found, [False, True])
