"""What the words of a language mean: tables of each language, read by interpreters without words.

A folder a language (`en`, `zh`, `de`; `mul` is what all share, such as ISO dates), a file a kind of
knowledge. docs/language.md tells how a table is written, `graphmem lang check` whether it holds,
`graphmem lang read` what is read in a text.
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
