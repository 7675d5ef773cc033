"""Attacks on any table made of people's rows: released, masked or synthetic."""
