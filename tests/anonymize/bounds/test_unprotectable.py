import pytest

import shoal
from shoal.anonymize._registry import METHODS
from shoal.datasets import census
from shoal.errors import InfeasibleError
from shoal.privacy import DistinctDiversity


@pytest.mark.parametrize("method", sorted(METHODS))
def test_what_the_whole_table_does_not_have_is_said_and_not_to_leave_all_rows_out(method):
    people = census(120)
    with pytest.raises(InfeasibleError, match="the whole table as one group") as caught:
        shoal.release(people, people.schema, method=method, k=3, privacy=DistinctDiversity(99))
    assert caught.value.required == 99
    assert 1 < caught.value.achieved < 99  # illnesses that there are
    assert "uppress" not in str(caught.value)
