import tomllib

import pytest

from shoal.errors import ParameterError
from shoal.report.dossier._form import QUESTIONS, THRESHOLD, Form, read_form, write_form


def written(tmp_path, text):
    path = tmp_path / "a.dossier.toml"
    path.write_text(text, "utf-8")
    return path


def test_the_empty_form_asks_every_question_and_reads_as_unanswered(tmp_path):
    form = read_form(written(tmp_path, write_form()))
    assert form.threshold == THRESHOLD == 0.09
    assert form.unanswered == sum(map(len, QUESTIONS.values()))
    assert {s: set(keys) for s, keys in QUESTIONS.items()} == {
        s: set(keys) for s, keys in tomllib.loads(write_form()).items() if s != "risk"
    }


def test_answers_come_back_as_they_were_written(tmp_path):
    odd = 'two\nlines, "quotes", \\ back, \x7f, \u2028, # no comment, é'
    answers = {s: {key: f"{odd} {key}" for key in keys} for s, keys in QUESTIONS.items()}
    form = Form(answers, 0.2)
    assert read_form(written(tmp_path, write_form(form))) == form
    part = Form({"signature": {"name": "A. B."}})
    assert read_form(written(tmp_path, write_form(part))).answers["signature"]["name"] == "A. B."


def test_answers_count_and_a_section_may_be_left_out(tmp_path):
    form = read_form(written(tmp_path, '[signature]\nname = "A. B."\n[risk]\nthreshold = 0.2\n'))
    assert form.answers["signature"]["name"] == "A. B."
    assert form.threshold == 0.2
    assert form.unanswered == sum(map(len, QUESTIONS.values())) - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[context]\nwho = 'x'", "no question context.who"),
        ("who = 'x'", "no question who"),
        ("[risk]\nthreshold = 2", "threshold"),
        ("[risk]\nlimit = 1", "nothing else"),
        ("[risk", "no TOML"),
    ],
)
def test_what_is_no_form_is_refused(tmp_path, text, message):
    with pytest.raises(ParameterError, match=message):
        read_form(written(tmp_path, text))
