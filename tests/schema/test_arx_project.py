"""Projects as ARX writes them, made here: a zip with XML, CSV hierarchies and what is not read."""

import zipfile

import pytest

from shoal.errors import SchemaError
from shoal.schema import Hierarchy, read_arx_project


def attribute(name, kind, datatype="String", more=""):
    return (
        f"<assigment><name>{name}</name><type>{kind}</type><datatype>{datatype}</datatype>"
        f"{more}</assigment>"
    )


def hierarchy(name, most="All", least="All"):
    return f"<ref>hierarchies/{name}.csv</ref><min>{least}</min><max>{most}</max>"


QUASI = "QUASI_IDENTIFYING_ATTRIBUTE"
DEFINITION = "<definition>{}</definition>".format(
    attribute("name", "IDENTIFYING_ATTRIBUTE")
    + attribute("town", QUASI, more=hierarchy("town", most="1"))
    + attribute("age", QUASI, "Integer", hierarchy("age", least="1"))
    + attribute("income", "SENSITIVE_ATTRIBUTE", "Decimal")
    + attribute("ward", "INSENSITIVE_ATTRIBUTE", more="<response>true</response>")
)
CONFIG = (
    "<config><relativeMaxOutliers>0.05</relativeMaxOutliers><attributeWeights>"
    "<attributeWeight><attribute>town</attribute><weight>0.8</weight></attributeWeight>"
    "<attributeWeight><attribute>age</attribute><weight>0.2</weight></attributeWeight>"
    "</attributeWeights><criteria><criterion>5-anonymity</criterion></criteria></config>"
)


def write(path, **changes):
    parts = {
        "metadata.xml": "<metadata><version>3.9.1</version></metadata>",
        "project.dat": "\xac\xed no object of Java is read",
        "data/input.csv": "name;town\nXq7canary;Ulm\n",
        "input/definition.xml": DEFINITION,
        "input/config.xml": CONFIG,
        "input/hierarchies/town.csv": "Ulm;South;*\nKiel;North;*\n",
        "input/hierarchies/age.csv": "31;[30, 40[\n52;[50, 60[\n",
        **changes,
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            if text is not None:
                archive.writestr(name, text)
    return path


@pytest.fixture
def project(tmp_path):
    return read_arx_project(write(tmp_path / "p.deid"))


def test_roles_limits_weights_and_the_target_are_read(project):
    roles = {name: column.role for name, column in project.schema.items()}
    assert roles == {
        "name": "identifier",
        "town": "quasi-identifier",
        "age": "quasi-identifier",
        "income": "sensitive",
        "ward": "insensitive",
    }
    assert project.schema["town"].limit_level == 1
    assert project.schema["town"].weight == 0.8
    assert project.schema["income"].kind == "numeric"
    assert project.schema.target == "ward"
    assert project.criteria == ("5-anonymity",)
    assert project.suppression == 0.05


def test_hierarchies_are_read_and_get_a_root(project):
    town, age = project.schema["town"].hierarchy, project.schema["age"].hierarchy
    assert isinstance(town, Hierarchy)
    assert town.labels == ("Ulm", "Kiel", "South", "North", "*")
    assert age.labels == ("31", "52", "[30, 40[", "[50, 60[", "*")
    assert any("'age'" in note and "least level" in note for note in project.notes)


def test_the_sign_between_labels_is_that_of_the_project(tmp_path):
    sets = "Ulm;{Ulm, Passau, Graz};*\nKiel;{Kiel};*\n"
    for settings in ("<project><separator>;</separator></project>", None):
        changes = {"input/hierarchies/town.csv": sets, "project.xml": settings}
        read = read_arx_project(write(tmp_path / "p.deid", **changes))
        assert "{Ulm, Passau, Graz}" in read.schema["town"].hierarchy.labels


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"input/definition.xml": None}, "definition.xml is missing"),
        ({"input/definition.xml": "<definition>"}, "is no XML"),
        ({"input/definition.xml": "<definition/>"}, "no attributes"),
        ({"input/definition.xml": '<!DOCTYPE a [<!ENTITY b "c">]><definition/>'}, "entities"),
        ({"input/definition.xml": f"<d>{attribute('a', 'ODD')}</d>"}, "no type that is known"),
    ],
)
def test_what_is_no_project_is_refused(tmp_path, changes, words):
    with pytest.raises(SchemaError, match=words):
        read_arx_project(write(tmp_path / "p.deid", **changes))


def test_other_files_are_refused(tmp_path):
    (tmp_path / "x.deid").write_text("no zip")
    with pytest.raises(SchemaError, match="no zip archive"):
        read_arx_project(tmp_path / "x.deid")
    with pytest.raises(SchemaError, match="cannot read"):
        read_arx_project(tmp_path / "gone.deid")
