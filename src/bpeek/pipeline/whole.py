"""A whole text in one pass, where no step looks beyond one character (Gemma: its line feeds are added tokens).

Each added token is replaced by a stand-in character; then one normalizing, one cutting at seams and one
round of look-ups do for all the stretches between them: 3 times as fast as stretch by stretch. No character's place
is followed, for tokens tell their widths: Llama's offsets come in half the time.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, cycle
from typing import cast

from ..encoding import Spans
from ..kernel import NEVER, Kernel, Marks, OnDemand, Unit
from ..lookup import looked_up
from ..pattern.standins import has_astral
from ..spec import Spec, Step
from ..within import Within
from .added import AddedTokens, trie_pattern
from .model import CACHED, LONGEST_CACHED, Parts, PieceModel
from .tokens import Tokens, converted
from .widths import Widths

Words = Callable[[], Sequence[int | None]]

FIRST = 0xF0000  # stand-ins are private use characters of plane 15
_STAND_INS = re.compile(f"([{chr(FIRST)}-{chr(FIRST + 0xFFFD)}])")


class WholeText:
    """Encodes whole texts. Use ``of``: it tells whether a tokenizer allows it. What it gives ``None`` for
    has to go the usual way."""

    def __init__(
        self,
        added: AddedTokens,
        pattern: str,
        rewriting: _Rewriting,
        separator: str,
        model: PieceModel,
        kernel: OnDemand,
    ) -> None:
        self._prefix, self._replaced = rewriting
        self._separator = separator
        stand_ins = {content: chr(FIRST + number) for number, content in enumerate(added.ids)}
        self._special = added.special_contents
        self._always = {content: char for content, char in stand_ins.items() if content not in self._special}
        self._stand_ins = stand_ins
        self._added = re.compile(f"({pattern})") if pattern else None
        self._ids, self._kernel, self._model = added.ids, kernel, model
        # They agree where both have a name, and mostly the vocabulary has all: then no second table is made.
        contents = {id: token.content for id, token in added.by_id.items()}
        names = model.names if contents.keys() <= model.names.keys() else {**model.names, **contents}
        self._widths = Widths(names, model.byte_ids)

    @classmethod
    def of(cls, spec: Spec, added: AddedTokens, model: PieceModel, kernel: OnDemand) -> WholeText | None:
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
        pattern = trie_pattern(added.ids)
        if pattern is None or not model.cuts_everything:
            return None
        return cls(added, pattern, rewriting, separator, model, kernel)

    def ids(self, text: str, allowed: frozenset[str] | None) -> array[int] | None:
        kernel = self._kernel(len(text))
        if kernel is not None and not isinstance(allowed, Within):
            compiled = self._compiled(kernel, *self._split(text, allowed))
            return None if compiled is None else compiled[1]
        packed = self._pack(text, allowed)
        return None if packed is None else array("I", b"".join(packed))

    def encode(self, text: str, allowed: frozenset[str] | None, words: Words) -> Tokens | None:
        """The tokens of a text. ``words`` tells the numbers of their words."""
        kernel = self._kernel(len(text))
        if kernel is None or isinstance(allowed, Within):
            return self._in_python(text, allowed, words)
        stretches, ids = self._split(text, allowed)
        if self._prefix and self._kernel(len(text) // len(stretches)) is None:  # each is a call, and too short for one
            return self._in_python(text, allowed, words)
        if self._prefix and len(stretches) > 1:
            each = [self._compiled(kernel, [stretch], [id]) for stretch, id in zip(stretches, ids, strict=True)]
            packed = [found.tobytes() for _, found in filter(None, each)]
            of_text = [id == NEVER for id in ids]
            return self._tokens(text, packed, of_text, words) if len(packed) == len(each) else None
        compiled = self._compiled(kernel, stretches, ids)
        return None if compiled is None else _Compiled(text, *compiled, self._widths.names, kernel, words)

    # --- in the kernel -------------------------------------------------------------------------------------

    def _compiled(self, kernel: Kernel, parts: list[str], ids: list[int]) -> tuple[str, array[int]] | None:
        """Added tokens and what lies between them, as the kernel gets them, and the ids that it gives."""
        if self._prefix:
            parts = [self._prefix + part if id == NEVER else part for part, id in zip(parts, ids, strict=True)]
        text = self.replace("".join(parts))
        if self._separator and self._separator in text:
            return None
        found = kernel.encode(text, Marks([*accumulate(map(len, parts))], ids))
        return None if found is None else (text, found)

    def _split(self, text: str, allowed: frozenset[str] | None) -> tuple[list[str], list[int]]:
        """Added tokens, each with its id, and what lies between them; nothing empty."""
        if self._added is None or self._added.search(text) is None:
            return [text], [NEVER]
        recognised, id_of = self._recognised(allowed), self._ids
        parts, ids = list[str](), list[int]()
        kept = ""
        for place, part in enumerate(self._added.split(text)):
            if place % 2 == 0 or part not in recognised:
                kept += part
                continue
            if kept:
                parts.append(kept)
                ids.append(NEVER)
            parts.append(part)
            ids.append(id_of[part])
            kept = ""
        return ([*parts, kept], [*ids, NEVER]) if kept else (parts, ids)

    def replace(self, text: str) -> str:
        """The text with characters replaced as the normalizer does it."""
        for old, new in self._replaced.items():
            text = text.replace(old, new)
        return text

    # --- in Python -----------------------------------------------------------------------------------------

    def _in_python(self, text: str, allowed: frozenset[str] | None, words: Words) -> Tokens | None:
        packed = self._pack(text, allowed)
        return None if packed is None else self._tokens(text, packed, cycle([True, False]), words)

    @cached_property
    def _packed(self) -> _Packed:
        ids = self._ids
        packed = {char: array("I", [ids[content]]).tobytes() for content, char in self._stand_ins.items()}
        return _Packed(cast(Parts, self._model.parts), packed)

    def _tokens(self, text: str, packed: list[bytes], of_text: Iterable[bool], words: Words) -> Tokens:
        """Tokens that are packed stretch by stretch, of text or added tokens."""
        firsts = accumulate((len(each) // 4 for each in packed), initial=0)
        prefixed = [at for at, each, prefixed in zip(firsts, packed, of_text, strict=False) if each and prefixed]
        return _Whole(text, array("I", b"".join(packed)), self._widths, prefixed, len(self._prefix), words)

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
            stretch = self.replace(stretch)
            if self._separator and self._separator in stretch:
                return None
            packed.append(b"".join(looked_up(self._packed, self._packed.pieces(stretch))))
        return packed

    def _recognised(self, allowed: frozenset[str] | None) -> Mapping[str, str]:
        """The stand-ins of those added tokens that are not to stay text."""
        if allowed is None or allowed >= self._special:
            return self._stand_ins
        chosen = allowed & self._special
        # Mostly none is: no table of thousands is to be copied for each text.
        return self._always | {content: self._stand_ins[content] for content in chosen} if chosen else self._always


class _Tokens(Tokens):
    def __init__(self, text: str, ids: array[int], names: Mapping[int, str], words: Words) -> None:
        super().__init__(text, ids.tolist())
        self._packed, self._names, self._words = ids, names, words

    def tokens(self) -> list[str]:
        return list(looked_up(self._names, self.ids))

    def words(self) -> Sequence[int | None]:
        return self._words()


class _Whole(_Tokens):
    """Their widths tell where they lie."""

    def __init__(
        self, text: str, ids: array[int], widths: Widths, prefixed: Sequence[int], prefix: int, words: Words
    ) -> None:
        super().__init__(text, ids, widths.names, words)
        self._widths, self._prefixed, self._prefix = widths, prefixed, prefix

    def spans(self, unit: Unit) -> Spans:
        return converted(unit, self.text, Spans(*self._widths.spans(self.ids, self._prefixed, self._prefix)))


class _Compiled(_Tokens):
    """The kernel tells where they lie. ``normalized`` is the text as it gets it, character for character."""

    def __init__(
        self, text: str, normalized: str, ids: array[int], names: Mapping[int, str], kernel: Kernel, words: Words
    ) -> None:
        super().__init__(text, ids, names, words)
        self._kernel, self._normalized = kernel, normalized

    def spans(self, unit: Unit) -> Spans:
        prefix = len(self._normalized) - len(self.text)
        # The kernel counts characters of a prefix, and does not look for the one behind all of them.
        if unit == "bytes" or (unit == "UTF-16" and (prefix > 1 or has_astral(self._normalized[:prefix]))):
            return converted(unit, self.text, self.spans("code points"))
        return Spans(*self._kernel.spans(self._normalized, self._packed, unit, prefix))


class _Packed(dict[str, bytes]):
    """Part of a text -> its ids; filled on demand."""

    def __init__(self, parts: Parts, stand_ins: Mapping[str, bytes]) -> None:
        self._parts, self._stand_ins = parts, stand_ins
        self.pieces = parts.seams.pieces

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
