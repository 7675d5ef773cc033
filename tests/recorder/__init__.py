"""Records what Shoal puts out, so that a change that must change nothing can show that it did not.

``python -m tests.recorder record FOLDER`` runs every case of this package, each in a folder of its
own; ``python -m tests.recorder compare BEFORE AFTER`` lists the files that differ.  Cases go
through the command line; those in ``_api_*.py`` have no command and call the library, one small
function each, so that a renamed class is a matter of one line.
"""
