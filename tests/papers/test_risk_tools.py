"""What ARX 3.9.2 says of Adult: the figures of its own tests and of its classes, run on its table.

ARX's Adult are the 30,162 training rows without missing values.  Its risk estimator was asked with
these nine columns as quasi-identifiers; the first four figures are in its TestRiskMetrics too.
"""

import numpy as np
import pytest

from shoal.datasets import adult
from shoal.errors import DataNotFoundError
from shoal.metrics import risk
from shoal.privacy import AverageRisk, RecordsAtRisk, RiskThresholds, Uniqueness
from shoal.risk import estimate_uniques
from shoal.schema import Schema
from shoal.tables import open_table

COLUMNS = (
    "age",
    "education",
    "marital-status",
    "native-country",
    "occupation",
    "race",
    "income",
    "sex",
    "workclass",
)
SIZES = {
    1: 15512, 2: 2098, 3: 754, 4: 375, 5: 189, 6: 155, 7: 97, 8: 73, 9: 39, 10: 37, 11: 29,
    12: 18, 13: 23, 14: 14, 15: 15, 16: 9, 17: 11, 18: 10, 19: 10, 20: 5, 21: 3, 22: 4, 23: 3,
    24: 2, 25: 1, 26: 3, 27: 5, 29: 1, 30: 2, 32: 1, 34: 1, 35: 1, 36: 1, 45: 1,
}  # fmt: skip
"""Groups of each size: all that ARX's estimators look at."""

SUCCESS, AT_RISK, UNIQUE = 0.6465751607983555, 0.7781314236456468, 0.5142895033485844
ARX = {  # sampling fraction: Zayatz, Pitman, as shares of the population
    0.01: (0.2717127199363312, 0.1446083531167384),
    0.05: (0.29639589893327734, 0.22768719405149696),
    0.1: (0.3207402393466189, 0.27684993883653597),
    0.2: (0.3577099234829125, 0.33662801701732237),
    0.5: (0.43194944819318987, 0.43590279806404286),
}


@pytest.mark.parametrize("fraction", ARX)
def test_population_uniques_are_those_of_arx(fraction):
    sizes = np.repeat(list(SIZES), list(SIZES.values()))
    found = estimate_uniques(sizes, fraction).estimates
    zayatz, pitman = ARX[fraction]
    assert found["zayatz"] == pytest.approx(zayatz, rel=1e-9)
    assert found["pitman"] == pytest.approx(pitman, rel=1e-9)


def test_attackers_are_those_of_arx(tmp_path):
    try:
        people = adult("train", missing="drop")
    except DataNotFoundError as error:
        pytest.skip(str(error))
    path = tmp_path / "adult.csv"
    people.select(list(COLUMNS)).to_file(path)
    schema = Schema({name: {"role": "quasi-identifier"} for name in COLUMNS})
    cells = open_table(path).compress(schema).cells
    sizes, groups = np.unique(cells.sizes, return_counts=True)
    assert dict(zip(sizes.tolist(), groups.tolist(), strict=True)) == SIZES
    found = risk(cells, threshold=0.2)
    assert (found.prosecutor.average, found.marketer) == (SUCCESS, SUCCESS)
    assert found.prosecutor.share_above == AT_RISK
    assert AverageRisk(1).value(cells) == pytest.approx(SUCCESS, rel=1e-12)
    assert RecordsAtRisk(1, 0.2).value(cells) == pytest.approx(AT_RISK, rel=1e-12)
    assert Uniqueness(1).value(cells) == pytest.approx(UNIQUE, rel=1e-12)
    assert RiskThresholds(AT_RISK, 0.2, SUCCESS).holds(cells).all()
    assert not RiskThresholds(AT_RISK, 0.2, SUCCESS - 1e-6).holds(cells).all()
