"""``Tokenizer``: the one place where parts meet. Immutable once made, safe to share and to pickle."""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from . import budget
from .arguments import as_id, as_ids, error_handler, file_path, function, many, special_names
from .document import Document
from .encoding import Encoding
from .errors import BpeekError, UnknownTokenError, UnsupportedError
from .offsets import text_or_pair, well_formed
from .parts import Parts
from .roads import Road, build
from .spec import Spec
from .stream import Progress, StreamDecoder, StreamEncoder, encode_file
from .trust import Trusted
from .trust import encode as encode_parts
from .within import refuse
from .words import SPLIT, words_of, words_or_pair
from .words import encode_batch as words_encoded

if TYPE_CHECKING:
    from .comparison import Comparison
    from .explain import Explainer, Explanation
    from .inspection import Inspection
    from .pool import Pool

Special = Literal["all"] | Collection[str]


class Tokenizer:
    """A tokenizer, built from a ``Spec``; ``bpeek.load`` makes one from a file.

    ``encode`` gives an ``Encoding`` with offsets, ``encode_ordinary`` a list of ids as fast as
    possible, ``count`` a number. The names and the policy on special tokens are tiktoken's.
    Texts are ``str`` (``TypeError`` for others); in them a surrogate without its other half counts as U+FFFD.

    >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
    >>> tok.encode("a b").ids, tok.encode_ordinary("a b"), tok.count("a b")
    ([1, 2, 4], [1, 2, 4], 3)
    >>> tok.encode_to_array("a b")
    array('I', [1, 2, 4])
    >>> [each.tokens for each in tok.encode_batch(["a", "a b"])]
    [['▁a'], ['▁a', '▁', 'b']]
    >>> tok.decode([1, 2, 4]), tok.decode_bytes([1, 2, 4]), tok.decode_with_offsets([1, 2, 4])
    ('a b', b' a b', (' a b', [0, 2, 3]))
    >>> tok.vocab_size, tok.special_tokens, tok.token_to_id("b"), tok.id_to_token(4), tok.token_bytes(2)
    (5, {'<unk>': 0}, 4, 'b', b' ')
    """

    def __init__(self, spec: Spec) -> None:
        if not isinstance(spec, Spec):
            raise TypeError(f"Tokenizer takes a Spec, not {type(spec).__name__}; bpeek.load takes a file")
        self.spec = spec
        self._road: Road = build(spec)

    def __repr__(self) -> str:
        kernel = f", kernel: {self.kernel}" if self.kernel else ""
        return f"<Tokenizer {self.spec.name or 'unnamed'}: {self.spec.format}, {self.vocab_size:,} tokens{kernel}>"

    def _repr_html_(self) -> str:
        from .display import html

        spec = self.spec
        rows = {
            "file": spec.name or "unnamed",
            "format": spec.format,
            "tokens": f"{self.vocab_size:,}",
            "special tokens": f"{len(self.special_tokens):,}",
            "kernel": self.kernel or "",
            "bytes": f"{spec.source['bytes']:,}" if "bytes" in spec.source else "",
            "SHA-256": str(spec.source.get("sha256", "")),
        }
        return html.properties((name, value) for name, value in rows.items() if value)

    @property
    def kernel(self) -> str | None:
        """What long texts are encoded in: ``"wasmtime"``, or ``"WebAssembly"`` in Pyodide; ``None`` where Python does
        everything, because there is neither, the environment says ``BPEEK_KERNEL=0``, or only Python can do what the
        file asks for. Ids are the same."""
        return self._road.kernel.name

    def __reduce__(self) -> tuple[type[Tokenizer], tuple[Spec]]:
        return Tokenizer, (self.spec,)

    def __copy__(self) -> Tokenizer:
        return self

    def __deepcopy__(self, memo: object) -> Tokenizer:
        return self

    @classmethod
    def from_pieces(
        cls, pieces: Iterable[str], scores: Iterable[float], types: Iterable[int], **options: Any
    ) -> Tokenizer:
        """A SentencePiece BPE tokenizer from its pieces in id order, with their scores and types.

        Types are the format's numbers (``spec.NORMAL`` and so on); ``options`` are those of
        ``formats.sentencepiece.from_pieces``: ``byte_fallback``, ``normalizer`` and so on.

        >>> tok = Tokenizer.from_pieces(["<unk>", "\u2581a", "\u2581", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
        >>> tok.encode("a b?").tokens, tok.encode("a b?").offsets
        (['▁a', '▁', 'b', '?'], [(0, 1), (1, 2), (2, 3), (3, 4)])
        """
        from .formats.sentencepiece import from_pieces

        pieces, scores, types = many(pieces, "pieces"), many(scores, "scores"), many(types, "types")
        return cls(from_pieces(pieces, scores, types, **options))

    # Encoding

    def encode(
        self,
        text: str | list[str] | list[Trusted] | tuple[str, ...],
        pair: str | list[str] | tuple[str, ...] | None = None,
        *,
        is_split_into_words: bool = False,
        add_special_tokens: bool = True,
        allowed_special: Special | None = None,
        disallowed_special: Special | None = None,
    ) -> Encoding:
        """Ids with tokens and offsets.

        Special tokens in the text are recognised (with a SentencePiece model only if they are allowed), and a
        ``tokenizer.json`` adds its own. With ``add_special_tokens=False`` it adds none and still recognises
        those in the text, as in ``tokenizers``; for a ``.tiktoken`` or ``tekken.json`` file they are plain text then.
        If ``allowed_special`` or ``disallowed_special`` is given, tiktoken's policy holds instead:
        a special token that is in the text and is disallowed (by default all that are not allowed)
        raises ``SpecialTokenError``.

        A list of texts is encoded as the one text that they make, with special tokens only in those that are
        ``Trusted``: see there. ``encode_batch`` gives each text an encoding of its own.

        With ``is_split_into_words``, ``text`` (and ``pair``) are lists of words, each of which is encoded by itself, as
        with ``is_pretokenized`` in ``tokenizers``: ``word_ids`` are their places, spans are those in them.

        >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
        >>> encoding = tok.encode(["a", "ab"], is_split_into_words=True)
        >>> encoding.tokens, encoding.word_ids, encoding.offsets
        (['▁a', '▁a', 'b'], [0, 1, 1], [(0, 1), (0, 1), (1, 2)])
        """
        if is_split_into_words:
            if isinstance(text, (list, tuple)) and any(isinstance(word, Trusted) for word in text):
                raise BpeekError("Trusted parts make one text; leave is_split_into_words out, or give words as str")
            words = (words_of(text),) if pair is None else (words_of(text), words_of(pair))
            each = tuple(chain.from_iterable(words))
            allowed = self._allowed(add_special_tokens, allowed_special, disallowed_special, each)
            return self._signed(words_encoded(self._road, [words], allowed, add_special_tokens)[0])
        if isinstance(text, (list, tuple)):
            if pair is not None:
                raise BpeekError(f"A list of texts makes one text, and no pair; join them yourself; {SPLIT}")
            trusted = tuple(part for part in text if isinstance(part, Trusted))
            if allowed_special is None and disallowed_special is None:
                allowed_special = "all"
            allowed = self._allowed(add_special_tokens, allowed_special, disallowed_special, trusted)
            unknown = self.spec.model.unk_token
            return self._signed(encode_parts(self._road, text, allowed, add_special_tokens, unknown))
        texts = (well_formed(text),) if pair is None else (well_formed(text), well_formed(pair))  # type: ignore[arg-type]
        allowed = self._allowed(add_special_tokens, allowed_special, disallowed_special, texts)
        return self._signed(self._road.encode(texts, allowed, add_special_tokens))

    def encode_ordinary(self, text: str) -> list[int]:
        """The ids, special tokens being plain text. The fastest way.

        tiktoken's ``encode_ordinary``; for a ``tokenizer.json``, ids without any special token.
        """
        return self.encode_to_array(text).tolist()

    def encode_to_array(self, text: str) -> array[int]:
        """The same as an ``array("I")``: no object per token, and shared with NumPy or JavaScript without a copy."""
        return self._road.ids(well_formed(text), frozenset())

    def encode_batch(
        self,
        texts: Iterable[str | Sequence[str] | Sequence[Sequence[str]]],
        *,
        is_split_into_words: bool = False,
        add_special_tokens: bool = True,
        processes: int | None = None,
    ) -> list[Encoding]:
        """One ``Encoding`` for each text or pair of texts, padded together if the tokenizer pads. With
        ``is_split_into_words``, a text is a list of words, and a pair two such lists.

        ``processes`` encodes in so many processes of a ``pool``, which pays for some megabytes of text.
        """
        if processes is not None:
            with self.pool(processes) as pool:
                return pool.encode_batch(
                    texts, add_special_tokens=add_special_tokens, is_split_into_words=is_split_into_words
                )
        recognised = self._road.recognised(add_special_tokens)
        if is_split_into_words:
            in_words = list(map(words_or_pair, many(texts)))
            return list(map(self._signed, words_encoded(self._road, in_words, recognised, add_special_tokens)))
        batch = [text_or_pair(each) for each in many(texts)]
        encodings = self._road.encode_batch(batch, recognised, add_special_tokens)
        return list(map(self._signed, encodings))

    def encode_ordinary_batch(self, texts: Iterable[str], *, processes: int | None = None) -> list[list[int]]:
        """``encode_ordinary`` of each text."""
        if processes is not None:
            with self.pool(processes) as pool:
                return pool.encode_ordinary_batch(texts)
        return list(map(self.encode_ordinary, many(texts)))

    def count_batch(
        self, texts: Iterable[str], *, add_special_tokens: bool = True, processes: int | None = None
    ) -> list[int]:
        """``count`` of each text."""
        if processes is not None:
            with self.pool(processes) as pool:
                return pool.count_batch(texts, add_special_tokens=add_special_tokens)
        return [self.count(text, add_special_tokens=add_special_tokens) for text in many(texts)]

    def pool(self, processes: int | None = None) -> Pool:
        """So many processes (by default one a core) with this tokenizer, for several batches one after the other::

            with tok.pool(4) as pool:
                for batch in batches:
                    pool.encode_batch(batch)

        Its ``encode_batch``, ``encode_ordinary_batch`` and ``count_batch`` give what the tokenizer's give.
        Raises ``UnsupportedError`` in a browser, which has no processes.
        """
        if sys.platform == "emscripten":
            raise UnsupportedError(
                "a page has no processes: leave `processes` out (in JavaScript, engines may have several workers)",
                feature="processes",
            )
        from .pool import Pool

        return Pool(self, processes)

    def _signed(self, encoding: Encoding) -> Encoding:
        """An encoding is shown with the special tokens of its tokenizer."""
        encoding.special_ids = self._special_ids
        return encoding

    @cached_property
    def _special_ids(self) -> frozenset[int]:
        return frozenset(self.special_tokens.values())

    def count(
        self,
        text: str,
        *,
        add_special_tokens: bool = True,
        allowed_special: Special | None = None,
        disallowed_special: Special | None = None,
    ) -> int:
        """The number of tokens, ``len(tok.encode(text))`` with the same options, without making them."""
        formed = well_formed(text)
        allowed = self._allowed(add_special_tokens, allowed_special, disallowed_special, (text,))
        return self._road.count(formed, allowed, add_special_tokens)

    # Parts of texts

    def document(
        self, text: str = "", *, add_special_tokens: bool = True, allowed_special: Special | None = None
    ) -> Document:
        """A text that can be edited and stays encoded, as ``encode`` does with these options; special tokens
        that are not allowed are plain text."""
        return Document(self._parts(add_special_tokens, allowed_special), text)

    def explain(
        self,
        text: str,
        *,
        add_special_tokens: bool = True,
        allowed_special: Special | None = None,
        disallowed_special: Special | None = None,
    ) -> Explanation:
        """How the text becomes tokens: what normalization changes, which part of the pattern cuts out each piece,
        every merge in order with its rank, and why special tokens in the text are taken or not.

        It takes what ``encode`` takes, and ends with the same tokens. ``str()`` of it is for reading.

        >>> tok = Tokenizer.from_pieces(["<unk>", "\u2581", "a", "b", "ab"], [0, -3, -4, -5, -1], [2, 1, 1, 1, 1])
        >>> explained = tok.explain("ab")
        >>> [change.step for stretch in explained.stretches for change in stretch.changes]
        ['add_dummy_prefix', 'escape_whitespaces']
        >>> [list(piece.states()) for piece in explained.pieces]
        [[('▁',)], [('a', 'b'), ('ab',)]]
        """
        from .explain import explanation

        formed = well_formed(text)
        allowed = self._allowed(add_special_tokens, allowed_special, disallowed_special, (text,))
        encoding = self._road.encode((formed,), allowed, add_special_tokens)
        return explanation(self._explainer, formed, allowed, encoding)

    def inspect(self) -> Inspection:
        """What the vocabulary is like: whether its rules are in order, which tokens no text gives and why,
        rules that are never used, bounds, patterns. Takes seconds. ``str()`` of it is for reading.

        >>> found = Tokenizer.from_pieces(["<unk>", "a", "b", "abb"], [0, -2, -3, -1], [2, 1, 1, 1]).inspect()
        >>> [(each.token, each.reason) for each in found.unreachable], found.rules.useful_proper
        ([('abb', 'no merge path')], True)
        """
        from .inspection import inspect

        return inspect(self.spec, self._road)

    def compare(self, text: str, *others: Tokenizer, add_special_tokens: bool = True) -> Comparison:
        """How this tokenizer and others cut a text, and where they do not agree. Each goes by the name of its file;
        ``bpeek.compare`` takes names of your own.

        >>> one = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a"], [0, -1, -2, -3], [2, 1, 1, 1])
        >>> two = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "aa"], [0, -2, -3, -4, -1], [2, 1, 1, 1, 1])
        >>> [(each.start, each.end, each.agree) for each in one.compare("a aa", two).segments]
        [(0, 1, True), (1, 4, False)]
        """
        from .comparison import compare, named

        for other in others:
            if not isinstance(other, Tokenizer):
                raise TypeError(f"compare takes one text and then tokenizers, not {type(other).__name__}")
        tokenizers = named([(each.spec.name, each) for each in (self, *others)])
        return compare(text, tokenizers, add_special_tokens=add_special_tokens)

    @cached_property
    def _explainer(self) -> Explainer:
        from .explain import explainer

        return explainer(self.spec, self._road)

    def stream_encoder(
        self, *, add_special_tokens: bool = True, allowed_special: Special | None = None
    ) -> StreamEncoder:
        """Encodes a text that comes bit by bit, as ``encode`` does with these options (but never truncates or pads).

        >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
        >>> stream = tok.stream_encoder()
        >>> stream.feed("a"), stream.feed(" b"), stream.offsets, stream.finish(), stream.offsets
        ([], [1], [(0, 1)], [2, 4], [(1, 2), (2, 3)])
        """
        return StreamEncoder(self._parts(add_special_tokens, allowed_special))

    def encode_file(
        self,
        path: str | os.PathLike[str],
        progress: Progress | None = None,
        *,
        add_special_tokens: bool = True,
        allowed_special: Special | None = None,
    ) -> Iterator[list[int]]:
        """The ids of a file of UTF-8, some at a time, in bounded memory. ``progress`` is called with the
        number of bytes that are done and that there are. Raises ``UnicodeDecodeError`` for other bytes."""
        function(progress, "progress")
        encoder = self.stream_encoder(add_special_tokens=add_special_tokens, allowed_special=allowed_special)
        return encode_file(encoder, file_path(path), progress)

    def stream_decoder(self, *, skip_special_tokens: bool = True, errors: str = "replace") -> StreamDecoder:
        """Decodes ids that come bit by bit, as ``decode`` does with these options.

        >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
        >>> stream = tok.stream_decoder()
        >>> stream.feed(1), stream.feed([2, 4]), stream.finish()
        ('a', ' b', '')
        """
        return StreamDecoder(self._road.decoding(skip_special_tokens, error_handler(errors)))

    def fits(
        self, text: str, n: float, *, add_special_tokens: bool = True, allowed_special: Special | None = None
    ) -> bool:
        """Has the text at most ``n`` tokens? Stops counting when it has more. ``n`` is a whole number or ``math.inf``,
        as in ``truncate`` and ``chunks``.

        >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
        >>> tok.fits("a b", 3), tok.fits("a b " * 1_000_000, 3)
        (True, False)
        """
        return budget.fits(self._parts(add_special_tokens, allowed_special), well_formed(text), n)

    def truncate(
        self,
        text: str,
        n: float,
        side: budget.Side = "right",
        *,
        add_special_tokens: bool = True,
        allowed_special: Special | None = None,
    ) -> budget.Slice:
        """As much of a text as has at most ``n`` tokens when it is encoded again. It is cut off at ``side``,
        between two of its tokens and never inside a character; ``start`` and ``end`` are its place in the text.
        Nothing is left where ``n`` is less than what a template adds to every text.

        >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
        >>> tok.truncate("a a b a", 2), tok.truncate("a a b a", 3, side="left").text
        (Slice(text='a a', start=0, end=3, count=2), ' b a')
        """
        return budget.truncate(self._parts(add_special_tokens, allowed_special), well_formed(text), n, side)

    def chunks(
        self,
        text: str,
        n: float,
        overlap: int = 0,
        *,
        add_special_tokens: bool = True,
        allowed_special: Special | None = None,
    ) -> Iterator[budget.Slice]:
        """The text in parts of at most ``n`` tokens each, in order. Each begins with at most ``overlap``
        tokens of what the one before ends with. Raises ``BpeekError`` for a character with more tokens.

        >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
        >>> [chunk.text for chunk in tok.chunks("a a a a a", 3, overlap=1)]
        ['a a a', ' a a a']
        """
        return budget.chunks(self._parts(add_special_tokens, allowed_special), well_formed(text), n, overlap)

    def _parts(self, add_special_tokens: bool, allowed_special: Special | None) -> Parts:
        disallowed = None if allowed_special is None else ()
        allowed = self._allowed(add_special_tokens, allowed_special, disallowed, ())
        return Parts(self._road, allowed, add_special_tokens)

    def _allowed(
        self, add_special_tokens: bool, allowed: Special | None, disallowed: Special | None, texts: tuple[str, ...]
    ) -> frozenset[str]:
        if allowed is None and disallowed is None:
            return self._road.recognised(add_special_tokens)
        specials = self._road.special_contents
        named = special_names(() if allowed is None else allowed, "allowed_special")
        allowed_set = specials if named == "all" else named
        refused = special_names("all" if disallowed is None else disallowed, "disallowed_special")
        for text in texts:
            refuse(text, specials - allowed_set if refused == "all" else refused)
        return allowed_set & specials

    # Decoding

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = True, errors: str = "replace") -> str:
        """The text of some ids. Bytes that are not UTF-8 become U+FFFD, or as ``errors`` says.

        Raises ``UnknownTokenError`` for an id that a ``.tiktoken`` vocabulary does not have;
        for a ``tokenizer.json`` such ids are skipped, as in ``tokenizers``, and its decoder says what
        becomes of bad bytes, whatever ``errors`` is.
        """
        return self._road.decode(as_ids(ids), skip_special_tokens, error_handler(errors))

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The joined bytes of some ids, special tokens included. Raises ``UnknownTokenError`` for unknown ids."""
        return b"".join(map(self._road.token_bytes, as_ids(ids)))

    def decode_with_offsets(self, ids: Iterable[int]) -> tuple[str, list[int]]:
        """The text and where in it each token begins; a token inside a character begins with it.

        As in tiktoken, the ids must be valid UTF-8 together (``UnicodeDecodeError``).
        """
        offsets, chars = [], 0
        tokens = list(map(self._road.token_bytes, as_ids(ids)))
        for token in tokens:
            inside = bool(token) and 0x80 <= token[0] < 0xC0
            offsets.append(max(0, chars - inside))
            chars += sum(not 0x80 <= byte < 0xC0 for byte in token)
        return b"".join(tokens).decode("utf-8", errors="strict"), offsets

    # Vocabulary

    @property
    def vocab_size(self) -> int:
        """The number of tokens, special ones included. Ids may have gaps, so that some are higher (cl100k_base)."""
        return self._road.size

    @property
    def special_tokens(self) -> dict[str, int]:
        """Special tokens and their ids."""
        return {token.content: token.id for token in self.spec.added_tokens if token.special}

    def get_vocab(self) -> dict[str | bytes, int]:
        """Every token, as the file spells it, and its id: ``bytes`` in a ``.tiktoken`` file, but for special tokens."""
        return dict(self._road.id_of)

    def token_to_id(self, token: str | bytes) -> int | None:
        """The id of a token, or ``None``. In a ``.tiktoken`` file ``str`` stands for its UTF-8."""
        if not isinstance(token, (str, bytes)):
            raise TypeError(f"a token must be a str or bytes, not {type(token).__name__}")
        if isinstance(token, str) and well_formed(token) is not token:
            return None  # no token has half a character of UTF-16
        return self._road.token_to_id(token)

    def id_to_token(self, token_id: int) -> str | None:
        """The token as the vocabulary spells it, or ``None``; bytes that are not UTF-8 are shown as ``\\xNN``."""
        try:
            return self._road.spelling(as_id(token_id))
        except UnknownTokenError:
            return None

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes that a token stands for. Raises ``UnknownTokenError`` for an unknown id."""
        return self._road.token_bytes(as_id(token_id))
