import pytest

from shoal.errors import HierarchyError
from shoal.schema import Column, Ready, Schema

CODES = {
    "atc": ["N02BE01", "N02BA01", "C09AA05", "N02", "N"],
    "countries": ["DE", "FRA", "076", "Schweden", "Türkiye", "Micronesia", "Antarctica"],
    "icd10": ["J45.9", "J45.0", "C50.9", "F32", "U07.1", "E119", "O9A.2", "C7A.1"],
    "isco08": ["2211", "2212", "0110", "9629"],
    "nuts": ["DE212", "DE21", "FRK26", "EL30", "AT13"],
    "postcodes": ["SW1A 1AA", "SW1A 2AA", "1012 AB", "K1A 0B1", "00-950", "10115", "D-10115"],
}


def path(tree, value):
    return [tree.labels[node] for node in tree.levels[tree.find(value)]]


@pytest.mark.parametrize("name", CODES)
def test_every_code_gets_to_the_root_over_its_groups(name):
    tree = Ready(name).build(CODES[name])
    assert tree.n_values == len(CODES[name])
    assert Ready(name).knows(CODES[name]) == len(CODES[name])
    for value in CODES[name]:
        steps = path(tree, value)
        assert steps[0] == value
        assert steps[-1] == "*"
        assert len(set(steps)) >= 3


@pytest.mark.parametrize("name", CODES)
def test_what_no_classification_knows_goes_straight_to_the_root(name):
    tree = Ready(name).build([*CODES[name], "no such code"])
    assert set(path(tree, "no such code")) == {"no such code", "*"}
    assert Ready(name).knows(["no such code"]) == 0


def test_labels_that_are_also_values_are_named_apart():
    tree = Ready("countries").build(["Europe", "DE"])
    assert path(tree, "DE") == ["DE", "Western Europe", "Europe (group)", "*"]


def test_the_same_code_has_the_same_labels_whatever_else_is_there():
    """So a label tells nothing about other rows."""
    for name, codes in CODES.items():
        whole = Ready(name).build(codes)
        for code in codes:
            alone = [label for label in path(Ready(name).build([code]), code) if label != code]
            assert alone == [label for label in path(whole, code) if label != code]


def test_ages_follow_official_bands_and_end_at_ninety():
    tree = Ready("ages").build([0, 17, 18, 64, 65, 90, 104])
    assert (
        path(tree, "104") == ["104", "[90-*]", "[85-*]", "[65-*]", "*"]
        or path(tree, "104")[1] == path(tree, "90")[1]
    )
    assert path(tree, "17")[2] == path(tree, "18")[2]


def test_zeros_that_a_table_lost_do_not_move_a_postcode():
    tree = Ready("postcodes").build(["1067", "10611"])
    assert path(tree, "1067")[1:] == ["0106*", "010*", "01*", "0*", "*"]
    assert path(tree, "10611")[1:] == ["1061*", "106*", "10*", "1*", "*"]


def test_a_schema_file_names_it():
    schema = Schema.from_dict(
        {"columns": {"land": {"role": "quasi-identifier", "hierarchy": {"ready": "countries"}}}}
    )
    assert schema["land"] == Column("quasi-identifier", hierarchy=Ready("countries"))
    assert schema.to_dict()["columns"]["land"]["hierarchy"] == {"ready": "countries"}


def test_an_unknown_name_says_which_there_are():
    with pytest.raises(HierarchyError, match="Choose from ages, atc"):
        Ready("planets").build(["Mars"])
