import polars as pl
import pytest

from shoal.errors import ParameterError, SchemaError
from shoal.federated import make_share


def test_a_site_with_one_class_or_no_event_is_refused(kernel, sites):
    one_class = sites["gent"].filter(pl.col("dead"))
    with pytest.raises(SchemaError, match="one class only"):
        make_share(kernel, one_class, "gent", label="dead")
    share = make_share(kernel, one_class, "gent", label="dead", allow_uniform_outcome=True)
    assert len(share.projection) == len(one_class)
    no_event = sites["gent"].filter(pl.col("event") == 0)
    with pytest.raises(SchemaError, match="no events"):
        make_share(kernel, no_event, "gent", time="time", event="event")


def test_a_feature_constant_at_a_site_is_refused(kernel, sites):
    table = sites["gent"].with_columns(dose=pl.lit(60.0))
    with pytest.raises(SchemaError, match="constant at this site: 'dose'"):
        make_share(kernel, table, "gent", label="dead")


def test_outcomes_are_checked(kernel, sites):
    table = sites["gent"]
    with pytest.raises(ParameterError, match="either label, or both"):
        make_share(kernel, table, "gent", label="dead", time="time", event="event")
    with pytest.raises(ParameterError, match="either label, or both"):
        make_share(kernel, table, "gent", time="time")
    with pytest.raises(SchemaError, match="'died' is missing"):
        make_share(kernel, table, "gent", label="died")
    bad = table.with_columns(event=pl.lit(2))
    with pytest.raises(SchemaError, match="must be 0 or 1"):
        make_share(kernel, bad, "gent", time="time", event="event")
    gap = table.with_columns(dead=pl.lit(None, pl.Boolean))
    with pytest.raises(SchemaError, match="has missing values"):
        make_share(kernel, gap, "gent", label="dead")


@pytest.mark.parametrize("site", ["", "../gent", ".gent", "a/b"])
def test_a_site_name_must_be_plain(kernel, sites, site):
    with pytest.raises(ParameterError, match="plain name"):
        make_share(kernel, sites["gent"], site, label="dead")
