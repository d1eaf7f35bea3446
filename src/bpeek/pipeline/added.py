"""Added tokens: cut out of the text before the model sees it, in two passes.

Tokens with ``normalized=False`` are looked for in the raw text, the others in what the normalizer
made of each stretch between them, in the form that the normalizer gives the tokens themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from ..errors import FormatError
from ..spec import AddedToken
from . import chars

SHORT = 1000  # characters
FIRST_TEXTS = 100  # Gemma's 6,415 tokens are looked for in 0.2 ms one by one; a finder of them is made in 50

Found = tuple[int, int, "int | None"]  # start, end, id of the added token or None


class AddedTokens:
    """The added tokens of a tokenizer, registered in the order of the file as the reference does it: the last one
    registered for an id is the one that is looked for, and whose flags count."""

    def __init__(self, tokens: Sequence[AddedToken], normalize: Callable[[str], str]) -> None:
        self.by_id: dict[int, AddedToken] = {}
        self.ids: dict[str, int] = {}
        self._forms: dict[int, str] = {}  # what the normalizer makes of some; kept if another one takes the id
        for token in tokens:
            self.by_id[token.id] = token
            self.ids[token.content] = token.id
            if token.normalized and (form := normalize(token.content)) != token.content:
                self._forms[token.id] = form
        self.special_contents = frozenset(token.content for token in tokens if token.special)
        self._raw = {token.content: id for id, token in self.by_id.items() if not token.normalized}
        self._normalized: dict[str, int] = {}
        for id, token in self.by_id.items():
            if token.normalized:
                form = self._forms.get(id, token.content)
                if not form:
                    message = f"the normalizer leaves nothing of the added token {token.content!r}; remove it"
                    raise FormatError(message, field="added_tokens")
                self._normalized.setdefault(form, id)  # of several, the reference takes one by chance
        self._finders: dict[tuple[bool, frozenset[str] | None], Finder] = {}
        self._waiting = FIRST_TEXTS

    def spelling(self, id: int) -> str | None:
        """An added token as it is looked for in text: one that is normalized, in normalized form."""
        token = self.by_id.get(id)
        return None if token is None else self._forms.get(id, token.content)

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
        return Finder(ids, {content: self._record(id, allowed) for content, id in ids.items()}).cut(text)

    def finder(self, normalized: bool, allowed: frozenset[str] | None = None) -> Finder:
        """The finder of one pass. ``allowed`` limits special tokens to some; ``None`` allows all."""
        key = (normalized, allowed)
        if key not in self._finders:
            ids = self._normalized if normalized else self._raw
            self._finders[key] = Finder(ids, {content: self._record(id, allowed) for content, id in ids.items()})
        return self._finders[key]

    def _record(self, id: int, allowed: frozenset[str] | None) -> AddedToken | None:
        """The token whose flags count for this id, or ``None`` if it is to stay text."""
        token = self.by_id[id]
        if allowed is not None and token.content in self.special_contents and token.content not in allowed:
            return None
        return token


class Finder:
    """Finds added tokens in a text: leftmost, longest, without overlap."""

    def __init__(self, ids: dict[str, int], records: dict[str, AddedToken | None]) -> None:
        self.ids, self.records = ids, records
        self.find = finder(ids) if ids else None

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
        before = 0
        for start, end in matches:
            content = text[start:end]
            token = self.records[content]
            # A match that is refused is used up: no shorter one is tried in its place.
            if token is None or (token.single_word and touches_word(text, start, end)):
                continue
            if token.lstrip:
                start = before + len(text[before:start].rstrip(chars.whitespace_chars()))
            if token.rstrip and (spaces := _spaces().match(text, end)):
                end = spaces.end()
            # `before` moves past the space that was taken, the search does not: as in the reference,
            # a token that begins within that space is found too, and overlaps.
            if start < end:
                yield start, end, self.ids[content]
                before = end


@cache
def _spaces() -> re.Pattern[str]:
    return chars.finder(chars.whitespace, many=True)


def touches_word(text: str, start: int, end: int) -> bool:
    word = chars.word()
    return (start > 0 and ord(text[start - 1]) in word) or (end < len(text) and ord(text[end]) in word)


DEPTH = 40  # of a trie that is written as nested groups; `re` recurses on them


def finder(words: Iterable[str]) -> Callable[[str], Iterator[tuple[int, int]]]:
    """A function that finds strings in a text: leftmost, longest, without overlap."""
    pattern = trie_pattern(words)
    if pattern is None:
        return partial(_walk, _nested(words))
    search = re.compile(pattern).finditer
    return lambda text: (match.span() for match in search(text))


def _nested(words: Iterable[str]) -> dict[str, Any]:
    """A trie of dictionaries; the empty string marks the end of a word."""
    root: dict[str, Any] = {}
    for word in words:
        node = root
        for char in word:
            node = node.setdefault(char, {})
        node[""] = True
    return root


def _walk(trie: dict[str, Any], text: str) -> Iterator[tuple[int, int]]:
    start, length = 0, len(text)
    while start < length:
        node, at, end = trie, start, 0
        while at < length and (node := node.get(text[at], {})):
            at += 1
            if "" in node:
                end = at
        if end:
            yield start, end
        start = end or start + 1


def trie_pattern(words: Iterable[str]) -> str | None:
    """A pattern that matches the longest of some strings, so that ``re`` never tries them one by one;
    ``None`` for strings that begin with each other many times over.

    >>> trie_pattern(["ab", "abcd", "x"])
    '(?:ab(?:cd)?|x)'
    """
    return _trie(sorted(set(words)), 0)


def _trie(words: Sequence[str], depth: int) -> str | None:
    """``words`` are sorted, so those that share a first character are neighbours."""
    if depth > DEPTH:
        return None
    branches: list[str] = []
    optional, at = bool(words) and not words[0], 0
    at = int(optional)
    while at < len(words):
        end = at + 1
        while end < len(words) and words[end][0] == words[at][0]:
            end += 1
        group = words[at:end]
        size = _common(group[0], group[-1])
        rest = _trie([word[size:] for word in group], depth + 1) if len(group) > 1 else ""
        if rest is None:
            return None
        branches.append(re.escape(group[0][:size]) + rest)
        at = end
    if not branches:
        return ""
    if len(branches) == 1 and not optional:
        return branches[0]
    return f"(?:{'|'.join(branches)})" + "?" * optional


def _common(first: str, last: str) -> int:
    """The length of the common beginning; of sorted strings, the outermost two tell that of all."""
    size = 0
    for one, other in zip(first, last, strict=False):
        if one != other:
            break
        size += 1
    return size
