from shoal.privacy import KAnonymity, check
from tests.reference.rows import table


def test_check_counts_failing_groups_and_rows():
    (found,) = check(KAnonymity(3), table([[{}] * 2, [{}] * 2, [{}] * 5]))
    assert not found.holds
    assert (found.failing_groups, found.failing_rows) == (2, 4)
    assert (found.required, found.reached) == (3, 2)
    assert found.to_dict()["model"] == {"model": "KAnonymity", "k": 3}


def test_a_table_without_rows_is_allowed():
    groups = table([])
    (found,) = check(KAnonymity(3), groups)
    assert found.holds
    assert found.to_dict()["reached"] is None
