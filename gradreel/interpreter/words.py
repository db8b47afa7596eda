"""Word lists, written as one string."""


def words(text: str) -> list[str]:
    """The words of `text`."""
    return text.split()
