"""Commands that publish a table."""
