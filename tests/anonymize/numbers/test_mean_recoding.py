import pickle

from shoal.anonymize import Microaggregation, load_recoding
from shoal.anonymize._anonymizer import apply_recoding
from shoal.schema import Schema

SCHEMA = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
AGES = {"age": [21, 23, 33, 61, 63, 68]}


def test_labels_of_new_rows_end_on_public_lines(tmp_path):
    """A label that ends at 21 and 33 would say that somebody in the fitted table has these ages."""
    method = Microaggregation(SCHEMA, 3).fit(AGES)
    assert set(method.release_.table["age"]) == {26, 64}
    new = {"age": [22, 66, 95]}
    expected = ["[20-34]", "[60-69]", "*"]
    assert method.transform(new)["age"].tolist() == expected
    assert method.transform(AGES)["age"].tolist() == ["[20-34]"] * 3 + ["[60-69]"] * 3
    method.save_private(tmp_path / "recoding.json")
    loaded = load_recoding(tmp_path / "recoding.json")
    again = pickle.loads(pickle.dumps(method.recoding_))
    for recoding in (loaded, again):
        assert apply_recoding(recoding, new, SCHEMA)["age"].tolist() == expected
