"""What column names give away about their role; the first pattern that fits decides."""

from shoal.schema._column import Role

NAMED: tuple[tuple[Role, str], ...] = (
    (
        "identifier",
        r"\b(ssn|social security|passport|e ?mail|phone|telephone|mobile|fax|iban|account|"
        r"licen[cs]e|(first|last|middle|full|given|family|sur|user|patient) ?name|surname|"
        r"name|uuid|guid|mrn|id|ids|identifier|address|street|url|ip)\b",
    ),
    (
        "sensitive",
        r"\b(diagnos[ei]s|disease|illness|condition|icd|hiv|cancer|medication|drug|treatment|"
        r"therapy|salary|income|wage|wages|earnings|religion|religious|politic\w*|party|"
        r"orientation|genetic|crime|criminal|debt|credit|outcome|status of health|"
        r"survived|died|death|class|label|target)\b",
    ),
    (
        "quasi-identifier",
        r"\b(age|birth|born|dob|sex|gender|race|ethnic\w*|zip|post ?code|postal|city|town|state|"
        r"county|country|nation\w*|region|district|marital|married|education|degree|occupation|"
        r"job|profession|employer|work ?class|relationship|height|weight|admission|discharge|"
        r"date|year|hours|children|household|language|citizen\w*)\b",
    ),
)

PERSON = (
    r"\b(patient|person|subject|participant|customer|client|member|user|student|pupil|employee|"
    r"insured|proband)( ?(id|ids|no|nr|num|number|code|key|uuid|guid|identifier|pseudonym))?$"
)
"""A column that names the person behind each row, if its values repeat."""

HUMAN_NAME = r"\b(name|surname|address|street|url|ip)\b"
"""Identifiers that different people may share."""
