"""However days are written, the release is that of the same days written year first."""

import datetime as dt
import random

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.tables import open_table

SCHEMA = """
columns.at = {role = "quasi-identifier", kind = "date", hierarchy = {dates = ["month", "year"]}}
columns.sex = {role = "quasi-identifier", hierarchy = "flat"}
columns.seen = {role = "insensitive"}
columns.ill = {role = "sensitive"}
"""
WRITTEN = [
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m-%d-%y",
    "%y-%m-%d",
    "%Y/%m/%d",
    "%Y-%m-%d %H:%M",
    "%d/%m/%Y %I:%M %p",
    "%m/%d/%y %I:%M:%S%p",
    "%d.%m.%Y %I:%M p",  # with a.m. and p.m.
    "en %d %b %Y",
    "en %b %d, %Y",
    "en %d-%b-%y",
    "en %d%b%Y %H:%M",
    "en %Y-%b-%d %I:%M %p",
    "de %d. %B %Y",
    "fr %d %B %Y",
    "es %d de %B de %Y",
]
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
}


def moments(most_days=28):
    draw = random.Random(5)
    years = [1931, 1960, 1999, 2012, 2029]
    return [
        dt.datetime(
            draw.choice(years), draw.randint(1, 12), draw.randint(1, most_days), draw.randint(0, 23)
        )
        for _ in range(60)
    ]


def spell(moment, how):
    if how[:2] in MONTHS:
        month = MONTHS[how[:2]].split()[moment.month - 1]
        how = how[3:].replace("%B", month).replace("%b", month[:3])
    half = "a.m." if moment.hour < 12 else "p.m."
    return moment.strftime(how.replace("%M p", f"%M {half}"))


def release(folder, name, when, how, told=()):
    draw = random.Random(6)
    days = [spell(moment, how) for moment in when]
    rows = [f'"{day}",{draw.choice("fm")},"{day}",{draw.choice(["flu", "cold"])}' for day in days]
    (folder / "schema.toml").write_text(SCHEMA)
    (folder / f"{name}.csv").write_text("at,sex,seen,ill\n" + "\n".join(rows) + "\n")
    line = ["anonymize", str(folder / f"{name}.csv"), "-s", str(folder / "schema.toml"), "-k", "3"]
    line += ["--method", "mondrian", "--order-seed", "1", "-o", str(folder / f"{name}.out.csv")]
    done = CliRunner().invoke(app, [*line, *told])
    assert done.exit_code == 0, done.output
    return (folder / f"{name}.out.csv").read_text(), " ".join(done.stderr.split())


@pytest.mark.parametrize("how", WRITTEN)
def test_days_written_in_any_way_give_one_release(tmp_path, how):
    plain = "%Y-%m-%d %H:%M:%S" if "M" in how else "%Y-%m-%d"
    expected, _ = release(tmp_path, "plain", moments(), plain)
    found, said = release(tmp_path, "other", moments(), how)
    assert found == expected
    assert ("years of two digits are taken for 1930 to 2029" in said) == ("%y" in how)


@pytest.mark.parametrize(("how", "told"), [("%d/%m/%y", "dmy"), ("%m-%d-%Y", "mdy")])
def test_what_is_told_settles_days_that_may_be_months(tmp_path, how, told):
    expected, _ = release(tmp_path, "plain", moments(12), "%Y-%m-%d")
    found, _ = release(tmp_path, "other", moments(12), how, ["--dates", told])
    assert found == expected


def test_days_of_which_one_has_no_month_stay_text(tmp_path):
    days = [f"{day} Jan 2024" for day in range(1, 29)]
    (tmp_path / "t.csv").write_text("at\n" + "\n".join([*days, "30 Feb 2024"]) + "\n")
    assert open_table(tmp_path / "t.csv").types == {"at": "text"}
    (tmp_path / "t.csv").write_text("at\n" + "\n".join([*days, "12.01.2024"]) + "\n")
    assert open_table(tmp_path / "t.csv").types == {"at": "text"}
    (tmp_path / "t.csv").write_text("at\n" + "\n".join([*days, "mer. 31 janv. 2024"]) + "\n")
    assert open_table(tmp_path / "t.csv").types == {"at": "date"}
