"""Added tokens: cut out of the text before the model sees it, in two passes.

Tokens with ``normalized=False`` are looked for in the raw text, the others in what the normalizer
made of each stretch between them, in the form that the normalizer gives the tokens themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache

from ..errors import FormatError
from ..spec import AddedToken
from . import chars
from .growth import most, refuse_beyond
from .longest import LongestWords, common_size

SHORT = 1000  # characters
FIRST_TEXTS = 100  # Gemma's 6,415 tokens are looked for in 0.2 ms one by one; a finder of them is made in 50
MOST = 1 << 23  # characters of all of them; published tokenizers have some ten thousand

Found = tuple[int, int, "int | None"]  # start, end, id of the added token or None


class AddedTokens:
    """The added tokens of a tokenizer, registered in the order of the file as the reference does it: the last one
    registered for an id is the one that is looked for, and whose flags count. ``spellings`` are what is looked for: a
    token that is normalized, in normalized form."""

    def __init__(self, tokens: Sequence[AddedToken], normalize: Callable[[str], str]) -> None:
        self.by_id: dict[int, AddedToken] = {}
        self.ids: dict[str, int] = {}
        forms: dict[int, str] = {}  # what the normalizer makes of some; kept if another one takes the id
        size = 0
        for token in tokens:
            self.by_id[token.id] = token
            self.ids[token.content] = token.id
            form = normalize(token.content) if token.normalized else token.content
            if form != token.content:
                forms[token.id] = form
            size += len(form)
            if size > MOST:
                raise FormatError(f"the added tokens have more than {MOST:,} characters in all", field="added_tokens")
        self.spellings = {id: forms.get(id, token.content) for id, token in self.by_id.items()}
        self.special_contents = frozenset(token.content for token in tokens if token.special)
        self._raw = {token.content: id for id, token in self.by_id.items() if not token.normalized}
        self._normalized: dict[str, int] = {}
        for id, token in self.by_id.items():
            if token.normalized:
                form = self.spellings[id]
                if not form:
                    message = f"the normalizer leaves nothing of the added token {token.content!r}; remove it"
                    raise FormatError(message, field="added_tokens")
                self._normalized.setdefault(form, id)  # of several, the reference takes one by chance
        self._finders: dict[tuple[bool, frozenset[str] | None], Finder] = {}
        self._finds: dict[bool, Find] = {}
        self._waiting = FIRST_TEXTS

    def contents(self, normalized: bool) -> Collection[str]:
        """What is looked for in raw or in normalized text."""
        return self._normalized if normalized else self._raw

    def cut(self, text: str, normalized: bool, allowed: frozenset[str] | None) -> list[Found]:
        """``finder(normalized, allowed).cut(text)``, without a finder of all tokens for the first short texts."""
        if len(text) > SHORT or self._waiting < 0 or (normalized, allowed) in self._finders:
            return self.finder(normalized, allowed).cut(text)
        self._waiting -= 1
        contents = self._normalized if normalized else self._raw
        ids = {content: id for content, id in contents.items() if content in text}
        return self._finder(ids, finder(ids), allowed).cut(text)

    def finder(self, normalized: bool, allowed: frozenset[str] | None = None) -> Finder:
        """The finder of one pass. ``allowed`` limits special tokens to some; ``None`` allows all."""
        key = (normalized, allowed)
        if key not in self._finders:
            ids = self._normalized if normalized else self._raw
            if normalized not in self._finds:
                self._finds[normalized] = finder(ids)
            self._finders[key] = self._finder(ids, self._finds[normalized], allowed)
        return self._finders[key]

    def _finder(self, ids: dict[str, int], find: Find, allowed: frozenset[str] | None) -> Finder:
        return Finder(ids, {content: self._record(id, allowed) for content, id in ids.items()}, find)

    def _record(self, id: int, allowed: frozenset[str] | None) -> AddedToken | None:
        """The token whose flags count for this id, or ``None`` if it is to stay text."""
        token = self.by_id[id]
        if allowed is not None and token.content in self.special_contents and token.content not in allowed:
            return None
        return token


class Finder:
    """Finds added tokens in a text: leftmost, longest, without overlap."""

    def __init__(self, ids: dict[str, int], records: dict[str, AddedToken | None], find: Find) -> None:
        self.ids, self.records, self.find = ids, records, find if ids else None

    def cut(self, text: str) -> list[Found]:
        """The text as added tokens and what lies between them; nothing empty."""
        if self.find is None or not text:
            return [(0, len(text), None)] if text else []
        cuts: list[Found] = []
        at = 0
        for start, end, id in self._tokens(text, self.find(text)):
            if at < start:
                cuts.append((at, start, None))
            cuts.append((start, end, id))
            at = end
        if at != len(text):
            cuts.append((at, len(text), None))
        return cuts

    def _tokens(self, text: str, matches: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
        before = taken = 0
        spaces = range(0)  # found last behind a token
        for start, end in matches:
            content = text[start:end]
            token = self.records[content]
            # A match that is refused is used up: no shorter one is tried in its place.
            if token is None or (token.single_word and touches_word(text, start, end)):
                continue
            if token.lstrip:
                start = before + len(text[before:start].rstrip(chars.whitespace_chars()))
            if token.rstrip:
                if end not in spaces and (found := _spaces().match(text, end)):
                    spaces = range(*found.span())
                end = spaces.stop if end in spaces else end
            # `before` moves past the space that was taken, the search does not: as in the reference,
            # a token that begins within that space is found too, and overlaps.
            if start < end:
                taken += end - start
                refuse_beyond(most(len(text)), taken, f"the added token {content!r:.40} with its rstrip", "characters")
                yield start, end, self.ids[content]
                before = end


@cache
def _spaces() -> re.Pattern[str]:
    return chars.finder(chars.whitespace, many=True)


def touches_word(text: str, start: int, end: int) -> bool:
    word = chars.word()
    return (start > 0 and ord(text[start - 1]) in word) or (end < len(text) and ord(text[end]) in word)


DEPTH = 40  # of a trie that is written as nested groups; `re` recurses on them
LONG = 256  # characters of a word, all of which `re` may look at in vain at every place

Find = Callable[[str], Iterator[tuple[int, int]]]


def finder(words: Iterable[str]) -> Find:
    """A function that finds strings in a text: leftmost, longest, without overlap."""
    words = list(words)
    pattern = trie_pattern(words)
    if pattern is None:
        return LongestWords(words)
    search = re.compile(pattern).finditer
    return lambda text: (match.span() for match in search(text))


def trie_pattern(words: Iterable[str]) -> str | None:
    """A pattern that matches the longest of some strings, so that ``re`` never tries them one by one;
    ``None`` for long strings, and such as begin with each other many times over.

    >>> trie_pattern(["ab", "abcd", "x"])
    '(?:ab(?:cd)?|x)'
    """
    words = sorted(set(words))
    return None if max(map(len, words), default=0) > LONG else _trie(words, 0, len(words), 0, 0)


def _trie(words: Sequence[str], first: int, last: int, at: int, depth: int) -> str | None:
    """Those from ``first`` to ``last``, from their character ``at`` on. They are sorted, so those that go on with the
    same character are neighbours."""
    if depth > DEPTH:
        return None
    branches: list[str] = []
    optional = first < last and len(words[first]) == at
    first += optional
    while first < last:
        end = first + 1
        while end < last and words[end][at] == words[first][at]:
            end += 1
        # Of sorted strings, the outermost two tell the common beginning of all.
        common = common_size(words[first], words[end - 1])
        rest = _trie(words, first, end, common, depth + 1) if end - first > 1 else ""
        if rest is None:
            return None
        branches.append(re.escape(words[first][at:common]) + rest)
        first = end
    if not branches:
        return ""
    if len(branches) == 1 and not optional:
        return branches[0]
    return f"(?:{'|'.join(branches)})" + "?" * optional
