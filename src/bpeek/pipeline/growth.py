"""How long the steps of a file may make a text, so that no small file makes a small text explode.

The references have no such bound; the steps of published tokenizers make a text at most some times as long. What
would go beyond is refused before it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..errors import BpeekError

ALWAYS = 1 << 20
TIMES = 100


def most(size: int) -> int:
    """What may become of ``size`` characters or tokens.

    >>> most(10)
    1049576
    """
    return ALWAYS + TIMES * size


def refuse_beyond(room: int, size: int, step: str, what: str) -> None:
    """Raise ``BpeekError`` where a step would make more than there is room for.

    >>> from bpeek import BpeekError
    >>> try:
    ...     refuse_beyond(100, 1000, "the template", "tokens")
    ... except BpeekError as error:
    ...     print(error)
    the template would make 1,000 tokens of this text, which may become 100; load a tokenizer without that step
    """
    if size > room:
        raise BpeekError(
            f"{step} would make {size:,} {what} of this text, which may become {room:,}; "
            "load a tokenizer without that step"
        )


Size = Callable[[str, bool], int]  # how long a step makes a text: at most, or (``True``) exactly


class Room:
    """How many characters may yet be made of a text, of which one stretch after the other is worked on."""

    def __init__(self, size: int) -> None:
        self._left = most(size)

    def check(self, size: int, step: str) -> None:
        """A step has made, or would make, ``size`` characters of a stretch."""
        refuse_beyond(self._left, size, step, "characters")

    def check_before(self, size: Size, texts: Iterable[str], step: str) -> None:
        """The same for what a step is going to make. To look how long that is exactly is rarely needed."""
        if sum(size(text, False) for text in texts) > self._left:
            self.check(sum(size(text, True) for text in texts), step)

    def take(self, size: int) -> None:
        """A stretch has come to have ``size`` characters."""
        self._left -= size
