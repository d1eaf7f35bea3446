"""SentencePiece models explained: cleaned text, cut at its seams, merged by score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import cast

from ..bpe import NEVER
from ..bpe.scores import ByScore
from ..errors import UnsupportedError
from ..pipeline.seams import Seams
from ..roads.cleaner import Cleaner, one_of
from ..spec import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, Cleaning, SentencePiece, Spec
from .merging import watch
from .notices import listed
from .tree import Change, Cut, Merge, Notice, Piece, Stretch

_STEPS = ("remove_extra_whitespaces", "add_dummy_prefix", "escape_whitespaces")


class ScoredExplainer:
    words = False

    def __init__(self, spec: Spec) -> None:
        facts = cast(SentencePiece, spec.model.sentencepiece)
        self._names = cast("list[str]", list(spec.model.vocab))
        of: dict[int, dict[str, int]] = {kind: {} for kind in range(NORMAL, BYTE + 1)}
        for token, (piece, kind) in enumerate(zip(self._names, facts.types, strict=True)):
            of[kind][piece] = token
        own, unused = of[USER_DEFINED], of[UNUSED]
        if any(len(piece) > 1 for piece in unused):
            message = "pieces of the type UNUSED are split back after merging, which cannot be explained yet"
            raise UnsupportedError(message, feature="UNUSED", where="pieces")
        self._known, self._controls = of[NORMAL] | own, of[CONTROL] | of[UNKNOWN]
        self._unknown = next(iter(of[UNKNOWN].values()))
        self._bytes = [of[BYTE][f"<0x{byte:02X}>"] for byte in range(256)] if spec.model.byte_fallback else []
        self._own = one_of(own)
        scores = {piece: facts.scores[token] for piece, token in (self._known | unused).items()}
        self._rule = ByScore(scores)
        known = None if self._bytes else {piece for piece in self._known if len(piece) == 1}
        self._seams = Seams((piece for piece in scores if piece not in own), known)
        self._cleaners = list(_cleaners(facts.normalizer, own, facts.treat_whitespace_as_suffix))

    def explain(self, text: str, allowed: frozenset[str]) -> tuple[list[Notice], list[Stretch]]:
        notices, segments = listed(text, self._controls, allowed)
        return notices, [self._stretch(text[start:end], start, special) for start, end, special in segments]

    def _stretch(self, text: str, origin: int, special: int | None) -> Stretch:
        end = origin + len(text)
        if special is not None:
            return Stretch(origin, end, text, (), (Piece(text, origin, end, (special,), (text,), added=True),))
        cleaned, found = self._cleaners[-1][1].clean(text)
        places = [origin + place for place in found.of(range(len(cleaned) + 1))]
        pieces = [self._piece(cleaned, places, *part) for part in self._parts(cleaned)]
        return Stretch(origin, end, cleaned, tuple(self._changes(text)), tuple(pieces))

    def _changes(self, text: str) -> Iterator[Change]:
        states = [("", text), *((name, cleaner.text(text)) for name, cleaner in self._cleaners)]
        for (_, before), (name, after) in pairwise(states):
            if before != after:
                yield Change(name, before, after)

    def _parts(self, text: str) -> Iterator[tuple[int, int, bool]]:
        """Where the parts begin and end that are merged by themselves, and which are the user's own pieces."""
        at = 0
        for match in self._own.finditer(text) if self._own else ():
            yield from self._between(text, at, match.start())
            yield *match.span(), True
            at = match.end()
        yield from self._between(text, at, len(text))

    def _between(self, text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
        parts = [part for piece in self._seams.pieces(text[start:end]) for part in self._seams.cut(piece)]
        for left, right in pairwise(accumulate(map(len, parts), initial=start)):
            yield left, right, False

    def _piece(self, text: str, places: Sequence[int], start: int, end: int, own: bool) -> Piece:
        part, rank_of = text[start:end], self._rule.rank_of
        symbols = [part] if own else list(part)
        made, merged = watch(symbols, lambda u, v: rank_of.get(u + v, NEVER), lambda rank, u, v: u + v)
        ids = self._ids(merged)
        return Piece(
            part,
            places[start],
            places[end],
            tuple(ids),
            tuple(self._names[token] for token in ids),
            (Cut("user-defined piece" if own else "seam: no piece crosses"),),
            tuple(symbols),
            tuple(Merge(*step) for step in made),
        )

    def _ids(self, symbols: list[str]) -> list[int]:
        """Unknown characters become their bytes; or else neighbours of them become one token."""
        ids: list[int] = []
        for symbol in symbols:
            token = self._known.get(symbol, self._unknown)
            if token != self._unknown:
                ids.append(token)
            elif self._bytes:
                ids += [self._bytes[byte] for byte in symbol.encode()]
            elif not ids or ids[-1] != self._unknown:
                ids.append(token)
        return ids


def _cleaners(options: Cleaning, own: dict[str, int], suffix: bool) -> Iterator[tuple[str, Cleaner]]:
    """Cleaners that do one step more each; the last does all that the options say."""
    done = Cleaning(options.charsmap, False, False, False)
    yield "normalizer", Cleaner(done, own, suffix)
    for step in _STEPS:
        done = replace(done, **{step: getattr(options, step)})
        yield step, Cleaner(done, own, suffix)
