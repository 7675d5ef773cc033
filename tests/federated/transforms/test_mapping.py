import numpy as np
import pytest
from sklearn.base import clone

from shoal.errors import ParameterError, SchemaError
from shoal.federated import AliasTable, MappingTable

X = np.array([["flu", "f"], ["cold", "m"], ["flu", None]], object)


def test_inverse_is_exact_and_counts_are_kept():
    table = MappingTable().fit(X)
    aliases = table.transform(X)
    assert aliases[0, 0] == aliases[2, 0] != aliases[1, 0]
    assert not set(aliases.ravel()) & {"flu", "cold", "f", "m"}
    assert table.inverse_transform(aliases).tolist() == X.tolist()


def test_agreed_tables_are_used_as_they_are():
    tables = (AliasTable("Illness", ("flu", "cold")), AliasTable("Sex", ("m", "f")))
    mapping = clone(MappingTable(tables)).fit(X)
    assert mapping.transform(X)[:2].tolist() == [["Illness_1", "Sex_2"], ["Illness_2", "Sex_1"]]
    with pytest.raises(SchemaError, match="'x0': categories without an alias: 'gout'"):
        mapping.transform(np.array([["gout", "f"]], object))
    with pytest.raises(ParameterError, match="1 tables were given for 2 columns"):
        MappingTable(tables[:1]).fit(X)
