import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.tables import RowOptions
from shoal.tables._engine import put_in_order

ROWS = np.arange(100)


def test_a_secret_order_is_another_each_time_and_a_seed_makes_the_same_again():
    secret = [put_in_order(ROWS, RowOptions()).tolist() for _ in range(2)]
    assert secret[0] != secret[1]
    assert sorted(secret[0]) == ROWS.tolist()
    seeded = [put_in_order(ROWS, RowOptions(shuffle=3)).tolist() for _ in range(2)]
    assert seeded[0] == seeded[1] != ROWS.tolist()
    assert put_in_order(ROWS, RowOptions(keep_order=True)).tolist() == ROWS.tolist()


def test_the_options_say_where_the_order_comes_from():
    orders = [RowOptions(), RowOptions(shuffle=0), RowOptions(keep_order=True)]
    assert [output.order for output in orders] == ["secret", "seed", "input"]
    with pytest.raises(ParameterError, match="exclude one another"):
        RowOptions(shuffle=1, keep_order=True)
