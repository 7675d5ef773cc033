"""Where each framework's questions are answered in a dossier; nothing here is legal advice."""

from __future__ import annotations

FRAMEWORKS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "ISO/IEC 27559:2022": (
        ("6.2 Context: threat modelling", "context", "Recipients, purpose, controls, other data"),
        ("6.3 Context: transparency, impact", "context", "What people answer; nothing is computed"),
        ("7.2 Data: features", "variables", "Roles of variables, who is counted"),
        ("7.3.2, 7.3.3 Data: attack modelling", "risk", "Highest, average; who is in the table"),
        ("7.3.4 Data: privacy models", "risk", "The promise; section 6 says what is open"),
        ("8.2.2 Identifiability: quantified", "risk", "Before and after, against the threshold"),
        ("8.2.3 Identifiability: adversarial tests", "attacks", "Attacks, beside a baseline"),
        ("8.3.2 Mitigation: environment", "context", "What holds recipients back"),
        ("8.3.3 Mitigation: data", "variables", "What was done to each variable"),
        ("8.3.4 Mitigation: evaluated again", "risk", "Counted in the rows as they were written"),
        ("9.2 Governance: before", "signature", "Who answers for the release"),
        ("9.3, 9.4 Governance: after, incidents", "context", "When it is looked at, who acts"),
    ),
    "WP29 opinion 05/2014": (
        ("Singling out", "attacks", "Queries that one person alone matches; groups in section 3"),
        (
            "Linkability, two tables",
            "attacks",
            "Two sources on a person joined by the release",
        ),
        ("Linkability, one table", "variables", "Tokens are released only where rows look alike"),
        ("Inference", "attacks", "Sensitive values guessed, beside guessing without the release"),
        ("A criterion not met: risk evaluated", "risk", "Highest and average risk, threshold"),
    ),
    "EMA policy 0070, Health Canada PRCI": (
        ("Direct and indirect identifiers", "variables", "Roles, and what was done to each"),
        ("Adversaries and plausible attacks", "context", "Recipients, other data; attacks in 4"),
        ("Threshold, initial and residual risk", "risk", "0.09 unless the form says otherwise"),
        ("Scientific usefulness", "utility", "What was lost, what analysts keep"),
    ),
    "HIPAA, 45 CFR 164.514(b)": (
        ("(1) expert determination: methods", "risk", "Model, counts and threshold; the promise"),
        ("(1) expert determination: results", "attacks", "Attacks with intervals and baseline"),
        ("(1) expert determination: who", "signature", "An expert has to sign; Shoal is none"),
        ("(2)(i) safe harbor: identifiers", "harbor", "Eighteen kinds, column by column"),
        ("(2)(ii) safe harbor: no actual knowledge", "signature", "Who signs has to know of none"),
        ("(c) codes, not derived from a person", "harbor", "Tokens under a key are in line 18"),
    ),
    "NIST SP 800-188 (2023)": (
        ("Goals, uses and risks of the release", "context", "Purpose, recipients, other data"),
        ("Data-sharing model", "context", "Who receives the data, and what holds them back"),
        ("Standard with measurable levels", "risk", "The promise and the threshold"),
        ("Identifiers and quasi-identifiers", "variables", "What was done to each"),
        ("Formal privacy and its limits", "open", "What is promised, and what is not"),
        ("Re-identification studies", "attacks", "Attacks carried out"),
        ("Quality of the released data", "utility", "What was lost"),
        ("Disclosure review", "signature", "Who signed, when it is looked at again"),
    ),
}
"""Requirement, section of the dossier, and what is found there."""
