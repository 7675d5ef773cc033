import collections
import json
import os
import signal
import subprocess
import sys
import tomllib

import pytest
from typer.testing import CliRunner

from shoal import cli, errors
from shoal.anonymize import BottomUpGeneralization
from shoal.cli._reading import read_privacy
from shoal.cli.publish import _anonymize
from shoal.privacy import EntropyDiversity, KAnonymity, RecursiveDiversity, TCloseness
from shoal.schema import Schema
from tests.cli import worked_example
from tests.extras import ROOT, hear_interrupts, need

MADE = {"r.csv", "r.manifest.json", "r.private", "r.schema.toml"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    worked_example.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shoal(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def release(*more, out="r.csv", method="bottom-up"):
    if method is not None and not {"--method", "-m"} & set(more):
        more = (*more, "--method", method)
    return shoal("anonymize", "table.csv", "--schema", "schema.toml", "--out", out, *more)


def names(folder):
    return {path.name for path in folder.iterdir()} - {"table.csv", "schema.toml"}


def groups(path):
    rows = path.read_text().splitlines()[1:]
    return dict(collections.Counter("".join(row.split(",")[:3]) for row in rows))


EXPECTED = {
    "c1b2a3": 4, "c1b2c3": 4, "c1b2d3": 3, "c1f2a3": 3, "c1f2b3": 4, "d1f2b3": 7, "d1f2e3": 4,
}  # fmt: skip


def test_the_worked_example_takes_one_step(folder):
    result = release("-k", 3)
    assert result.exit_code == 0, result.output
    assert names(folder) == MADE
    assert groups(folder / "r.csv") == EXPECTED
    schema = Schema.from_toml(folder / "schema.toml")
    method = BottomUpGeneralization(schema, KAnonymity(3)).fit(folder / "table.csv")
    assert len(method.steps_) == 1
    assert "every group has at least 3 rows" in result.stdout


def test_without_a_method_the_best_is_taken_and_named(folder):
    result = release("-k", 3, method=None)
    assert result.exit_code == 0, result.output
    assert "method local: it begins with the best of several groupings" in result.stderr
    assert json.loads((folder / "r.manifest.json").read_text())["method"] == "LocalRecoding"
    asked = release("-k", 3, "--metric", "discernibility", method=None, out="m.csv")
    assert asked.exit_code == 0, asked.output
    said = " ".join(asked.stderr.split())
    assert "method bottom-up: metric was asked for, which local does not have" in said
    assert "Leave metric out to have local." in said


def test_another_method_is_named_only_where_it_keeps_more(folder, monkeypatch):
    coarse = release("-k", 12, "--method", "full-domain")
    assert "would lose" in coarse.stderr
    monkeypatch.setattr(_anonymize, "LOSS_WORTH_A_HINT", -1.0)
    best = release("-k", 3, "--method", "mondrian", "--force")
    kept = json.loads((folder / "r.manifest.json").read_text())["metrics"]["after"]["gcp"]
    release("-k", 3, "--method", "local", "--force")
    local = json.loads((folder / "r.manifest.json").read_text())["metrics"]["after"]["gcp"]
    assert ("would lose" in best.stderr) == (local < 0.95 * kept)


def test_a_method_taken_for_an_option_is_compared_with_the_one_that_loses_least(
    folder, monkeypatch
):
    monkeypatch.setattr(_anonymize, "LOSS_WORTH_A_HINT", -1.0)
    monkeypatch.setattr(_anonymize, "WORTH_ANOTHER", 2.0)
    assert "would lose" in release("-k", 3, "--metric", "ncp", method=None).stderr
    chosen = release("-k", 3, method=None, out="l.csv")
    assert "would lose" not in chosen.stderr


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("-k", 0), "-k must be an integer of at least 1, got 0."),
        (("-k", 3, "--weight", "zip=2", "-m", "mondrian"), "--weight: 'zip' not among"),
        (("-k", 3, "--weight", "race=-2", "-m", "mondrian"), "--weight: 'race'"),
        (("-k", 3, "--statistics", "race"), "--statistics: 'race' is neither"),
        (("-k", 3, "--suppress", 5), "--suppress must be between 0 and 1, got 5.0: 5 % is 0.05."),
    ],
)
def test_errors_name_what_was_typed(folder, more, said):
    result = shoal("anonymize", "table.csv", "-s", "schema.toml", "-o", "r.csv", *more)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_a_release_is_checked_with_the_schema_and_the_promise_beside_it(folder):
    release("-k", 3)
    assert shoal("check", "r.csv").exit_code == 0
    assert shoal("check", "r.csv", "-k", 5).exit_code == 1
    alone = shoal("check", "table.csv", "-k", 3)
    assert alone.exit_code == 2
    assert "table.schema.toml" in alone.stderr


