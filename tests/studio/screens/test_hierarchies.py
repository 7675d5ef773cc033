import pytest

from shoal.errors import HierarchyError, ParameterError
from tests.studio.desks import CITIES, Bureau


@pytest.fixture
def bureau(tmp_path):
    made = Bureau(tmp_path).with_roles()
    made.act("columns", "set", columns=["age", "city"], role="quasi-identifier")
    made.act("columns", "set", columns=["age"], kind="numeric")
    return made


def index(bureau, name):
    return str(bureau.desk.schema.quasi_identifiers.index(name))


def edit(bureau, name):
    return bureau.show("hierarchies", column=index(bureau, name))


def test_cuts_become_bands_that_nest(bureau):
    bureau.act("hierarchies", "cuts", column="age", cuts="30:1, 40:2, 50:1")
    assert bureau.desk.schema["age"].to_toml()["hierarchy"] == {"breaks": [[30, 40, 50], [40]]}
    shown = edit(bureau, "age")
    assert shown["cuts"] == [[30, 1], [40, 2], [50, 1]]
    assert [level["groups"] for level in shown["found"]["tree"]["levels"]] == [4, 2, 1]
    for wrong in ("", "x", "30:x", "nan", "1e999", ", ".join(map(str, range(100)))):
        with pytest.raises(HierarchyError):
            bureau.act("hierarchies", "cuts", column="age", cuts=wrong)


def test_widths_show_as_cuts(bureau):
    bureau.act("hierarchies", "widths", column="age", widths="10, 20")
    assert edit(bureau, "age")["cuts"] == [[30, 1], [40, 2], [50, 1]]
    with pytest.raises(HierarchyError, match="multiple"):
        bureau.act("hierarchies", "widths", column="age", widths="10, 15")


def test_a_tree_needs_the_values_to_be_revealed(bureau):
    assert edit(bureau, "city")["tree"] is None
    with pytest.raises(ParameterError, match="reveal"):
        bureau.act("hierarchies", "move", column="city", values=["Ulm"], group="South")
    bureau.act("hierarchies", "reveal", column="city")
    assert sorted(edit(bureau, "city")["tree"]["top"]) == sorted(CITIES)
    bureau.act("hierarchies", "move", column="city", values=["Ulm", "Passau"], group="South")
    shown = edit(bureau, "city")
    assert [group["name"] for group in shown["tree"]["groups"]] == ["South"]
    assert shown["found"]["tree"]["uncovered"] == 0
    bureau.act("columns", "undo")
    assert bureau.desk.schema["city"].to_toml().get("hierarchy", "flat") in ("flat", "auto")
    bureau.act("columns", "undo", again=True)
    assert "tree" in bureau.desk.schema["city"].to_toml()["hierarchy"]


def test_rare_values_are_bundled(bureau):
    bureau.act("hierarchies", "reveal", column="city")
    counts = dict(map(tuple, edit(bureau, "city")["found"]["values"]))
    rare = sorted(city for city, n in counts.items() if n < 60)
    bureau.act("hierarchies", "bundle", column="city", fewer="60", group="few")
    (group,) = edit(bureau, "city")["tree"]["groups"]
    assert (group["name"], sorted(group["values"])) == ("few", rare)


def test_an_arx_file_is_taken_and_what_it_misses_is_told(bureau):
    file = bureau.folder / "city.csv"
    file.write_text("Kiel;North;*\nBremen;North;*\nUlm;South;*\n")
    bureau.act("hierarchies", "import", column="city", path=str(file))
    assert bureau.desk.schema["city"].to_toml()["hierarchy"] == {"file": "hierarchies/city.csv"}
    tree = edit(bureau, "city")["found"]["tree"]
    assert (tree["covered"], tree["uncovered"], tree["uncovered_values"]) == (3, 2, None)
    (listed,) = [c for c in edit(bureau, "city")["columns"] if c["name"] == "city"]
    assert listed["uncovered"] == 2
    bureau.act("hierarchies", "reveal", column="city")
    assert sorted(edit(bureau, "city")["found"]["tree"]["uncovered_values"]) == ["Bonn", "Passau"]
    with pytest.raises(ParameterError, match="outside"):
        bureau.act("hierarchies", "import", column="city", path="/etc/passwd")


def test_small_bars_are_hidden_until_revealed(bureau):
    table = bureau.desk.project.table
    table.write_text(table.read_text() + "Zed,97,Ulm,flu\n")
    hidden = edit(bureau, "age")["found"]["histogram"]
    assert hidden["start"] + hidden["step"] * len(hidden["bars"]) < 97
    assert all(bar == 0 or bar >= 5 for bar in hidden["bars"])
    bureau.act("hierarchies", "reveal", column="age")
    shown = edit(bureau, "age")["found"]["histogram"]
    assert shown["start"] + shown["step"] * len(shown["bars"]) > 97


def test_groups_that_are_not_shown_are_counted_and_those_of_few_rows_named(bureau):
    table = bureau.desk.project.table
    table.write_text(
        table.read_text() + "".join(f"Zed,{n},Ulm,flu\n" for n in range(1000, 1800, 8))
    )
    bureau.act("hierarchies", "widths", column="age", widths="5, 10, 1000")
    levels = edit(bureau, "age")["found"]["tree"]["levels"]
    assert levels[0]["few"] >= 100
    assert all(node["rows"] >= 5 for level in levels for node in level["nodes"])
    bureau.act("hierarchies", "reveal", column="age")
    seen = edit(bureau, "age")["found"]["tree"]["levels"]
    assert seen[0]["nodes"]
    assert all(level["few"] == 0 for level in seen)
    for level in (*levels, *seen):
        assert len(level["nodes"]) + level["more"] == level["groups"]


@pytest.mark.parametrize("depth", [900, 100_000])
def test_a_recipe_that_is_nested_too_deep_is_refused_before_anything_is_written(bureau, depth):
    before = bureau.desk.project.schema_text()
    for recipe in ('{"tree":' + '{"a":' * depth + '["b"]' + "}" * (depth + 1), "[" * depth):
        with pytest.raises(HierarchyError, match=r'at most 100 levels|write "auto"'):
            bureau.act("hierarchies", "recipe", column="city", recipe=recipe)
    assert bureau.desk.project.schema_text() == before
