"""Columns of many domains and languages, made up, each with the role that it should get.

`tuning` was looked at while words and forms were chosen, `held_out` was not: its figures say how
well the suggestion does on tables that nobody here has seen.  They are made when a test asks:
numbers whose check digits agree take seconds, which every worker's collection would wait for.
"""

import functools
import random
import re
import string

from shoal.discover.columns._national_numbers import RULES

N = 240
_FIRST_TEXT = """
Ada Bruno Chloé Dorian Elif Fatou Goran Hedwig Ilse Jorge Kasia Leila Milos Nuria Otto Priya
Quentin Ragna Sven Tadeusz Ulla Vito Wanda Xenia Yasmin Zeno
"""
FIRST = _FIRST_TEXT.split()
_LAST_TEXT = """
Abel Brandt Costa Duval Ekström Ferrari Gruber Haas Ibarra Jansen Kowalski Lindt Moreau Novak
Okafor Pereira Quist Rossi Schmid Torres Ueda Vermeer Wójcik Ybarra Zeller
"""
LAST = _LAST_TEXT.split()
_TOWNS_TEXT = """
Ulm Kiel Passau Gent Brugge Porto Braga Nantes Lille Parma Siena Gdynia Opole
"""
TOWNS = _TOWNS_TEXT.split()

_PROSE = """
patient reports pain since the weekend and sleeps badly was seen by her doctor no fever advised
rest will come again
"""


def draw(seed):
    return random.Random(seed)


def numbered(pattern, seed=0, n=N):
    """Texts by a pattern: 9 a digit, A a letter, else itself."""
    r = draw(seed)
    signs = {"9": string.digits, "A": string.ascii_uppercase}
    return ["".join(r.choice(signs[c]) if c in signs else c for c in pattern) for _ in range(n)]


def pick(*values, seed=0):
    r = draw(seed)
    return [r.choice(values) for _ in range(N)]


def whole(low, high, seed=0):
    r = draw(seed)
    return [r.randint(low, high) for _ in range(N)]


def decimal(low, high, digits=2, seed=0):
    r = draw(seed)
    return [round(r.uniform(low, high), digits) for _ in range(N)]


def dates(first=1930, last=2010, form="{y:04d}-{m:02d}-{d:02d}", seed=0):
    r = draw(seed)
    return [
        form.format(y=r.randint(first, last), m=r.randint(1, 12), d=r.randint(1, 28))
        for _ in range(N)
    ]


def national(country, seed=0):
    """Numbers whose check digits agree, found by trying."""
    rule = next(rule for rule in RULES if rule.country == country)
    r, found = draw(seed), []
    while len(found) < N:
        text = _by_pattern(rule.pattern, r)
        if re.fullmatch(rule.pattern, text) and rule.agrees(text):
            found.append(text)
    return found


def _by_pattern(pattern, r):
    """A text that a simple pattern may allow: classes, counts, groups of alternatives."""
    pattern = re.sub(
        r"\(([^()|]*)(\|[^()]*)*\)", lambda m: r.choice(m[0][1:-1].split("|")), pattern
    )
    pattern = re.sub(
        r"\(([^()|]*)(\|[^()]*)*\)", lambda m: r.choice(m[0][1:-1].split("|")), pattern
    )
    return "".join(r.choice(signs) for signs, count in _parts(pattern) for _ in range(count))


@functools.cache  # some thousand texts are tried for each rule, of a few dozen patterns
def _parts(pattern):
    """Which signs may stand where in a text, and how many of them."""
    out, i = [], 0
    while i < len(pattern):
        if pattern[i] == "[":
            end = pattern.index("]", i)
            inner, i = pattern[i + 1 : end], end + 1
            signs = "".join(
                "".join(map(chr, range(ord(a), ord(b) + 1))) if b else c
                for a, b, c in re.findall(r"(\w)-(\w)|(.)", inner)
            )
        elif pattern.startswith(r"\d", i):
            signs, i = string.digits, i + 2
        else:
            signs, i = pattern[i], i + 1
        count = 1
        if i < len(pattern) and pattern[i] == "{":
            end = pattern.index("}", i)
            count, i = int(pattern[i + 1 : end].split(",")[0]), end + 1
        elif i < len(pattern) and pattern[i] == "?":
            i += 1
        out.append((signs, count))
    return out


