"""Trees over Adult's categorical columns, for machines that have no hierarchy files."""

from typing import Any

TREES: dict[str, Any] = {
    "workclass": {
        "Private": [],
        "Self-employed": ["Self-emp-inc", "Self-emp-not-inc"],
        "Government": ["Federal-gov", "Local-gov", "State-gov"],
        "Unpaid": ["Never-worked", "Without-pay"],
    },
    "education": {
        "School": {
            "Primary": ["Preschool", "1st-4th", "5th-6th", "7th-8th"],
            "Secondary": ["9th", "10th", "11th", "12th", "HS-grad"],
        },
        "Higher": {
            "College": ["Some-college", "Assoc-acdm", "Assoc-voc"],
            "Degree": ["Bachelors", "Masters", "Prof-school", "Doctorate"],
        },
    },
    "marital-status": {
        "Married": ["Married-AF-spouse", "Married-civ-spouse"],
        "Was-married": ["Divorced", "Married-spouse-absent", "Separated", "Widowed"],
        "Never-married": [],
    },
    "occupation": {
        "Office": ["Adm-clerical", "Exec-managerial", "Prof-specialty", "Sales", "Tech-support"],
        "Manual": [
            "Craft-repair",
            "Farming-fishing",
            "Handlers-cleaners",
            "Machine-op-inspct",
            "Transport-moving",
        ],
        "Service": ["Armed-Forces", "Other-service", "Priv-house-serv", "Protective-serv"],
    },
    "race": {
        "Amer-Indian-Eskimo": [],
        "Asian-Pac-Islander": [],
        "Black": [],
        "Other": [],
        "White": [],
    },
    "sex": {"Female": [], "Male": []},
    "native-country": {
        "America": {
            "North-America": ["Canada", "Outlying-US(Guam-USVI-etc)", "United-States"],
            "Central-America": ["El-Salvador", "Guatemala", "Honduras", "Mexico", "Nicaragua"],
            "Caribbean": [
                "Cuba",
                "Dominican-Republic",
                "Haiti",
                "Jamaica",
                "Puerto-Rico",
                "Trinadad&Tobago",
            ],
            "South-America": ["Columbia", "Ecuador", "Peru"],
        },
        "Europe": {
            "Western-Europe": [
                "England",
                "France",
                "Germany",
                "Holand-Netherlands",
                "Ireland",
                "Scotland",
            ],
            "Southern-Europe": ["Greece", "Italy", "Portugal"],
            "Eastern-Europe": ["Hungary", "Poland", "Yugoslavia"],
        },
        "Asia": {
            "Eastern-Asia": ["China", "Hong", "Japan", "Taiwan"],
            "Southern-Asia": ["India", "Iran"],
            "South-Eastern-Asia": ["Cambodia", "Laos", "Philippines", "Thailand", "Vietnam"],
        },
        "South": [],
    },
}
