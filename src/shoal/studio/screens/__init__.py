"""One file per screen: what it shows as plain values, and what can be done there."""
