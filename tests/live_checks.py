"""What must hold of documents, streams, budgets and trusted parts, for any tokenizer and text."""

import random
from itertools import groupby, pairwise

import bpeek
from bpeek import Trusted
from bpeek.pipeline.decoders import BYTE_TOKEN
from bpeek.pipeline.run import Pipeline
from bpeek.spec import Step

from .live import Case


def rows(encoding):
    """Each token with everything that is said of it."""
    return list(zip(encoding.ids, encoding.offsets, encoding.offsets_bytes, encoding.offsets_utf16, strict=True))


class Edited:
    """A document beside a plain string: after every edit both are encoded alike."""

    def __init__(self, case: Case, text: str) -> None:
        self.tok, self.options, self.text = case.tok, case.options, text
        self.document = self.tok.document(text, **self.options)
        self.rows = self._encoded(text)
        assert self.document.ids == [row[0] for row in self.rows]
        self.template = len(self.tok.encode("", **self.options)) and len(self.document._after)

    def _encoded(self, text):
        return rows(self.tok.encode(text, **self.options))

    def replace(self, start: int, end: int, new: str) -> None:
        text = self.text[:start] + new + self.text[end:]
        now = self._encoded(text)
        change = self.document.replace(start, end, new)
        assert self.document.text == text
        assert self.document.ids == [row[0] for row in now]
        assert len(self.document) == len(now)
        told = rows(change)
        first, last = change.index, change.index + change.removed
        assert now[first : first + len(told)] == told
        assert now[:first] == self.rows[:first]
        grown = len(new) - (end - start)
        until = len(self.rows) - self.template
        moved = [(token, left + grown, right + grown) for token, (left, right), *_ in self.rows[last:until]]
        behind = now[first + len(told) : len(now) - self.template]
        assert moved == [(token, left, right) for token, (left, right), *_ in behind]
        self.text, self.rows = text, now

    def count(self, start: int, end: int) -> None:
        assert self.document.count(start, end) == self.tok.count(self.text[start:end], **self.options)

    def columns(self) -> None:
        ids, starts, ends, byte_starts, byte_ends = self.document.columns()
        spans = zip(ids, zip(starts, ends, strict=True), zip(byte_starts, byte_ends, strict=True), strict=True)
        assert list(spans) == [row[:3] for row in self.rows]


def edits(case: Case, rng: random.Random, steps: int = 6) -> None:
    edited = Edited(case, case.text())
    for _ in range(steps):
        size = len(edited.text)
        start = rng.randint(0, size)
        end = start if rng.random() < 0.4 else min(size, start + rng.choice([1, 1, 2, 5, 20, 1000]))
        new = "" if rng.random() < 0.25 else case.text(1)
        try:
            edited.replace(start, end, new[:1] if rng.random() < 0.3 else new)
        except bpeek.UnknownTokenError:  # as `encode` raises for this text
            return
        size = len(edited.text)
        first = rng.randint(0, size)
        edited.count(first, rng.randint(first, size))
    edited.columns()


def stream(case: Case, rng: random.Random) -> None:
    text = case.text()
    encoding = case.tok.encode(text, **case.options)
    encoder = case.tok.stream_encoder(**case.options)
    for _ in range(2):  # it begins anew after `finish`
        ids, offsets, at, most = [], [], 0, rng.choice([1, 2, 5, 50])
        while at < len(text):
            end = at + rng.randint(1, most)
            ids += encoder.feed(text[at:end])
            offsets += encoder.offsets
            at = end
        ids += encoder.finish()
        offsets += encoder.offsets
        assert ids == encoding.ids
        assert offsets == encoding.offsets


def decoding(case: Case, rng: random.Random) -> None:
    tok = case.tok
    found = tok.encode(case.text(), **case.options).ids
    some = [*range(min(tok.vocab_size, 400)), *tok.special_tokens.values(), *found]
    for ids in (found, rng.choices(some, k=rng.randint(0, 12)), rng.choices(found or [0], k=8)):
        skip = rng.random() < 0.5
        try:
            whole = tok.decode(ids, skip_special_tokens=skip)
        except bpeek.UnknownTokenError:
            continue
        decoder, parts, at = tok.stream_decoder(skip_special_tokens=skip), [], 0
        copied = rng.randint(0, len(ids))
        while at < len(ids):
            if at <= copied:
                second, so_far = decoder.copy(), "".join(parts) + f"|{at}"
            end = at + rng.randint(1, 3)
            parts.append(decoder.feed(ids[at:end] if end - at > 1 else ids[at]))
            at = end
        whole = whole if tok.spec.model.rule != "by_pair" else streamed(tok._road.pipeline, ids, skip)
        assert "".join(parts) + decoder.finish() == whole
        if ids:
            before, _, at = so_far.rpartition("|")
            assert before + second.feed(ids[int(at) :]) + second.finish() == whole