def test_the_other_method_and_json(folder):
    result = release("-k", 3, "--method", "top-down", "--json")
    assert result.exit_code == 0, result.output
    shown = json.loads(result.stdout)
    assert shown["method"] == "TopDownSpecialization"
    assert shown["reached"][0]["reached"] >= 3
    assert min(groups(folder / "r.csv").values()) >= 3
    manifest = json.loads((folder / "r.manifest.json").read_text())
    assert manifest["groups"] == shown["groups"]
    assert result.stderr == ""


@pytest.mark.parametrize("method", ["full-domain", "mondrian"])
def test_further_methods_keep_the_promise(folder, method):
    assert release("-k", 3, "--method", method).exit_code == 0
    assert shoal("check", "r.csv", "-s", "schema.toml", "-k", 3).exit_code == 0


def test_quiet_says_nothing(folder):
    result = release("-k", 3, "-q")
    assert result.exit_code == 0
    assert result.output == ""


def test_conditions_beyond_k_hold(folder):
    result = release("-k", 3, "--diversity", "entropy:1.2", "--diversity", "distinct:2")
    assert result.exit_code == 0, result.output
    assert shoal("check", "r.csv", "-s", "schema.toml", "-k", 3, "--privacy",
                 "entropy:1.2").exit_code == 0  # fmt: skip
    assert shoal("check", "r.csv", "-s", "schema.toml", "--privacy", "distinct:3").exit_code == 1


def test_suppressed_rows_are_left_out_or_starred(folder):
    assert release("-k", 3, "--suppress", 0.2).exit_code == 0
    left_out = len((folder / "r.csv").read_text().splitlines()) - 1
    assert left_out == 25
    result = release("-k", 3, "--suppress", 0.2, "--keep-suppressed", "--force", "--json")
    assert json.loads(result.stdout)["suppressed_rows"] == 4
    kept = groups(folder / "r.csv")
    assert sum(kept.values()) == 29
    assert kept["***"] == 4
    check = ("check", "r.csv", "-s", "schema.toml", "-k", 3)
    assert shoal(*check, "--ignore-stars").exit_code == 0
    assert json.loads(shoal(*check, "--ignore-stars", "--json").stdout)["n_starred"] == 4


def test_rows_come_in_a_secret_order_unless_asked(folder):
    def lines(*more):
        assert release("-k", 3, *more, "--force").exit_code == 0
        manifest = json.loads((folder / "r.manifest.json").read_text())
        return (folder / "r.csv").read_text().splitlines(), manifest

    ordered, said = lines("--keep-order")
    assert said["order"] == "input"
    assert "who is who" in said["notes"][-1]
    assert [line.split(",")[3] for line in ordered] == [
        line.split(",")[3] for line in (folder / "table.csv").read_text().splitlines()
    ]
    shuffled, said = lines()
    assert (said["order"], said["notes"]) == ("secret", [])
    assert ordered != shuffled
    assert sorted(ordered) == sorted(shuffled)
    seeded, said = lines("--order-seed", 7)
    assert said["order"] == "seed"
    assert lines("--order-seed", 7)[0] == seeded


def test_only_what_may_be_published_goes_into_the_public_folder(folder):
    assert release("-k", 3, "--publish", "public").exit_code == 0
    assert sorted(p.name for p in (folder / "public").rglob("*")) == [
        "r.csv", "r.manifest.json", "r.schema.toml",
    ]  # fmt: skip
    for path in (folder / "public").iterdir():
        assert path.read_bytes() == (folder / path.name).read_bytes()
    assert "recoding.json  (stays in the house)" in release("-k", 3, "--force").stdout
    assert (folder / "r.private").stat().st_mode & 0o777 == 0o700
    again = release("-k", 3, "--publish", "public", out="r2.csv")
    assert again.exit_code == 0
    assert release("-k", 3, "--publish", "public", out="deep/r.csv").exit_code == 2
    assert not (folder / "deep").exists()