def iban(seed=0):
    r, found = draw(seed), []
    while len(found) < N:
        body = "".join(r.choices(string.digits, k=18))
        check = 98 - int(body + "131400") % 97  # D and E are 13 and 14
        found.append(f"DE{check:02d}{body}")
    return found


def people(seed=0, form="{f} {l}"):
    r = draw(seed)
    return [form.format(f=r.choice(FIRST), l=r.choice(LAST)) for _ in range(N)]


def mails(seed=0):
    r = draw(seed)
    return [f"{r.choice(LAST).lower()}{r.randint(1, 999)}@example.org" for _ in range(N)]


def prose(seed=0):
    r = draw(seed)
    stock = _PROSE.split()
    return [" ".join(r.choices(stock, k=r.randint(8, 20))) for _ in range(N)]


def streets(form, seed=0):
    r = draw(seed)
    return [form.format(n=r.randint(1, 120), s=r.choice(LAST)) for _ in range(N)]


IDENTIFIER, QUASI, SENSITIVE, GUARDED = (
    {"identifier", "subject"},
    {"quasi-identifier"},
    {"sensitive"},
    {"quasi-identifier", "sensitive"},
)


@functools.cache
def tuning():
    """Columns that were looked at while words and forms were chosen."""
    return {
        "id": (range(N), IDENTIFIER),
        "patient_id": (whole(1, 90), IDENTIFIER),
        "PatientenNr": (whole(1000, 1090), IDENTIFIER),
        "Nachname": (pick(*LAST), IDENTIFIER),
        "Vorname": (pick(*FIRST), IDENTIFIER),
        "nom_de_famille": (pick(*LAST), IDENTIFIER),
        "apellidos": (pick(*LAST), IDENTIFIER),
        "contact": (mails(), IDENTIFIER),
        "kontakt_1": (numbered("+49 9999 999999"), IDENTIFIER),
        "Telefonnummer": (numbered("0999 9999999"), IDENTIFIER),
        "kolumna3": (national("Poland"), IDENTIFIER),
        "c7": (national("Netherlands"), IDENTIFIER),
        "c8": (national("Germany (tax)"), IDENTIFIER),
        "c9": (national("Italy"), IDENTIFIER),
        "c10": (national("Sweden"), IDENTIFIER),
        "codice_fiscale": (numbered("AAAAAA99A99A999A"), IDENTIFIER),
        "Kontoverbindung": (iban(), IDENTIFIER),
        "col_x": (people(1), IDENTIFIER),
        "Straße": (streets("{s}straße {n}"), IDENTIFIER),
        "where": (streets("{n} {s} Street", 3), IDENTIFIER),
        "remote": (numbered("10.9.19.29"), IDENTIFIER),
        "token": (numbered("9a9f9c9e-9b9d-4a9b-8c9d-9a9b9c9d9e9f".replace("A", "a")), IDENTIFIER),
        "Bemerkungen": (prose(), IDENTIFIER),
        "field12": (prose(5), IDENTIFIER),
        "age": (whole(18, 95), QUASI),
        "Alter": (whole(18, 95), QUASI),
        "edad": (whole(0, 90), QUASI),
        "Geschlecht": (pick("m", "w", "d"), QUASI),
        "sexe": (pick("H", "F"), QUASI),
        "Geburtsdatum": (dates(), QUASI),
        "date_naissance": (dates(form="{d:02d}.{m:02d}.{y:04d}"), QUASI),
        "PLZ": (numbered("89999"), QUASI),
        "code_postal": (whole(10000, 95999), QUASI),
        "Wohnort": (pick(*TOWNS), QUASI),
        "land_2": (pick("DE", "FR", "PL", "IT", "NL", "TR"), QUASI),
        "Familienstand": (pick("ledig", "verheiratet", "geschieden"), QUASI),
        "estado_civil": (pick("soltero", "casado", "viudo"), QUASI),
        "titolo_di_studio": (pick("licenza", "diploma", "laurea"), QUASI),
        "beroep": (pick("bakker", "leraar", "arts", "kok"), QUASI),
        "zawod": (pick("piekarz", "lekarz", "nauczyciel"), QUASI),
        "hospital_id": (whole(1, 9), QUASI),
        "ward": (pick("A1", "A2", "B1"), QUASI),
        "admission_date": (dates(2020, 2023), QUASI),
        "cost": (decimal(10, 9000), QUASI),
        "Kosten_EUR": (whole(1000, 99999), QUASI),
        "m1": (decimal(0, 1, 6), QUASI),
        "Diagnose": (pick("I10", "E11.9", "J45.0", "F32.1", "C50.9"), SENSITIVE),
        "hd": (pick("I10", "E11.9", "J45.0", "F32.1", "C50.9", "K21", "M54.5"), SENSITIVE),
        "medication": (pick("N02BE01", "C09AA05", "A10BA02"), SENSITIVE),
        "salaire": (whole(1200, 9000), SENSITIVE),
        "religion": (pick("a", "b", "c", "none"), SENSITIVE),
        "wynik_badania": (decimal(0, 10, 1), SENSITIVE),
        "doenca": (pick("asma", "gripe", "nenhuma"), SENSITIVE),
        "has_email": (pick("yes", "no"), GUARDED),
        "phone_type": (pick("mobile", "home", "none"), GUARDED),
        "num_children": (whole(0, 6), QUASI),
        "no_show": (pick(0, 1), GUARDED),
        "education-num": (whole(1, 16), QUASI),
        "city_name": (pick(*TOWNS), QUASI),
        "drug_name": (pick("aspirin", "ibuprofen", "paracetamol"), SENSITIVE),
    }


