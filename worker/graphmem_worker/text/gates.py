"""Expressions behind a gate of stems: whether a text holds a plain string is known thirty times as
fast."""


def holds(folded: str, stems: tuple[str, ...]) -> bool:
    """Whether a text in lower case holds one of these strings."""
    for stem in stems:  # noqa: SIM110  (a third faster than any())
        if stem in folded:
            return True
    return False
