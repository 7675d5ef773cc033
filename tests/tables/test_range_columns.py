import math

from shoal import Schema
from shoal.anonymize import FullDomain
from shoal.tables import RowOptions

SCHEMA = Schema({"age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": "flat"}})


def test_a_mean_is_of_as_many_people_as_the_smallest_group():
    for n_known in range(1, 7):
        ages = [*range(n_known), *[None] * (6 - n_known)]
        method = FullDomain(SCHEMA, 3).fit({"age": ages}, output=RowOptions(ranges=("age",)))
        means = {float(mean) for mean in method.release_.table["age_mean"]}
        smallest = int(method.release_.recoded.groups.sizes.min())
        assert all(math.isnan(mean) for mean in means) == (n_known < smallest), n_known
