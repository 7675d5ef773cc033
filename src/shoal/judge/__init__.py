"""The independent judge: what is written, read again by other means, before it may be handed out.

What belongs here shares no code with the engines: it reads the bytes of a file with :mod:`csv` or
PyArrow, takes every value as the text that stands there, and compares it with the source, which it
reads itself.
"""

__all__: list[str] = []
