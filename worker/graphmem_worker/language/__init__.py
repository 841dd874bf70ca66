"""Tables of what the words of each language mean, and interpreters that have no words themselves.

Each language has a folder (`en`, `zh`, `de`; `mul` is for what all share, such as ISO dates), each
kind of knowledge a file in it. docs/language.md describes the format of the tables, `graphmem lang
check` checks them, `graphmem lang read` shows what is read in a text.
"""

__all__ = [
    "calendar",
    "check",
    "harm",
    "heads",
    "holidays",
    "lists",
    "marks",
    "numbers",
    "period",
    "phrases",
    "sayings",
    "tables",
]
