"""Every adapter of the registry, with the example that its own test file brings.

A new adapter is one file, one line in the registry, and one test file with a function `example`
that gives a fitted model, its training table and the schema; this suite finds it there.
"""

from importlib import import_module

import numpy as np
import pytest

from shoal.audit import audit
from shoal.audit.adapters._registry import ADAPTERS, find_adapter
from shoal.errors import TableError
from tests.extras import need

EVERY = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: type(adapter).__name__)


def example(adapter):
    """A model that this adapter reads, its training table and the schema."""
    file = type(adapter).__module__.rpartition("._")[2]
    return import_module(f"tests.audit.adapters.test_{file}").example()


@EVERY
def test_an_example_is_read_by_its_own_adapter(adapter):
    model, _, _ = example(adapter)
    assert find_adapter(model) is adapter
    assert not adapter.recognizes(object())
    assert adapter.name
    assert type(adapter).__doc__


@EVERY
def test_the_parts_of_an_audit_fit_together(adapter):
    model, table, schema = example(adapter)
    found = audit(model, table, schema, k=2)
    assert found.n_rows == len(found.span_of_row) == int(found.spans.population.sum())
    assert np.bincount(found.span_of_row).tolist() == found.spans.population.tolist()
    for span in range(found.spans.n_spans):
        bins = found.spans.bins_of(span)
        assert len(bins) == found.spans.n_bins[span]
        assert (np.diff(bins) > 0).all()
    small = found.spans.population[~found.spans.is_single]
    assert found.safe_k == small.min(initial=found.n_rows)
    assert not audit(model, table, schema, k=found.safe_k).breaches
    if len(small):
        assert audit(model, table, schema, k=found.safe_k + 1).breaches


@EVERY
def test_an_audit_does_not_change_the_table(adapter):
    model, table, schema = example(adapter)
    before = table.copy()
    audit(model, table, schema, k=2)
    need("pandas").testing.assert_frame_equal(table, before)


@EVERY
def test_another_table_is_refused(adapter):
    if not adapter.knows_its_table:
        pytest.skip("the model keeps no counts of its training rows")
    model, table, schema = example(adapter)
    with pytest.raises(TableError, match="not the training table"):
        audit(model, table.iloc[2:], schema, k=2)


def test_no_adapter_is_left_out():
    assert len(ADAPTERS) >= 10
    assert len({type(adapter) for adapter in ADAPTERS}) == len(ADAPTERS)
    for adapter in ADAPTERS:
        example(adapter)
