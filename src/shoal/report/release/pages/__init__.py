"""How the report of a release looks: rendered, not computed."""
