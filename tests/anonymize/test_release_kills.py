import os

import pytest

from tests.anonymize import kills
from tests.extras import need


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_killed_writer_leaves_the_old_set_or_the_new_one():
    need("pandas")  # makes a table of columns
    seen = kills.main(12)  # of them five rewrites, of a set that is there
    assert sum(seen.values()) == 12
    assert set(seen) <= {None, 3, 20}
    assert seen[3] + seen[20] >= 5
