"""A whole text in one pass, where no step looks beyond one character (Gemma: its line feeds are added tokens).

Each added token is replaced by a stand-in character; then one normalizing, one cutting at seams and one
round of look-ups do for all the stretches between them: 3 times as fast as stretch by stretch. No character's place
is followed, for tokens tell their widths: Llama's offsets come in half the time.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Mapping
from itertools import accumulate

from ..lookup import looked_up
from ..pattern.standins import has_astral
from ..spec import Spec, Step
from ..within import Within
from .added import AddedTokens, trie_pattern
from .columns import Columns
from .model import CACHED, LONGEST_CACHED, Parts, PieceModel
from .widths import Widths

FIRST = 0xF0000  # stand-ins are private use characters of plane 15
_STAND_INS = re.compile(f"([{chr(FIRST)}-{chr(FIRST + 0xFFFD)}])")


class WholeText:
    """Encodes whole texts. Use ``of``: it tells whether a tokenizer allows it. What it gives ``None`` for
    has to go the usual way."""

    def __init__(
        self, added: AddedTokens, pattern: str, rewriting: _Rewriting, separator: str, model: PieceModel, parts: Parts
    ) -> None:
        self._prefix, self._replaced = rewriting
        self._separator = separator
        stand_ins = {content: chr(FIRST + number) for number, content in enumerate(added.ids)}
        self._special = added.special_contents
        self._always = {content: char for content, char in stand_ins.items() if content not in self._special}
        self._stand_ins = stand_ins
        self._added = re.compile(f"({pattern})") if pattern else None
        packed = {stand_ins[content]: array("I", [id]).tobytes() for content, id in added.ids.items()}
        self._packed = _Packed(parts, packed)
        self._pieces = parts.seams.pieces
        # They agree where both have a name, and mostly the vocabulary has all: then no second table is made.
        contents = {id: token.content for id, token in added.by_id.items()}
        names = model.names if contents.keys() <= model.names.keys() else {**model.names, **contents}
        self._widths = Widths(names, model.byte_ids)

    @classmethod
    def of(cls, spec: Spec, added: AddedTokens, model: PieceModel) -> WholeText | None:
        tokens = spec.added_tokens
        plain = not any(token.normalized or token.single_word or token.lstrip or token.rstrip for token in tokens)
        if not plain or not len(tokens) == len(added.ids) == len(added.by_id) or len(added.ids) > 0xFFFD:
            return None
        names, vocab = model.names, model.vocab  # a token's width is told by its id
        if any(names.get(id, text) != text or vocab.get(text, id) != id for text, id in added.ids.items()):
            return None
        if not added.by_id.keys().isdisjoint(model.byte_ids):
            return None
        rewriting, separator = _rewriting(spec.normalizer), _separator(spec.pre_tokenizer)
        if rewriting is None or separator is None:
            return None
        pattern, parts = trie_pattern(added.ids), model.parts if model.cuts_everything else None
        return None if pattern is None or parts is None else cls(added, pattern, rewriting, separator, model, parts)

    def pack(self, text: str, allowed: frozenset[str] | None) -> bytes | None:
        """The ids as native unsigned 32-bit integers."""
        packed = self._pack(text, allowed)
        return None if packed is None else b"".join(packed)

    def encode(
        self, text: str, type_id: int, allowed: frozenset[str] | None
    ) -> tuple[Columns, Callable[[], list[str]]] | None:
        """The tokens of a text, but for the numbers of their words, and what spells them."""
        packed = self._pack(text, allowed)
        if packed is None:
            return None
        ids = array("I", b"".join(packed))
        firsts = [0, *accumulate(map(len, packed))][:-1:2]
        prefixed = [at // 4 for at, stretch in zip(firsts, packed[::2], strict=True) if stretch]
        starts, ends = self._widths.spans(ids, prefixed, len(self._prefix))
        columns = Columns(ids.tolist(), starts=starts, ends=ends)
        columns.complete(type_id)
        names = self._widths.names
        return columns, lambda: list(looked_up(names, ids))

    def _pack(self, text: str, allowed: frozenset[str] | None) -> list[bytes] | None:
        """The ids stretch by stretch: every other one is an added token where the others get a prefix; otherwise
        there is but one."""
        if isinstance(allowed, Within) or (has_astral(text) and _STAND_INS.search(text)):
            return None
        if self._added is not None:
            stand_ins = self._recognised(allowed)
            parts = self._added.split(text)  # (in half the time of `sub` with a function)
            parts[1::2] = [stand_ins.get(token, token) for token in parts[1::2]]
            text = "".join(parts)
        stretches = _STAND_INS.split(text) if self._prefix and has_astral(text) else [text]
        if self._prefix:
            stretches[::2] = [stretch and self._prefix + stretch for stretch in stretches[::2]]
        packed = []
        for stretch in stretches:
            for old, new in self._replaced.items():
                stretch = stretch.replace(old, new)
            if self._separator and self._separator in stretch:
                return None
            packed.append(b"".join(looked_up(self._packed, self._pieces(stretch))))
        return packed

    def _recognised(self, allowed: frozenset[str] | None) -> Mapping[str, str]:
        """The stand-ins of those added tokens that are not to stay text."""
        if allowed is None or allowed >= self._special:
            return self._stand_ins
        chosen = allowed & self._special
        # Mostly none is: no table of thousands is to be copied for each text.
        return self._always | {content: self._stand_ins[content] for content in chosen} if chosen else self._always


class _Packed(dict[str, bytes]):
    """Part of a text -> its ids; filled on demand."""

    def __init__(self, parts: Parts, stand_ins: Mapping[str, bytes]) -> None:
        self._parts, self._stand_ins = parts, stand_ins

    def __missing__(self, part: str) -> bytes:
        ids = self._between(part) if has_astral(part) else self._parts.pack(part)
        if len(part) <= LONGEST_CACHED:
            if len(self) >= CACHED:
                self.clear()
            self[part] = ids
        return ids

    def _between(self, part: str) -> bytes:
        stand_ins, parts = self._stand_ins, self._parts
        return b"".join(stand_ins.get(each) or parts[each] for each in _STAND_INS.split(part) if each)


# What a normalizer puts before a text, and the characters that it then replaces by others, in order.
_Rewriting = tuple[str, dict[str, str]]


def _rewriting(step: Step | None) -> _Rewriting | None:
    """``None`` if a normalizer does anything else."""
    if step is None:
        return "", {}
    prefix, replaced = "", dict[str, str]()
    for each in step["normalizers"] if step["type"] == "Sequence" else [step]:
        if each["type"] == "Prepend" and not replaced:
            prefix = each["prepend"] + prefix
            continue
        old, new = each["pattern"].get("String", "") if each["type"] == "Replace" else "", each.get("content", "")
        if not len(old) == len(new) == 1 or _STAND_INS.search(old + new) or old in replaced:
            return None
        replaced[old] = new
    return None if _STAND_INS.search(prefix) else (prefix, replaced)


def _separator(step: Step | None) -> str | None:
    """What a pre-tokenizer cuts texts at; ``None`` if it does not leave others alone."""
    if step is None:
        return ""
    if step["type"] != "Split" or (step["behavior"] == "Removed" and step["invert"]):
        return None
    return step["pattern"].get("String") or None
