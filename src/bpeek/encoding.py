"""The result of encoding: columns of ids, tokens and spans, in Hugging Face's words."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, count, pairwise, repeat
from typing import Any, NamedTuple, TextIO, TypeVar, cast

from .arguments import at_most, text_file, whole_number
from .offsets import to_bytes, to_utf16

Item = TypeVar("Item")


class Spans(NamedTuple):
    """Where each token begins and ends in its text."""

    starts: Sequence[int]
    ends: Sequence[int]


class Encoding:
    """Ids and, computed when first asked for, everything that can be said about them.

    ``texts`` holds the encoded text, or two for a pair, or words. Spans count from the start of the text that
    a token comes from; tokens that come from no text (added by a template, padding) have ``(0, 0)``.
    A token inside a character has the span of the whole character in code points; ``byte_spans`` gives its
    own bytes, if these are not simply those of its characters.

    ``ids``, ``type_ids``, ``attention_mask`` and ``sequence_ids`` (which of the texts, ``None`` for neither) have one
    entry a token. ``lookalikes`` are the spans in which text that was not ``Trusted`` looks like a special token.

    >>> from bpeek import Tokenizer
    >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "é", "𝒂"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
    >>> encoding = tok.encode("a é𝒂")
    >>> encoding.ids, encoding.tokens
    ([1, 2, 3, 4], ['▁a', '▁', 'é', '𝒂'])
    >>> encoding.offsets
    [(0, 1), (1, 2), (2, 3), (3, 4)]
    >>> encoding.offsets_utf16
    [(0, 1), (1, 2), (2, 3), (3, 5)]
    >>> encoding.offsets_bytes
    [(0, 1), (1, 2), (2, 4), (4, 8)]
    """

    _make_utf16_spans: Callable[[], Spans] | None = None  # (an encoding that was pickled has none)

    def __init__(
        self,
        ids: Sequence[int],
        texts: tuple[str, ...],
        *,
        spans: Callable[[], Spans],
        utf16_spans: Callable[[], Spans] | None = None,
        byte_spans: Callable[[], Spans] | None = None,
        tokens: Callable[[], list[str]],
        special_tokens_mask: Callable[[], list[int]],
        word_ids: Callable[[], list[int | None]],
        type_ids: Sequence[int] | None = None,
        attention_mask: Sequence[int] | None = None,
        sequence_ids: Sequence[int | None] | None = None,
        overflowing: Callable[[], list[Encoding]] = list,
        ranges: Mapping[int, tuple[int, int]] | None = None,
        text_ids: Callable[[], list[int | None]] | None = None,
    ) -> None:
        self.ids = ids if isinstance(ids, list) else list(ids)
        self.texts = texts
        self.type_ids = [0] * len(ids) if type_ids is None else list(type_ids)
        self.attention_mask = [1] * len(ids) if attention_mask is None else list(attention_mask)
        self.sequence_ids: list[int | None] = [0] * len(ids) if sequence_ids is None else list(sequence_ids)
        # By the number of a text, which tokens it has; without any, all are those of whatever text is asked for.
        self._ranges = dict(ranges or {})
        if ranges is None and len(texts) > 1:
            ends = [bisect_right(cast("list[int]", self.sequence_ids), number) for number in range(len(texts))]
            self._ranges = dict(enumerate(pairwise([0, *ends])))
        self.special_ids: frozenset[int] = frozenset()  # of the tokenizer, to tell its special tokens from others
        self.lookalikes: list[tuple[int, int]] = []  # spans of special tokens in text that was not trusted
        self._make_spans, self._make_byte_spans, self._make_tokens = spans, byte_spans, tokens
        self._make_utf16_spans = utf16_spans
        self._make_special, self._make_words, self._make_overflowing = special_tokens_mask, word_ids, overflowing
        self._make_text_ids = text_ids

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Encoding):
            return NotImplemented
        return self.ids == other.ids and self.texts == other.texts and self.offsets == other.offsets

    def __getstate__(self) -> dict[str, object]:
        """To be pickled, with everything computed: what computes it needs the tokenizer.

        Numbers are packed, which makes and reads a pickle in a fraction of the time.
        """
        columns = [*self.spans, *self.byte_spans]
        once = {id(column): _packed(column) for column in columns}  # spans of ASCII are the same in both units
        starts, ends, byte_starts, byte_ends = (once[id(column)] for column in columns)
        return {
            **{name: _packed(getattr(self, name)) for name in _COLUMNS},
            **{
                name: getattr(self, name)
                for name in ("texts", "overflowing", "lookalikes", "special_ids", "tokens", "_ranges")
            },
            "spans": Spans(starts, ends),
            "byte_spans": Spans(byte_starts, byte_ends),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state | {name: _unpacked(state[name]) for name in _COLUMNS})

    __hash__ = None  # type: ignore[assignment]  # mutable columns: equal by value, so not hashable

    def __repr__(self) -> str:
        return f"Encoding(num_tokens={len(self.ids)}, ids={self.ids[:8]}{'…' if len(self.ids) > 8 else ''})"

    @cached_property
    def spans(self) -> Spans:
        """The same as ``offsets``, as columns."""
        return self._make_spans()

    @cached_property
    def byte_spans(self) -> Spans:
        """The same as ``offsets_bytes``, as columns."""
        return self._make_byte_spans() if self._make_byte_spans else Spans(*self._converted(to_bytes))

    @cached_property
    def tokens(self) -> list[str]:
        """Each token as the vocabulary spells it; bytes that are not UTF-8 as ``\\xNN``."""
        return self._make_tokens()

    @cached_property
    def special_tokens_mask(self) -> list[int]:
        """1 for tokens that the tokenizer added, 0 for those that came from the text."""
        return self._make_special()

    @cached_property
    def word_ids(self) -> list[int | None]:
        """The number of the piece that each token comes from."""
        return self._make_words()

    @cached_property
    def text_ids(self) -> list[int | None]:
        """Which of ``texts`` each token comes from, ``None`` for none: ``sequence_ids``, but for words."""
        return self.sequence_ids if self._make_text_ids is None else self._make_text_ids()

    @cached_property
    def overflowing(self) -> list[Encoding]:
        """What truncation cut off, in encodings of their own. Raises ``BpeekError`` where they would have a hundred
        times as many tokens as the text, and more than a million."""
        made = self._make_overflowing()
        for each in made:
            each.special_ids = self.special_ids
        return made

    @cached_property
    def offsets(self) -> list[tuple[int, int]]:
        """Spans in code points: ``text[start:end]``. A token inside a character has the whole character."""
        return list(zip(self.spans.starts, self.spans.ends, strict=True))

    @cached_property
    def offsets_utf16(self) -> list[tuple[int, int]]:
        """Spans in UTF-16 units: what ``text.slice(start, end)`` takes in JavaScript."""
        return list(zip(*self.utf16_columns(), strict=True))

    @cached_property
    def offsets_bytes(self) -> list[tuple[int, int]]:
        """Spans in bytes of the text's UTF-8. Tokens that share a character share no byte of it."""
        return list(zip(*self.byte_spans, strict=True))

    def utf16_columns(self) -> tuple[Sequence[int], Sequence[int]]:
        """The starts and the ends of ``offsets_utf16``."""
        return self._utf16_spans

    @cached_property
    def _utf16_spans(self) -> Spans:
        return self._make_utf16_spans() if self._make_utf16_spans else Spans(*self._converted(to_utf16))

    def _converted(self, convert: Callable[[str, Sequence[int]], Sequence[int]]) -> tuple[Sequence[int], Sequence[int]]:
        starts, ends = self.spans.starts, self.spans.ends
        if len(self.texts) == 1:
            return convert(self.texts[0], starts), convert(self.texts[0], ends)
        units = [list(convert(text, range(len(text) + 1))) for text in self.texts]
        of = [units[number or 0] for number in self.text_ids]
        return (
            [unit[min(start, len(unit) - 1)] for unit, start in zip(of, starts, strict=True)],
            [unit[min(end, len(unit) - 1)] for unit, end in zip(of, ends, strict=True)],
        )

    # Looking up, as the reference does it

    def _tokens_of(self, sequence: int) -> range:
        """The tokens of one of the texts; all of them for a text that is not there, and where there is but one."""
        return range(*self._ranges.get(whole_number(sequence, "the number of a text"), (0, len(self.ids))))

    def char_to_token(self, position: int, sequence: int = 0) -> int | None:
        """The index of the first token whose span contains this code point, or ``None``. ``sequence`` is the number of
        one text of a pair; it says nothing in an encoding of one text that has nothing around it.

        >>> from bpeek import Tokenizer
        >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
        >>> encoding = tok.encode("a b")
        >>> encoding.char_to_token(2), encoding.char_to_token(9)
        (2, None)
        """
        position, (starts, ends) = whole_number(position, "a place"), self.spans
        return next((at for at in self._tokens_of(sequence) if starts[at] <= position < ends[at]), None)

    def token_to_chars(self, index: int) -> tuple[int, int] | None:
        """The span of a token in code points, or ``None`` if it comes from no text, or there is no such token."""
        return None if self.token_to_sequence(index) is None else self.offsets[index]

    def token_to_word(self, index: int) -> int | None:
        """The number of the piece that a token comes from, or ``None``."""
        return None if self.token_to_sequence(index) is None else self.word_ids[index]

    def token_to_sequence(self, index: int) -> int | None:
        """0 or 1 for the text that a token comes from; ``None`` if it comes from none, or there is no such token."""
        index = whole_number(index, "an index")
        if not self._ranges:
            return 0 if 0 <= index < len(self.ids) else None
        return next((number for number, (start, end) in self._ranges.items() if start <= index < end), None)

    def word_to_tokens(self, word: int, sequence: int = 0) -> tuple[int, int] | None:
        """The half-open range of tokens that make up a word, or ``None`` for a word that is not there."""
        of_word, word = list[int](), whole_number(word, "the number of a word")
        for at in self._tokens_of(sequence):
            number = self.word_ids[at]
            if number is not None and number > word:
                break  # behind it, a second text may begin with the same numbers
            if number == word:
                of_word.append(at)
        return (of_word[0], of_word[-1] + 1) if of_word else None

    def word_to_chars(self, word: int, sequence: int = 0) -> tuple[int, int] | None:
        """The span of a word in code points, or ``None`` for a word that is not there."""
        tokens = self.word_to_tokens(word, sequence)
        return tokens and (self.offsets[tokens[0]][0], self.offsets[tokens[1] - 1][1])

    def char_to_word(self, position: int, sequence: int = 0) -> int | None:
        """The number of the piece that this code point is in, or ``None``."""
        token = self.char_to_token(position, sequence)
        return None if token is None else self.token_to_word(token)

    # To look at, and for other programs

    def show(self, file: TextIO | None = None, *, limit: int | None = 500, color: bool | None = None) -> None:
        """Print each token over its id, at most ``limit`` of them; in colours where the output is a terminal and the
        environment does not say ``NO_COLOR``, or as ``color`` says."""
        from .display import terminal

        terminal.encoding(self, text_file(file), at_most(limit), color)

    def to_html(self, *, limit: int | None = None, page: bool = False) -> str:
        """What a notebook shows, as HTML that needs nothing else: a fragment, or a whole ``page`` for a file of its
        own (in UTF-8). Of more than ``limit`` tokens, only so many are shown."""
        from .display import html

        content = html.encoding(self, at_most(limit))
        return html.page(content) if page else content

    def _repr_html_(self) -> str:
        from .display import html

        return html.encoding(self, html.MOST_TOKENS)

    def to_dict(self) -> dict[str, Any]:
        """The texts and every column by its name, as plain values."""
        from .display import table

        return table.to_dict(self)

    def to_json(self) -> str:
        """The same as JSON."""
        from .display import table

        return table.to_json(self)

    def to_csv(self) -> str:
        """A line for each token with its text as a JSON string, ids and spans in all units; lines end in CR LF.
        Write it to a file that is open with ``newline=""``."""
        from .display import table

        return table.to_csv(self)


_COLUMNS = ("ids", "type_ids", "attention_mask", "sequence_ids", "special_tokens_mask", "word_ids", "text_ids")


def _packed(values: Sequence[int | None]) -> bytes | array[int]:
    """Small numbers as bytes, others as an array of ``I``; with ``None`` among them of ``i``, where it is -1."""
    if isinstance(values, (bytes, array)):
        return values
    if None in values:
        return array("i", [-1 if value is None else value for value in values])
    numbers = cast("Sequence[int]", values)
    return bytes(numbers) if max(numbers, default=0) < 256 else array("I", numbers)


def _unpacked(values: bytes | array[int]) -> list[int | None]:
    if isinstance(values, array) and values.typecode == "i":
        return [None if value < 0 else value for value in values]
    return list(values)


def together(columns: Sequence[list[Item]]) -> list[Item]:
    """The columns of several texts as one; that of a single text is not copied."""
    return columns[0] if len(columns) == 1 else list(chain.from_iterable(columns))


def text_numbers(columns: Sequence[Sequence[object]]) -> list[int]:
    """For the tokens of several texts, the number of the text that each comes from."""
    return list(chain.from_iterable(map(repeat, count(), map(len, columns))))
