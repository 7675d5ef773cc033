"""Where each framework's questions are answered in a dossier; nothing here is legal advice."""

from __future__ import annotations

FRAMEWORKS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "ISO/IEC 27559:2022": (
        ("6.2 Context: threats", "context", "Recipients, purpose, controls, other data"),
        ("6.3 Context: transparency, harm", "context", "What people answer; nothing is computed"),
        ("7.2 Data: features", "variables", "Roles of variables, who is counted"),
        ("7.3 Data: attacks considered", "risk", "Highest and average, by who is in the table"),
        ("8.2 Identifiability: quantified", "risk", "Before and after, against the threshold"),
        ("8.2 Identifiability: tested", "attacks", "Attacks carried out, beside a baseline"),
        ("8.3 Mitigation: data", "variables", "What was done to each variable"),
        ("8.3 Mitigation: environment", "context", "What holds recipients back"),
        ("9.2 Governance before", "signature", "Who answers for the release"),
        ("9.3, 9.4 Governance after, incidents", "context", "When it is looked at, who acts"),
    ),
    "WP29 opinion 05/2014": (
        ("Singling out", "attacks", "Queries that one person alone matches; groups in section 3"),
        ("Linkability", "attacks", "Two sources on a person joined through released rows"),
        ("Inference", "attacks", "Sensitive values guessed, beside guessing without the release"),
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
        ("Identifiers and quasi-identifiers", "variables", "What was done to each"),
        ("Formal privacy and its limits", "open", "What is promised, and what is not"),
        ("Re-identification studies", "attacks", "Attacks carried out"),
        ("Quality of the released data", "utility", "What was lost"),
        ("Disclosure review", "signature", "Who signed, when it is looked at again"),
    ),
}
"""Requirement, section of the dossier, and what is found there."""
