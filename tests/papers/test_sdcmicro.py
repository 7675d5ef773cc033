"""What sdcMicro 5.8.1 (R 4.2.2) says of Adult, run on the 30,162 training rows without holes.

Six key variables; weights are fnlwgt / 1000, and three rows after one another are a household, so
that risks are not all small.  In R, with `d` the table and `keys` the names of the columns:

    f <- freqCalc(d, keyVars = keys, w = "w")
    indivRisk(f, method = "exact")$rk                    # of rows with f$fk <= 10, see below
    measure_risk(d[, c(keys, "w", "home")], keyVars = keys, w = "w", hid = "home")
    suda2(numbers, variables = keys)                     # keys as numbers of their levels
    ldiversity(d[, c(keys, "occupation")], keyVars = keys, ldiv_index = "occupation")
    microaggregation(head(d, 2000)[numeric], aggr = k, method = "mdav")$mx

What differs: the method "exact" takes minutes for large groups, and `measure_risk` always takes
p / (f - 1 + p) for groups of more than two rows; its household risk is compared on those risks.
"""

import numpy as np
import pandas as pd
import pytest

from shoal.anonymize import Microaggregation
from shoal.datasets import adult
from shoal.errors import DataNotFoundError
from shoal.privacy import DistinctDiversity, EntropyDiversity
from shoal.risk import individual_risk, read_survey, special_uniques
from shoal.risk._individual import _households, weight_sums
from shoal.schema import Schema
from shoal.tables import open_table

KEYS = ("age", "education", "marital-status", "native-country", "race", "sex")
ALONE, BELOW_3, BELOW_5, GROUPS, LARGEST = 4907, 6717, 9078, 7645, 150
RISKS = {  # rows of a group: sum, smallest and largest of the risks of such rows
    1: (171.94944674428584, 0.006082018811637546, 0.20537392814333424),
    2: (11.025265416768649, 0.0011751409169926193, 0.037371042875122128),
    3: (3.7833395685363422, 0.0010673595779446591, 0.015241323744652291),
    4: (1.9568816307679542, 0.00065031947801684844, 0.0052763271067705723),
    5: (1.1871887253357165, 0.00054422899764593343, 0.0030155016779136318),
    6: (0.83442177877695167, 0.00063479299599229267, 0.0021626401002482736),
    7: (0.81162672392413227, 0.0004429462085877836, 0.001687205287777444),
    8: (0.46491994784497431, 0.0004476851746780521, 0.0011552135017770585),
    9: (0.50923359375966248, 0.00039345983099429435, 0.0010760982070957114),
    10: (0.32849405140408761, 0.00040848557938296184, 0.00087474983592347635),
}
APPROXIMATE, HOUSEHOLD = 195.72135430621731, 0.019343786231815371
SCORES, HIGHEST_SCORE = 57497, 120
CONTRIBUTIONS = (
    83.155642903107989, 52.884498321651563, 34.408751760961444,
    65.784301789658599, 21.695044958867417, 16.378245821521123,
)  # fmt: skip
NOT_DIVERSE = {("distinct", 2): 5650, ("distinct", 3): 8207, ("entropy", 2): 6793}
MDAV = {3: 0.01238352446101462, 5: 0.022924228221012775}
"""Share of the squares, in units of each column's variance, that is lost by the means."""


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    try:
        adult("train", missing="drop").to_file(path)
    except DataNotFoundError as error:
        pytest.skip(str(error))
    frame = pd.read_csv(path)
    frame["w"] = frame["fnlwgt"].astype(float) / 1000
    frame["home"] = np.arange(len(frame)) // 3
    return frame


@pytest.fixture(scope="module")
def groups(people):
    columns = {name: {"role": "quasi-identifier"} for name in KEYS}
    columns |= {"w": {"role": "insensitive", "kind": "numeric"}, "home": {"role": "insensitive"}}
    return read_survey(people[[*KEYS, "w", "home"]], Schema(columns), ["w", "home"])


def test_groups_are_those_of_freqcalc(groups):
    sizes = groups.sizes
    assert (len(sizes), sizes.max(), sizes[sizes == 1].sum()) == (GROUPS, LARGEST, ALONE)
    assert (sizes[sizes < 3].sum(), sizes[sizes < 5].sum()) == (BELOW_3, BELOW_5)


def test_risks_are_those_of_indivrisk(groups):
    found, sizes = individual_risk(groups, weight="w"), groups.sizes
    for rows, (total, smallest, largest) in RISKS.items():
        risks = found.risks[sizes == rows]
        assert risks.sum() * rows == pytest.approx(total, rel=1e-12)
        assert (risks.min(), risks.max()) == pytest.approx((smallest, largest), rel=1e-9)
    assert found.highest == pytest.approx(RISKS[1][2], rel=1e-12)


def test_households_are_found_as_in_measure_risk(groups):
    sizes = groups.sizes.astype(float)
    p = sizes / weight_sums(groups, "w")
    exact = individual_risk(groups, weight="w", household="home")
    risks = np.where(sizes > 2, p / (sizes - 1 + p), exact.risks)
    assert (risks * sizes).sum() == pytest.approx(APPROXIMATE, rel=1e-12)
    assert _households(groups.histograms["home"], risks)[1] == pytest.approx(HOUSEHOLD, rel=1e-12)
    # the approximation is an upper bound: E[1 / F] by Euler's series is p / f (1 + q / (f + 1) ...)
    assert exact.expected < APPROXIMATE
    assert exact.average_household < HOUSEHOLD


def test_special_uniques_are_those_of_suda2(groups):
    found = special_uniques(groups)
    assert (found.n_uniques, found.scores.sum(), found.highest_score) == (
        ALONE,
        SCORES,
        HIGHEST_SCORE,
    )
    shares = [100 * share for share in found.contributions.values()]
    assert shares == pytest.approx(CONTRIBUTIONS, rel=1e-12)


def test_diversity_is_that_of_ldiversity(people):
    columns = {name: {"role": "quasi-identifier"} for name in KEYS}
    columns["occupation"] = {"role": "sensitive"}
    table = people[[*KEYS, "occupation"]]
    cells = open_table(table).compress(Schema(columns)).cells
    models = {"distinct": DistinctDiversity, "entropy": EntropyDiversity}
    for (kind, least), failing in NOT_DIVERSE.items():
        holds = models[kind](least, column="occupation").holds(cells)
        assert cells.sizes[~holds].sum() == failing


@pytest.mark.parametrize("k", MDAV)
def test_microaggregation_loses_no_more(people, k):
    """MDAV itself differs, since rows with equal numbers stay together here (1.277 and 2.319 %)."""
    names = ("age", "education-num", "hours-per-week")
    schema = Schema({name: {"role": "quasi-identifier", "kind": "numeric"} for name in names})
    method = Microaggregation(schema, k).fit(people[list(names)].head(2000))
    assert method.lost_ < MDAV[k]