def test_a_torn_set_is_noticed(folder):
    release("-k", 3)
    table = (folder / "r.csv").read_bytes()
    release("-k", 4, "--force")
    (folder / "r.csv").write_bytes(table)  # the table of one release beside the files of another
    checked = shoal("check", "r.csv", "-s", "r.schema.toml", "-k", 3, "--json")
    assert checked.exit_code == 1
    assert json.loads(checked.stdout)["matches_manifest"] is False


def test_nothing_is_overwritten_unless_asked(folder):
    (folder / "r.csv").write_text("mine")
    result = release("-k", 3)
    assert result.exit_code == 2
    assert "'r.csv' is there already" in result.stderr
    assert (folder / "r.csv").read_text() == "mine"
    assert names(folder) == {"r.csv"}
    assert release("-k", 3, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (("-k", 40), 3, "k=40 with 29 rows: needs 40, best reachable is 29. Lower k"),
        (("-k", 0), 2, "k must be an integer of at least 1"),
        ((), 2, "nothing is asked for. Say -k 10"),
        (("-k", 3, "--diversity", "nonsense:1"), 2, "unknown condition 'nonsense'"),
        (("-k", 3, "--diversity", "entropy"), 2, "entropy takes 1 number(s), e.g. entropy:1.5"),
        (("-k", 3, "--diversity", "distinct:2@height"), 2, "'height' is not counted as sensitive"),
        (("-k", 3, "--method", "magic"), 2, "unknown method 'magic'. Choose from bottom-up"),
        (("-k", 3, "--set", "speed=9"), 2, "no parameter 'speed'. It has"),
        (("-k", 3, "--set", "speed"), 2, "write NAME=VALUE"),
        (("-k", 3, "--suppress", 2), 2, "--suppress must be between 0 and 1, got 2"),
        (("-k", 3, "--suppress", 0.1, "--method", "mondrian"), 2, "has no option --suppress."),
    ],
)
def test_bad_requests_say_what_to_do_and_write_nothing(folder, more, code, message):
    result = release(*more)
    assert result.exit_code == code, result.output
    assert message in result.stderr
    assert names(folder) == set()


def test_bad_files_say_what_to_do_and_write_nothing(folder):
    cases = [
        (("anonymize", "no.csv", "-s", "schema.toml", "-k", 3, "-o", "r.csv"), "no.csv"),
        (("anonymize", "table.csv", "-s", "no.toml", "-k", 3, "-o", "r.csv"), "no.toml"),
        (("anonymize", "table.csv", "-s", "schema.toml", "-k", 3, "-o", "r.xls"), "format"),
        (("check", "table.csv", "-s", "no.toml", "-k", 3), "no.toml"),
        (("apply", "no.json", "table.csv", "-o", "r.csv"), "no.json"),
        (("metrics", "no.csv", "-s", "schema.toml"), "no.csv"),
    ]
    for arguments, message in cases:
        result = shoal(*arguments)
        assert result.exit_code == 2, arguments
        assert message in result.stderr
        assert "Traceback" not in result.output
    assert names(folder) == set()


def test_values_that_a_hierarchy_lacks_are_listed_with_the_flag_that_helps(folder):
    table = folder / "table.csv"
    table.write_text(table.read_text() + "x9,b2,a3,N\n" * 3 + "y9,b2,a3,N\n" * 3)
    result = release("-k", 3)
    assert result.exit_code == 2
    assert "lacks 2 of the values" in result.stderr
    assert "--missing-to-root" in result.stderr
    assert release("-k", 3, "--missing-to-root").exit_code == 0


