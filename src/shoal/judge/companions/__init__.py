"""The files that are published beside a table: what they may say of people."""
