"""A shoal command that is killed, as by `kill -9`, at the moment at which it says some words.

Called with the words and the command's arguments.  Whoever watches from outside would kill too
late on a busy machine, when the command has gone on or has ended.
"""

import os
import signal
import sys

from shoal.cli import main


class LastWords:
    """Standard error up to and with the words."""

    def __init__(self, stream, words):
        self._stream, self._words, self._said = stream, words, ""

    def __getattr__(self, name):
        return getattr(self._stream, name)

    def write(self, text):
        written = self._stream.write(text)
        self._said += text
        if self._words in self._said:
            self._stream.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return written


if __name__ == "__main__":
    sys.stderr = LastWords(sys.stderr, sys.argv[1])
    sys.argv = ["shoal", *sys.argv[2:]]
    main()
