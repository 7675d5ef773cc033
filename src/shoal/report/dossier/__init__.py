"""The file on a release that a reviewer reads: context, variables, risk, attacks, signature."""
