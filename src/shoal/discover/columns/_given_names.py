"""Given names that are frequent in Europe and the Americas, to tell a column of people."""

from __future__ import annotations

import unicodedata

_NAMES_TEXT = """
ada adam agnes agnieszka alan alberto aleksandra alessandro alexander alexandra alice alicia
amelie ana andrea andreas andrzej angela anna anne annika antoine antonio arthur barbara beatriz
ben bernd birgit camille carla carlos carmen caroline catherine cecilia celine charles charlotte
chiara christian christiane christine christophe claire clara claudia daan daniel daniela david
deborah diana diego dieter dirk dominique donald dorothy eduardo edward elena elizabeth elke emily
emma emmanuel enrique erik eva ewa fabian felix fernando filip finn francesca francesco francisco
francois frank franz fred frederic gabriel george gerard gerhard giovanni giulia giuseppe grace
grzegorz guillaume hannah hans harold heinrich heinz helen helena helga henri henry holger hugo
ingrid isabel isabelle isaac jack jacek jacob jacques jakub james jan jana jane janusz javier jean
jennifer jens jessica joan joana joao johan johannes john jonas jorge jose joseph juan julia julie
julien jurgen karen karin karl katarzyna katharina kathleen katja kevin klaus krzysztof laura
laurent lea lena leon leonie linda lisa louis louise luca lucas lucia luis luisa lukas maciej
magdalena malgorzata manuel manuela marco marcel marek margaret maria marie marina mario mark
markus marta martha martin martina mary mateusz mathieu matteo matthew max maximilian melanie mia
michael michal michel michelle miguel monica monika nadine nathalie nicolas nicole nina noah olga
oliver olivier oscar pablo paola paolo patricia patrick paul paula pauline pawel pedro peter petra
philipp philippe pierre pieter piotr rachel rafael ralf raul rebecca renate ricardo richard rita
robert roberto roger roland rosa ruth sabine samuel sandra sara sarah sebastian sergio simon
simone sofia sophie stanislaw stefan stefanie stephanie stephen steven susan susanne sven sylvie
tanja teresa theo thierry thomas tiago tim timothy tobias tomasz ulrike ursula ute valentina vera
veronica veronique vincent walter werner wiktoria william wojciech wolfgang xavier yves zofia
zuzanna
"""
_NAMES = frozenset(_NAMES_TEXT.split())


def is_given_name(word: str) -> bool:
    """Whether many people have this word as a first name.

    Examples
    --------
    >>> is_given_name("José"), is_given_name("Table")
    (True, False)
    """
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c)) in _NAMES