def test_no_sensitive_value_is_in_any_message(folder):
    table = folder / "table.csv"
    table.write_text(table.read_text().replace(",N", ",CANARY"))
    for arguments in (
        ("anonymize", "table.csv", "-s", "schema.toml", "-k", 40, "-o", "r.csv"),
        ("anonymize", "table.csv", "-s", "schema.toml", "-k", 3, "-o", "r.csv"),
        ("check", "table.csv", "-s", "schema.toml", "-k", 3, "--privacy", "distinct:2"),
        ("metrics", "table.csv", "-s", "schema.toml"),
        ("metrics", "r.csv", "-s", "schema.toml", "--json"),
        ("schema", "table.csv"),
    ):
        result = shoal(*arguments)
        assert result.exit_code in (0, 1, 3), result.output
        assert "CANARY" not in result.output
    assert "CANARY" not in (folder / "r.manifest.json").read_text()


def test_check_says_which_groups_fail_without_their_values(folder):
    result = shoal("check", "table.csv", "--schema", "schema.toml", "-k", 3)
    assert result.exit_code == 1
    assert "2 groups (4 rows) fail" in result.stdout
    shown = json.loads(shoal("check", "table.csv", "-s", "schema.toml", "-k", 3, "--json").stdout)
    assert [group["first_row"] for group in shown["failing"]] == [23, 28]
    assert all(group["breaks"] == ["KAnonymity"] for group in shown["failing"])
    assert not any(value in result.stdout for value in ("e3", "d1", "c2"))


def test_check_refuses_columns_without_a_role(folder):
    table = folder / "table.csv"
    rows = table.read_text().splitlines()
    table.write_text("\n".join([rows[0] + ",ward", *(row + ",w" for row in rows[1:])]) + "\n")
    result = shoal("check", "table.csv", "-s", "schema.toml", "-k", 3)
    assert result.exit_code == 2
    assert "columns without a role: 'ward'" in result.stderr


def test_metrics_of_raw_and_released(folder):
    release("-k", 3)
    raw = json.loads(shoal("metrics", "table.csv", "-s", "schema.toml", "--json").stdout)
    done = json.loads(shoal("metrics", "r.csv", "-s", "schema.toml", "--json").stdout)
    assert (raw["smallest_group"], done["smallest_group"]) == (2, 3)
    assert raw["risk"]["prosecutor"]["highest"] == 0.5
    assert done["against_raw"]["gcp"] > 0
    assert "against_raw" not in raw
    assert "smallest group" in shoal("metrics", "r.csv", "-s", "schema.toml").stdout


def test_a_recoding_applies_to_new_rows(folder):
    release("-k", 3)
    (folder / "new.csv").write_text("relationship,race,workclass\nc1,d2,b3\nz9,c2,a3\n")
    result = shoal("apply", "r.private/recoding.json", "new.csv", "--out", "n.csv")
    assert result.exit_code == 0, result.output
    assert (folder / "n.csv").read_text().splitlines()[1:] == ["c1,f2,b3", "*,f2,a3"]
    again = shoal("apply", "r.private/recoding.json", "new.csv", "--out", "n.csv")
    assert again.exit_code == 2
    suppressed = shoal("apply", "r.private/recoding.json", "new.csv", "-o", "n.csv", "--force",
                       "--unseen", "suppress", "--json")  # fmt: skip
    assert json.loads(suppressed.stdout)["suppressed_rows"] == 1
    refused = shoal(
        "apply", "r.private/recoding.json", "new.csv", "-o", "m.csv", "--unseen", "error"
    )
    assert refused.exit_code == 2
    assert "z9" not in refused.stderr
    assert not (folder / "m.csv").exists()


def test_a_released_schema_finds_its_hierarchy_files(folder):
    (folder / "race.csv").write_text("a2;e2;*\nb2;e2;*\nc2;f2;*\nd2;f2;*\n")
    text = (folder / "schema.toml").read_text()
    tree = 'hierarchy = {tree = {e2 = ["a2", "b2"], f2 = ["c2", "d2"]}}'
    assert tree in text
    (folder / "schema.toml").write_text(text.replace(tree, 'hierarchy = {file = "race.csv"}'))
    (folder / "deep").mkdir()
    assert release("-k", 3, out="deep/r.csv").exit_code == 0
    schema = Schema.from_toml(folder / "deep" / "r.schema.toml")
    assert schema["race"].hierarchy.build([]).n_leaves == 4


