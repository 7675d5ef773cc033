import pytest

from shoal.errors import TableError
from shoal.tables.engines._spark_compress import refuse_spellings


def test_counted_texts_that_write_a_value_in_several_ways_are_refused():
    with pytest.raises(TableError, match="'pay' is numeric and holds texts") as caught:
        refuse_spellings("pay", "numeric", ["4711", "4711.0"])
    assert "4711" not in str(caught.value)
    refuse_spellings("pay", "numeric", ["4711", "4712.0"])
    refuse_spellings("pay", "categorical", ["4711", "4711.0"])
    refuse_spellings("pay", "numeric", [4711, 4711.0])
