import warnings

import pytest

from shoal.errors import TableWarning
from shoal.tables.engines.formats.text._bytes import find_encoding
from tests.extras import need

WESTERN = {
    "French": "nom;coût\nMüller;10\u00a0689,50\u00a0€\nNoël;88\u00a0863,50\u00a0€\n"
    "ŒUVRE \u2013 ÎLE;5 m³\n"
    "l\u2019hôpital « Sûreté »;±5 µg/m²…\n",
    "French without an accent": "nom;cout\nDurand;10\u00a0689,50\nPetit;88\u00a0863,50\n",
    "Spanish": "nombre;año;dirección\nMuñoz;1º;¿Dónde está?\nPEÑA;2ª;CÓRDOBA ÁVILA\n"
    "Gil;nº 5;Güímar\n",
    "Portuguese": "pessoa;observações\nJoão;informações médicas não há\n"
    "Conceição;ÓRGÃOS, três avós\n",
    "Scandinavian": "navn;by\nSøren Ærø;København\nÅse;Tromsø 5 kr.\nBjörn;Malmö\nØyvind;Århus\n",
    "German": "name;ort\nMüller;Köln \u2013 Süd\nGroß;Lübeck 5°\nJäger;„Zoo“\n",
    "Italian": "età;città;attività\n31;Forlì;però sì\n40;Cantù;caffè\n52;NARDÒ;lunedì, LIBERTÀ\n",
}
MIDDLE = {
    "Czech": "jméno;město;cena\nJiří Dvořák;Plzeň;1\u00a0000\u00a0Kč\n"
    "Žofie Černá;Ústí;2\u00a0500\u00a0Kč\n",
    "Polish": "imię;miasto;cena\nŁukasz Żak;Łódź;1\u00a0000 zł\nStanisław Dąbrowski;Poznań;2 zł\n",
    "Hungarian": "név;város\nKovács Győző;Győr\nSzabó Ödön;műtét után jól van\n"
    "Tóth;10\u00a0000\u00a0Ft\n",
    "Slovak": "meno;mesto\nĽuboš Kováč;Košice\nMária Šťastná;Žilina\nJán Novák;Nové Zámky\n",
    "Czech with ends as in Italian": "osoba;obec\nmu\u017e;Plzeň\nžena;v Brně\ndítě;Třeboň\n",
    "Slovak with an r that is no a": "meno;obec\nMŕtvy;Vŕbovce\nHŕčka;Třeboň\nŠoltés;Kŕnô v Brně\n",
}  # fmt: skip


def found_in(tmp_path, text, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    with pytest.warns(TableWarning, match=f"read as {encoding}"):
        return find_encoding(path, None).name


@pytest.mark.parametrize("text", WESTERN.values(), ids=WESTERN)
def test_western_texts_with_their_signs_are_read_as_western(tmp_path, text):
    assert found_in(tmp_path, text, "cp1252") == "cp1252"


@pytest.mark.parametrize("text", MIDDLE.values(), ids=MIDDLE)
def test_texts_of_middle_europe_are_not_taken_for_western(tmp_path, text):
    need("charset_normalizer")
    assert found_in(tmp_path, text, "cp1250") == "cp1250"


def test_a_file_of_utf8_that_is_said_to_be_something_else_is_told(tmp_path):
    """A schema may say how last year's file was encoded."""
    path = tmp_path / "t.csv"
    path.write_text("ort;alter\nKöln;31\n", encoding="utf-8")
    with pytest.warns(TableWarning, match="looks like UTF-8, and is read as cp1252"):
        assert find_encoding(path, "cp1252").name == "cp1252"


@pytest.mark.parametrize(
    ("text", "encoding"), [("Köln", "cp1252"), ("Ulm", "cp1252"), ("Köln", "utf-8")]
)
def test_what_is_said_rightly_is_taken_without_a_word(tmp_path, text, encoding):
    path = tmp_path / "t.csv"
    path.write_text(f"ort;alter\n{text};31\n", encoding=encoding)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_encoding(path, encoding).name == encoding
