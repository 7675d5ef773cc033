import json

import pytest

from shoal import Schema
from shoal.anonymize import FullDomain, Mondrian, load_recoding
from shoal.errors import TableError
from tests.extras import need

SCHEMA = Schema(
    {"age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [5, 10]}}}
)


@pytest.mark.parametrize("method", [FullDomain, Mondrian])
@pytest.mark.parametrize("part", ["shoal", "version", "kind", "codings"])
def test_a_recoding_with_a_part_lost_or_changed_is_refused_by_name(method, part, tmp_path):
    need("pandas")  # makes a table of columns
    whole, damaged = tmp_path / "recoding.json", tmp_path / "damaged.json"
    method(SCHEMA, 2).fit({"age": [31, 34, 52, 58]}).recoding_.save(whole)
    data = json.loads(whole.read_text())
    without = {key: data[key] for key in data if key != part}
    for changed in (without, data | {part: 10**30}, data | {part: [{}]}):
        damaged.write_text(json.dumps(changed))
        with pytest.raises(TableError, match=r"damaged\.json"):
            load_recoding(damaged)
