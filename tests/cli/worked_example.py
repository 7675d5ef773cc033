"""The worked example of bottom-up generalization, as files."""

CELLS = {
    "c1b2a3": (0, 4),
    "c1b2c3": (0, 4),
    "c1b2d3": (0, 3),
    "c1c2a3": (2, 1),
    "c1c2b3": (2, 2),
    "d1c2b3": (4, 0),
    "d1c2e3": (2, 0),
    "d1d2b3": (2, 1),
    "d1d2e3": (2, 0),
}
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
    rows = ["relationship,race,workclass,class"]
    for cell, (yes, no) in CELLS.items():
        values = ",".join([cell[:2], cell[2:4], cell[4:]])
        rows += [f"{values},Y"] * yes + [f"{values},N"] * no
    (folder / "table.csv").write_text("\n".join(rows) + "\n")
    (folder / "schema.toml").write_text(SCHEMA)
