"""The longest of some words at every place of a text, in one pass, however the words begin with or contain each other.

It is the automaton of Aho and Corasick, made of the words read backwards: going through a text from its end, the
longest word that it has just read is the longest one that begins there. So what is leftmost and longest needs no
second look.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

NONE = 0xFFFFFFFF
BITS = 21  # of a code point


class LongestWords:
    """Finds words in a text: leftmost, longest, without overlap.

    >>> list(LongestWords(["a", "ab", "bcd"])("xabcd ab"))
    [(1, 3), (6, 8)]

    A node is a beginning of the words read backwards; what follows it first is the next node, by ``_chars``, anything
    else is among ``_branches``. ``_fails`` has the longest other node that a node ends with, ``_sizes`` the length of
    the longest word that it ends with. That makes 12 bytes a character.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._chars, self._sizes = array("I", [NONE]), array("I", [0])
        self._branches: dict[int, int] = {}
        path, before = array("I", [0]), ""
        for word in sorted(word[::-1] for word in words):
            common = common_size(before, word)
            del path[common + 1 :]
            path.extend(self._add(path[-1], word[common:]))
            self._sizes[path[-1]] = len(word)
            before = word
        self._fails = array("I", bytes(4 * len(self._chars)))
        self._link()

    def _add(self, node: int, tail: str) -> range:
        """The nodes of what follows a node for the first time."""
        first, chars = len(self._chars), self._chars
        if tail and node + 1 == first:
            chars[node] = ord(tail[0])
        elif tail:
            self._branches[node << BITS | ord(tail[0])] = first
        chars.extend(map(ord, tail[1:]))
        chars.extend([NONE] * bool(tail))
        self._sizes.extend([0] * len(tail))
        return range(first, first + len(tail))

    def _link(self) -> None:
        """Each node's ``_fails``, shorter ones first."""
        fails, sizes, level = self._fails, self._sizes, [0]
        others: dict[int, list[tuple[int, int]]] = {}
        for key, child in self._branches.items():
            others.setdefault(key >> BITS, []).append((key & (1 << BITS) - 1, child))
        while level:
            below = []
            for node in level:
                children = others.get(node, [])
                if self._chars[node] != NONE:
                    children = [(self._chars[node], node + 1), *children]
                for char, child in children:
                    fails[child] = self._after(fails[node], char) if node else 0
                    sizes[child] = sizes[child] or sizes[fails[child]]
                    below.append(child)
            level = below

    def _after(self, node: int, char: int) -> int:
        """The longest node that a node and one more character end with."""
        chars, branches, fails = self._chars, self._branches, self._fails
        while True:
            if chars[node] == char:
                return node + 1
            if child := branches.get(node << BITS | char):
                return child
            if not node:
                return 0
            node = fails[node]

    def __call__(self, text: str) -> Iterator[tuple[int, int]]:
        sizes, after, node = self._sizes, self._after, 0
        longest = array("I")
        for char in reversed(text):
            node = after(node, ord(char))
            longest.append(sizes[node])
        longest.reverse()
        at, length = 0, len(text)
        while at < length:
            if size := longest[at]:
                yield at, at + size
            at += size or 1


def common_size(one: str, other: str) -> int:
    """The length of the common beginning."""
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))
