import json

import numpy as np
import pytest

from shoal.errors import SchemaError
from shoal.metrics import measure
from shoal.metrics._measure import released_raw
from shoal.schema import Hierarchy
from shoal.tables import FrequencyTable
from shoal.tables._recoded import Recoded, node_labels
from tests.metrics.tables import COLUMNS, random_release
from tests.reference import metrics as twin
from tests.reference.rows import coding


@pytest.mark.parametrize("seed", range(60))
def test_agrees_with_the_plain_reference(seed):
    recoded, rows, classes = random_release(np.random.default_rng(seed))
    found = measure(recoded, target="class")
    ncp = twin.ncp(rows, COLUMNS)
    lost = twin.information_loss(rows, COLUMNS)
    groups = twin.groups_of(rows)
    assert found.n_rows == len(rows)
    assert found.n_suppressed == sum(labels is None for _, labels in rows)
    assert found.n_groups == len(groups)
    assert found.smallest_group == min(map(len, groups), default=0)
    assert found.largest_group == max(map(len, groups), default=0)
    assert found.average_group_size == pytest.approx(twin.average_group_size(rows))
    assert found.discernibility == twin.discernibility(rows)
    assert found.classification_metric == pytest.approx(twin.classification_metric(rows, classes))
    np.testing.assert_allclose(list(found.ncp.values()), ncp)
    assert found.gcp == pytest.approx(sum(ncp) / 3)
    assert found.loss == pytest.approx(twin.loss(rows, COLUMNS))
    assert found.information_loss == pytest.approx(lost)
    assert found.information_loss_share == pytest.approx(lost / len(rows) / 3)
    assert found.precision == pytest.approx(twin.precision(rows, COLUMNS))
    assert found.non_uniform_entropy == pytest.approx(twin.non_uniform_entropy(rows, COLUMNS))


UNEVEN = [("f", "fg", "fgh", "*"), ("g", "fg", "fgh", "*"), ("h", "fgh", "fgh", "*"),
          ("i", "ij", "ij", "*"), ("j", "ij", "ij", "*")]  # fmt: skip


@pytest.mark.parametrize("level", range(4))
def test_a_value_costs_the_level_at_which_its_own_branch_reaches_the_label(level):
    values = [row[0] for row in UNEVEN]
    towns = coding("town", values, hierarchy=Hierarchy.from_levels(UNEVEN))
    keys = np.arange(5, dtype=np.int32)[:, None]
    cells = FrequencyTable((towns,), keys, np.array([1, 2, 3, 4, 5], np.int64))
    codes = towns.hierarchy.levels[:, level].astype(np.int32)[:, None]
    recoded = Recoded.from_cells(cells, [node_labels(towns)], codes)
    labels = [{row[0] for row in UNEVEN if own[level] in row} for own in UNEVEN]
    rows = [((values[i],), (labels[i],)) for i in range(5) for _ in range(i + 1)]
    assert measure(recoded).precision == pytest.approx(twin.precision(rows, [("tree", UNEVEN)]))


def test_a_raw_table_loses_nothing():
    recoded, rows, _ = random_release(np.random.default_rng(1))
    raw = measure(recoded.cells)
    assert (raw.gcp, raw.loss, raw.information_loss, raw.non_uniform_entropy) == (0, 0, 0, 0)
    assert raw.precision == 1
    assert raw.classification_metric is None
    assert raw.n_groups == len({row for row, _ in rows})
    assert measure(released_raw(recoded.cells)) == raw
    assert json.loads(json.dumps(raw.to_dict()))["gcp"] == 0


def test_suppressed_rows_are_not_a_group():
    recoded, rows, _ = random_release(np.random.default_rng(2), share_suppressed=1.0)
    found = measure(recoded, target="class")
    assert (found.n_groups, found.smallest_group, found.average_group_size) == (0, 0, 0.0)
    assert found.discernibility == len(rows) ** 2
    assert found.gcp == found.loss == found.classification_metric == 1
    assert found.precision == 0
    assert found.non_uniform_entropy == pytest.approx(1)
    assert found.suppressed_share == 1


def test_a_target_that_is_not_counted_is_named():
    recoded, _, _ = random_release(np.random.default_rng(3))
    with pytest.raises(SchemaError, match="'salary' is not counted"):
        measure(recoded, target="salary")
