"""Tables with values changed at random: nothing is promised of them, and risk is measured."""
