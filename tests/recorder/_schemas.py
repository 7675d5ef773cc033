"""Schemas, hierarchies, queries and agreements, as people would write them."""

import re

NAMES = """
[columns.name]
role = "identifier"
"""

TREES = """
[columns.sex]
role = "quasi-identifier"
hierarchy = "flat"

[columns.zip]
role = "quasi-identifier"
hierarchy = {prefix = [1, 2, 3, 4]}

[columns.school]
role = "quasi-identifier"
[columns.school.hierarchy.tree]
low = ["primary", "secondary", "vocational"]
high = ["bachelor", "master", "doctorate"]

[columns.job]
role = "quasi-identifier"
[columns.job.hierarchy.tree]
manual = ["farmer", "builder", "driver", "mechanic"]
service = ["cook", "guard", "nurse", "sales"]
office = ["clerk", "engineer", "manager", "teacher"]
"""

SMOKER = """
[columns.smoker]
role = "insensitive"
"""

ILLNESS = f"""{SMOKER}
[columns.illness]
role = "sensitive"
target = true
[columns.illness.hierarchy.tree]
none = []
lasting = {{lungs = ["asthma", "influenza"], heart = ["angina"]}}
other = ["diabetes", "depression", "cancer"]
"""

PEOPLE = f"""{NAMES}
[columns.born]
role = "identifier"
kind = "date"

[columns.age]
role = "quasi-identifier"
kind = "numeric"
hierarchy = {{intervals = [5, 10, 20, 40]}}
{TREES}
[columns.income]
role = "insensitive"
kind = "numeric"
{ILLNESS}"""

NUMBERS = PEOPLE.replace('role = "insensitive"\nkind', 'role = "sensitive"\nkind')

TWO_VALUES = PEOPLE.replace(SMOKER, SMOKER.replace("insensitive", "sensitive")).replace(
    'role = "sensitive"\ntarget = true', 'role = "insensitive"\ntarget = true'
)

LIMITS = PEOPLE.replace("[5, 10, 20, 40]}", "[5, 10, 20, 40]}\nweight = 2.5").replace(
    '[columns.job]\nrole = "quasi-identifier"',
    '[columns.job]\nrole = "quasi-identifier"\nlimit = ["manual", "service", "office"]',
)

TIGHT = LIMITS.replace("weight = 2.5", "limit_level = 3").replace(
    "[1, 2, 3, 4]}", "[1, 2, 3, 4]}\nlimit_level = 3"
)

ANY_JOB = re.sub(r"(columns\.job\].*?)\[columns\.job\..*?\n\n", r"\1\n", NUMBERS, flags=re.S)

MIXED = f"""{NAMES}
[columns.born]
role = "quasi-identifier"
kind = "date"
hierarchy = {{dates = ["quarter", "year", "decade"]}}

[columns.age]
role = "insensitive"
kind = "numeric"

[columns.sex]
role = "insensitive"

[columns.zip]
role = "quasi-identifier"
hierarchy = "auto"

[columns.school]
role = "quasi-identifier"
kind = "ordinal"
order = ["primary", "secondary", "vocational", "bachelor", "master", "doctorate"]
hierarchy = "auto"

[columns.job]
role = "quasi-identifier"
hierarchy = {{file = "job.csv"}}

[columns.income]
role = "sensitive"
kind = "numeric"
{ILLNESS}"""

JOB_LEVELS = "".join(
    f"{job};{sector};{'desk' if sector == 'office' else 'hands'};*\n"
    for sector, jobs in {
        "manual": "farmer builder driver mechanic",
        "service": "cook guard nurse sales",
        "office": "clerk engineer manager teacher",
    }.items()
    for job in jobs.split()
)

QUERIES = """
SELECT count(*) FROM people WHERE age BETWEEN 30 AND 40;
SELECT count(*) FROM people WHERE age > 60 AND sex = 'F';
SELECT job, avg(income) FROM people WHERE school IN ('master', 'doctorate') GROUP BY job;
SELEC nothing at all;
SELECT count(*) FROM people WHERE age < 25 AND illness = 'asthma';
"""

AGREEMENT = """
[columns.age]
low = 15
high = 90

[columns.dose]
breaks = [0, 10, 30, 60]

[columns.disease]
categories = ["flu", "cold", "gout"]
prefix = "Illness"

[features.age]
low = 15
high = 90
[features.dose]
low = 0
high = 60
[features.score]
low = 0
high = 4
"""

TOYS = """
[columns.colour]
role = "insensitive"
kind = "ordinal"
order = ["red", "green", "blue"]
[columns.size]
role = "insensitive"
kind = "ordinal"
order = ["small", "large"]
[columns.class]
role = "insensitive"
kind = "ordinal"
order = ["no", "yes"]
target = true
"""

MINED = """age <= 2.500 and Illness_1: 20 rows
dose > 1.25 or (Illness_2), not Illness_9
"""

FILES = {
    "people.toml": PEOPLE,
    "numbers.toml": NUMBERS,
    "smoker.toml": TWO_VALUES,
    "limits.toml": LIMITS,
    "tight.toml": TIGHT,
    "any-job.toml": ANY_JOB,
    "mixed.toml": MIXED,
    "broken.toml": PEOPLE.replace('"sensitive"', '"secret"'),
    "no-zip.toml": PEOPLE.replace("[columns.zip]", "[columns.post]"),
    "job.csv": JOB_LEVELS,
    "queries.sql": QUERIES,
    "agreement.toml": AGREEMENT,
    "toys.toml": TOYS,
    "mined.txt": MINED,
    "passphrase": "open sesame\n",
}
"""Files among the inputs, by name."""