def test_privacy_is_read_from_text():
    assert read_privacy(5, ["entropy:1.5@income", "recursive:3:2", "t:0.2"]) == (
        KAnonymity(5) & EntropyDiversity(1.5, "income") & RecursiveDiversity(3.0, 2)
        & TCloseness(0.2)
    )  # fmt: skip
    for wrong in ("entropy:x", "entropy:1:2", "distinct:", "recursive:2"):
        with pytest.raises(errors.ParameterError):
            read_privacy(5, [wrong])


def test_an_interrupted_run_leaves_nothing_behind(folder):
    code = (
        "import os, signal, sys\n"
        "from shoal.anonymize import _release\n"
        "def stop(*a, **k): os.kill(os.getpid(), signal.SIGINT)\n"
        "_release.recheck = stop\n"
        "sys.argv = ['shoal', 'anonymize', 'table.csv', '-s', 'schema.toml', '-k', '3', "
        "'-o', 'r.csv']\n"
        "from shoal.cli import main\n"
        "main()"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        preexec_fn=hear_interrupts,
    )
    assert done.returncode == 128 + signal.SIGINT, done.stderr
    assert "Traceback" not in done.stderr
    assert names(folder) == set()


def test_the_installed_command_runs(folder):
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "check", "table.csv", "-s", "schema.toml", "-k", "3"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        check=False,
    )
    assert done.returncode == 1
    assert "does not hold" in done.stdout


def test_weights_and_scores_steer_mondrian(folder):
    steering = [
        "--weight",
        "race=2",
        "--weight",
        "workclass=1",
        "--set",
        "loss=1",
        "--set",
        "gain=1",
    ]
    more = ["--set", "splits=full", "--set", "relaxed=true", "--set", "spread=0.5"]
    done = release("-m", "mondrian", "-k", 3, *steering, *more, "--set", "priority=0")
    assert done.exit_code == 0, done.output
    used = json.loads((folder / "r.manifest.json").read_text())["parameters"]
    assert used["weights"] == {"race": 2.0, "workclass": 1.0}
    assert (used["spread"], used["gain"], used["priority"], used["loss"]) == (0.5, 1, 0, 1)
    assert (used["splits"], used["relaxed"]) == ("full", True)


@pytest.mark.parametrize(
    ("more", "message", "code"),
    [
        (["--weight", "nobody=1"], "'nobody' not among the quasi-identifiers", 2),
        (["--weight", "race=0"], "all are 0", 2),
        (["--weight", "race=-1"], "at least 0", 2),
        (["--weight", "race"], "COLUMN=NUMBER", 2),
        (["--set", "splits=some"], "splits must be", 2),
        (["--diversity", "distinct:3"], "whole table as one group", 3),
    ],
)
def test_mondrian_says_what_is_wrong_with_its_settings(folder, more, message, code):
    done = release("-m", "mondrian", "-k", 3, *more)
    assert done.exit_code == code
    assert message in " ".join(done.stderr.split())
    assert names(folder) == set()


def test_a_workload_about_other_columns_is_refused(folder):
    need("sqlglot")
    (folder / "queries.sql").write_text("SELECT count(*) FROM t WHERE height > 3;")
    done = release("-m", "mondrian", "-k", 3, "--workload", "queries.sql")
    assert done.exit_code == 2
    assert "names a quasi-identifier" in " ".join(done.stderr.split())


def test_a_column_with_one_value_is_noted(folder):
    rows = (folder / "table.csv").read_text().splitlines()
    same = [rows[0], *(",".join(["c1", *row.split(",")[1:]]) for row in rows[1:])]
    (folder / "table.csv").write_text("\n".join(same) + "\n")
    done = release("-m", "mondrian", "-k", 3)
    assert done.exit_code == 0, done.output
    assert "'relationship' has one value only" in " ".join((done.stdout + done.stderr).split())


def test_an_existing_schema_of_a_release_is_refused_before_any_work(folder, monkeypatch):
    def fit(*arguments, **options):
        raise AssertionError("the fit had begun")

    monkeypatch.setattr("shoal.anonymize._anonymizer.Anonymizer.fit", fit)
    (folder / "r.schema.toml").write_text("")
    result = release("-k", 3)
    assert "'r.schema.toml' is there already" in result.stderr