@functools.cache
def held_out():
    """Columns that nobody looked at then."""
    return {
        "MRN": (numbered("9999999"), IDENTIFIER),
        "Versichertennummer": (numbered("A999999999"), IDENTIFIER),
        "numero_de_securite_sociale": (numbered("199999999999999"), IDENTIFIER),
        "prenom": (pick(*FIRST), IDENTIFIER),
        "cognome": (pick(*LAST), IDENTIFIER),
        "achternaam": (pick(*LAST), IDENTIFIER),
        "nazwisko_panienskie": (pick(*LAST), IDENTIFIER),
        "klantnummer": (whole(1, 100), IDENTIFIER),
        "v3": (national("Brazil"), IDENTIFIER),
        "v4": (national("Belgium"), IDENTIFIER),
        "v5": (national("Norway"), IDENTIFIER),
        "v6": (national("United Kingdom (NHS)"), IDENTIFIER),
        "correo": (mails(9), IDENTIFIER),
        "movil": (numbered("6999 99999"), IDENTIFIER),
        "endereço": (streets("Rua {s} {n}"), IDENTIFIER),
        "kreditkarte": (numbered("4999999999999999"), IDENTIFIER),
        "Kennzeichen": (numbered("AA-AA 999"), IDENTIFIER),
        "uwagi_lekarza": (prose(7), IDENTIFIER),
        "spouse_name": (pick(*LAST), IDENTIFIER),
        "employee_no": (whole(100, 190), IDENTIFIER),
        "profile": ([f"https://example.org/u/{i}" for i in range(N)], IDENTIFIER),
        "wiek": (whole(18, 95), QUASI),
        "leeftijd": (whole(18, 95), QUASI),
        "geslacht": (pick("m", "v"), QUASI),
        "data_di_nascita": (dates(), QUASI),
        "kod_pocztowy": (numbered("99-999"), QUASI),
        "postcode": (numbered("SW9A 9AA"), QUASI),
        "Staatsangehörigkeit": (pick("deutsch", "polnisch", "türkisch"), QUASI),
        "profissão": (pick("médico", "padeiro", "professor"), QUASI),
        "niveau_d_etudes": (pick("bac", "licence", "master"), QUASI),
        "school_name": (pick("North", "South", "Lake"), QUASI),
        "region": (pick("DE212", "DE213", "FRK26", "ITC4C"), QUASI),
        "kwota": (decimal(1, 5000), QUASI),
        "montant_rembourse": (decimal(1, 500), QUASI),
        "x": (decimal(-5, 5, 5), QUASI),
        "Stationsnummer": (whole(1, 8), QUASI),
        "numero_de_hijos": (whole(0, 5), QUASI),
        "diagnóstico_principal": (pick("asma", "diabetes", "artritis"), SENSITIVE),
        "Nettoeinkommen": (whole(900, 6000), SENSITIVE),
        "aandoening": (pick("astma", "reuma", "griep"), SENSITIVE),
        "geloofsovertuiging": (pick("a", "b", "geen"), SENSITIVE),
        "outcome": (pick("alive", "dead"), SENSITIVE),
        "kod_leku": (pick("N02BE01", "C09AA05", "A10BA02"), SENSITIVE),
        "email_consent": (pick("y", "n"), GUARDED),
        "pregnancies": (whole(0, 5), GUARDED),
    }


