"""The worked example of bottom-up generalization, as files."""

from tests.anonymize.people import worked_rows

SCHEMA = """
[columns.relationship]
role = "quasi-identifier"
hierarchy = {tree = {e1 = ["a1", "b1"], f1 = ["c1", "d1"]}}

[columns.race]
role = "quasi-identifier"
hierarchy = {tree = {e2 = ["a2", "b2"], f2 = ["c2", "d2"]}}

[columns.workclass]
role = "quasi-identifier"
hierarchy = {tree = {a3 = [], b3 = [], g3 = {f3 = ["c3", "d3"], e3 = []}}}

[columns.class]
role = "sensitive"
target = true
"""


def write(folder):
    """The table and its schema."""
    rows = ["relationship,race,workclass,class", *map(",".join, worked_rows())]
    (folder / "table.csv").write_text("\n".join(rows) + "\n")
    (folder / "schema.toml").write_text(SCHEMA)
