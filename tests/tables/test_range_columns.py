import math

import pytest

from shoal import Schema
from shoal.anonymize import FullDomain, Mondrian
from shoal.errors import ParameterError
from shoal.tables import RowOptions
from tests.extras import need

SCHEMA = Schema({"age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": "flat"}})


def test_a_mean_is_of_as_many_people_as_the_smallest_group():
    need("pandas")  # makes a table of columns
    for n_known in range(1, 7):
        ages = [*range(n_known), *[None] * (6 - n_known)]
        method = FullDomain(SCHEMA, 3).fit({"age": ages}, output=RowOptions(ranges=("age",)))
        means = {float(mean) for mean in method.release_.table["age_mean"]}
        smallest = int(method.release_.recoded.groups.sizes.min())
        assert all(math.isnan(mean) for mean in means) == (n_known < smallest), n_known


def test_a_column_that_would_be_added_may_not_have_the_name_of_another():
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "Age_Mean": {"role": "identifier"},
        }
    )
    table = {"age": [1, 2, 3, 4], "Age_Mean": list("abcd")}
    with pytest.raises(ParameterError, match="'age_mean' already"):
        Mondrian(schema, 2).fit(table, output=RowOptions(ranges=("age",)))