@functools.cache
def fresh():
    """Written after everything else, and run once before anything was changed for it."""
    return {
        "SZ_PatNr": (whole(1, 100), IDENTIFIER),
        "Fallnummer": (numbered("2399999999"), IDENTIFIER),
        "AHV-Nr.": (numbered("756.9999.9999.99"), IDENTIFIER),
        "KVNR": (national("Germany (health)"), IDENTIFIER),
        "numero_tel_cliente": (numbered("39999999999"), IDENTIFIER),
        "adresse_mail": (mails(21), IDENTIFIER),
        "cust_ref": (numbered("AA9999999"), IDENTIFIER),
        "BenutzerID": (whole(1, 110), IDENTIFIER),
        "Hausarzt Name": (people(22, "Dr. {l}"), IDENTIFIER),
        "NombreCompleto": (people(23), IDENTIFIER),
        "nr_dowodu_osobistego": (numbered("AAA999999"), IDENTIFIER),
        "q17_other_specify": (prose(24), IDENTIFIER),
        "Hash": (numbered("9a9b9c9d9e9f9a9b9c9d9e9f9a9b9c9d"), IDENTIFIER),
        "LebensalterBeiAufnahme": (whole(0, 99), QUASI),
        "AnneeNaissance": (whole(1930, 2010), QUASI),
        "Bundesland": (pick("BY", "BW", "HE", "NW"), QUASI),
        "paese_di_nascita": (pick("Italia", "Romania", "Marocco", "Albania"), QUASI),
        "HighestDegree": (pick("BSc", "MSc", "PhD"), QUASI),
        "n_kids": (whole(0, 5), QUASI),
        "huishoudgrootte": (whole(1, 8), QUASI),
        "Entlassdatum": (dates(2021, 2022), QUASI),
        "los": (whole(1, 40), QUASI),
        "hr_bpm": (whole(50, 120), GUARDED),
        "km_per_year": (whole(1000, 40000), QUASI),
        "premium_eur": (decimal(100, 2000), QUASI),
        "rating": (whole(1, 5), GUARDED),
        "email_domain": (pick("gmail", "gmx", "other"), GUARDED),
        "phone_os": (pick("iOS", "Android"), GUARDED),
        "ip_version": (pick(4, 6), GUARDED),
        "name_of_drug": (pick("aspirin", "ibuprofen"), SENSITIVE),
        "Nebendiagnosen": (pick("E11.9", "I10", "N18.3"), SENSITIVE),
        "Jahresbruttoeinkommen": (whole(15000, 90000), SENSITIVE),
        "HIV_status": (pick("pos", "neg"), SENSITIVE),
        "partei_bevorzugt": (pick("a", "b", "c"), SENSITIVE),
        "tratamiento_actual": (pick("a", "b"), SENSITIVE),
        "Pflegegrad": (whole(1, 5), SENSITIVE),
    }


def table_of(columns):
    """The columns as a table, each in an order of its own, so that none says the same."""
    return {name: draw(name).sample(list(values), N) for name, (values, _) in columns.items()}


def figures(columns, suggestion):
    """Columns that got a wrong role, by what is wrong about it."""
    roles = {name: suggestion.schema[name].role for name in suggestion.schema}
    return {
        "missed": sorted(n for n, (_, want) in columns.items()
                         if want is IDENTIFIER and roles[n] not in IDENTIFIER),
        "left out": sorted(n for n, (_, want) in columns.items()
                           if want is not IDENTIFIER and roles[n] in IDENTIFIER),
        "exposed": sorted(n for n, (_, want) in columns.items()
                          if want is SENSITIVE and roles[n] != "sensitive"),
        "insensitive": sorted(n for n in columns if roles[n] == "insensitive"),
        "other": sorted(n for n, (_, want) in columns.items() if roles[n] not in want),
    }  # fmt: skip