@pytest.mark.parametrize("out", ["table.csv", "./table.csv"])
def test_the_raw_table_is_never_replaced(folder, out):
    before = (folder / "table.csv").read_bytes()
    refused = release("-k", 3, "--force", out=out)
    assert refused.exit_code == 2
    assert "what this is made of" in refused.stderr
    assert (folder / "table.csv").read_bytes() == before


@pytest.mark.parametrize("form", ["intervals", "midpoints", "draws"])
def test_forms_are_written_and_checked_where_they_can_be(folder, form):
    assert release("-k", 3, "--as", form).exit_code == 0
    assert json.loads((folder / "r.manifest.json").read_text())["form"] == form
    assert shoal("check", "r.csv").exit_code == (5 if form == "draws" else 0)
    refused = shoal("report", "r.csv")
    assert refused.exit_code == 2
    assert "--as labels" in refused.stderr


def test_very_many_columns_bring_advice_before_the_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"q{i}" for i in range(61)]
    rows = [",".join(str((row + i) % 2) for i in range(61)) for row in range(8)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
    columns = [f'columns.{name} = {{role = "quasi-identifier"}}\n' for name in names]
    (tmp_path / "wide.toml").write_text("".join(columns))
    line = ("anonymize", "wide.csv", "-s", "wide.toml", "-k", 2, "--method", "mondrian")
    done = shoal(*line, "-o", "out.csv")
    assert done.exit_code == 0, done.output
    said = " ".join(done.stderr.split())
    assert "61 quasi-identifiers: nearly nobody agrees with others in all of them" in said
    assert "lkc:2:2" in said


def test_it_says_that_the_same_columns_were_released_before(folder):
    note = "has the same columns"
    assert note not in release("-k", 3).output
    assert note not in release("-k", 3, "--force").output  # the same release, made again
    (folder / "odd.manifest.json").write_text("[1]")
    again = " ".join(release("-k", 4, out="again.csv").output.split())
    assert f"Note: the release r {note}" in again
    assert "--second" in again
    (folder / "elsewhere").mkdir()
    assert note not in release("-k", 4, out="elsewhere/again.csv").output


def test_it_tells_of_releases_with_most_of_the_same_columns(folder):
    """Two schemas for one table are two releases; a column that both have alone is no sign."""
    said = (folder / "schema.toml").read_text()
    listed = tomllib.loads(said)["columns"]
    beside = {name: {"schema": {"columns": columns}} for name, columns in {
        "fewer": list(listed)[1:], "more": [*listed, "height"], "other": [*list(listed)[:1], "x"],
    }.items()}  # fmt: skip
    for name, manifest in beside.items():
        (folder / f"{name}.manifest.json").write_text(json.dumps(manifest))
    again = " ".join(release("-k", 4).output.split())
    assert "Note: 2 releases have most of these columns: fewer; more. Of the same people" in again
    (folder / "more.manifest.json").unlink()
    again = " ".join(release("-k", 4, out="s.csv").output.split())
    assert "2 releases have most of these columns: fewer; r" in again
    made = json.loads(release("-k", 4, "--json", out="t.csv").stdout)
    assert made["earlier"] == ["fewer", "r", "s"]


def test_it_looks_into_the_folder_that_is_published_and_at_what_is_replaced(folder):
    note = "has the same columns"
    assert note not in release("-k", 3, "--publish", "web").output
    again = release("-k", 3, "--publish", "web", "--force").output
    assert note not in again  # the same rows, in another order
    (folder / "house").mkdir()
    grown = release("-k", 4, "--publish", "web", out="house/new.csv").output
    assert f"the release web/r {note}" in " ".join(grown.split())
    coarser = release("-k", 4, "--force", out="house/new.csv", method="mondrian").output
    other = " ".join(coarser.split())
    assert f"the release new, which is replaced, {note}" in other


def test_several_earlier_releases_are_counted(folder):
    for number in range(4):
        release("-k", 3, out=f"r{number}.csv")
    said = " ".join(release("-k", 4, out="last.csv").output.split())
    assert "4 releases have the same columns: r0; r1; r2 and 1 more." in said
    assert "Give out one of them, or the new one, and no other." in said
