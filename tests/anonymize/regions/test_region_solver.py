"""A region is handed out only where its own groups keep the promise."""

import pytest

from shoal.anonymize._registry import make_method
from shoal.anonymize.regions._region_solver import _require_promise
from shoal.datasets import census
from shoal.datasets._census import census_schema
from shoal.errors import GuaranteeError
from shoal.privacy import KAnonymity


def test_groups_that_break_the_promise_are_not_handed_out():
    recoded = make_method("mondrian", census_schema(), 3).fit(census(200)).release_.recoded
    _require_promise(recoded, KAnonymity(3))
    with pytest.raises(GuaranteeError, match="break the promise"):
        _require_promise(recoded, KAnonymity(150))
