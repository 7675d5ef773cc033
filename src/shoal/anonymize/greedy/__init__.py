"""Global recodings by single steps: bottom-up and top-down, over cuts of hierarchies."""