def streamed(pipeline: Pipeline, ids: list[int], skip: bool) -> str:
    """What a stream makes of ids: what decoding makes of them, with the complete characters that a run of byte tokens
    begins with as tokens of their own. That is the same but where the run is broken."""
    tokens: list[str] = []
    for is_byte, run in groupby(pipeline.tokens_of(ids, skip), lambda token: BYTE_TOKEN.fullmatch(token) is not None):
        run = list(run)
        if is_byte and characters_at_once(pipeline.spec.decoder):
            data = bytes([int(token[3:5], 16) for token in run])
            try:
                whole = data.decode()
            except UnicodeDecodeError as error:
                whole = data[: error.start].decode()
            tokens += whole
            run = run[len(whole.encode()) :]
        tokens += run
    text: str = pipeline._decode(tokens)
    return text


def characters_at_once(decoder: Step | None) -> bool:
    """Are bytes made characters while tokens are separate, and fused then?"""
    steps = flat(decoder) if decoder else []
    return any(one == "ByteFallback" and other == "Fuse" for one, other in pairwise([*steps, "Fuse"])) and (
        "ByteFallback" not in steps[steps.index("ByteFallback") + 1 :]
    )


def flat(decoder: Step) -> list[str]:
    inner = decoder["decoders"] if decoder["type"] == "Sequence" else None
    return [decoder["type"]] if inner is None else [each for step in inner for each in flat(step)]


def budgets(case: Case, rng: random.Random) -> None:
    tok, options, text = case.tok, case.options, case.text()

    def count(part: str) -> int:
        return tok.count(part, **options)

    full, template = count(text), count("")
    for n in {0, 1, max(0, full - 1), full, full + 1, rng.randint(0, full + 1), rng.randint(0, full + 1)}:
        assert tok.fits(text, n, **options) == (full <= n)
        for side in ("right", "left"):
            part = tok.truncate(text, n, side, **options)
            assert part.text == text[part.start : part.end]
            assert part.count == count(part.text) <= max(n, template)
            assert part.end == len(text) if side == "left" else part.start == 0
            assert part.text == text or full > n
        if n > template:
            chunks(case, text, n, rng.randint(0, n - 1), template)


def chunks(case: Case, text: str, n: int, overlap: int, template: int) -> None:
    at = 0
    try:
        for part in case.tok.chunks(text, n, overlap, **case.options):
            assert part.text == text[part.start : part.end]
            assert part.count == case.tok.count(part.text, **case.options) <= n
            assert part.start <= at < part.end
            repeated = case.tok.count(text[part.start : at], **case.options) - template
            assert part.start == at or repeated <= overlap
            at = part.end
    except bpeek.BpeekError as error:
        assert "has more than" in str(error)
    else:
        assert at == len(text)


def trusted(case: Case, rng: random.Random) -> None:
    tok, options = case.tok, case.options
    specials = sorted(tok._road.special_contents)
    parts = []
    for _ in range(rng.randint(0, 5)):
        part = case.text(1)
        if specials and rng.random() < 0.7:
            special = rng.choice(specials)
            cut = rng.randint(0, len(special))
            part = rng.choice([special, special + part, part + special, special[:cut], special[cut:]])
        parts.append(Trusted(part) if rng.random() < 0.5 else part)
    text = "".join(parts)
    try:
        encoding, without = tok.encode(parts, **options), tok.encode(list(map(str, parts)), **options)
    except bpeek.SpecialTokenError:
        return  # the vocabulary has a special token that merging reaches
    except bpeek.UnknownTokenError as error:
        assert error.token in parts and not specials.count(str(error.token))
        return
    policy = {} if tok.spec.format == "tokenizer.json" else {"allowed_special": "all"}
    assert tok.encode([Trusted(part) for part in parts], **options) == tok.encode(text, **options, **policy)
    assert without == tok.encode(text, allowed_special=(), disallowed_special=(), **options)
    inside = [isinstance(part, Trusted) for part in parts for _ in part]
    ids = {tok._road.id_of[special] for special in specials if special != tok.spec.model.unk_token}
    for token, (start, end), sequence in zip(encoding.ids, encoding.offsets, encoding.sequence_ids, strict=True):
        if token in ids and sequence is not None:
            assert all(inside[start:end])
    for start, end in encoding.lookalikes:
        assert text[start:end] in specials and not all(inside[start:end])


CHECKS = [edits, stream, decoding, budgets, trusted]
