"""``tokenizer.json`` explained: its pipeline taken step by step, each piece by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..errors import UnsupportedError
from ..pattern.branches import Branch, branches
from ..pipeline import normalizers, pretokenizers
from ..pipeline.added import Finder, touches_word
from ..pipeline.aligned import Aligned
from ..pipeline.run import Pipeline
from ..spec import Dialect, Step
from .merging import watch
from .notices import NOT_IN_THIS_CALL, Seen, notices
from .tree import Change, Cut, Merge, Notice, Piece, Stretch


class _Part(NamedTuple):
    """A part of the text on its way to be a piece, and what cut it out so far."""

    text: Aligned
    cuts: tuple[Cut, ...]


class PipedExplainer:
    words = True

    def __init__(self, pipeline: Pipeline) -> None:
        spec = pipeline.spec
        if spec.model.dropout:
            raise UnsupportedError(
                "with dropout every call merges otherwise; set it to null", feature="dropout", where="model.dropout"
            )
        self._pipeline = pipeline
        self._normalizers = [
            (step["type"], normalizers.build(step, spec.dialect)) for step in _flat(spec.normalizer, "normalizers")
        ]
        self._cutters = [_cutter(step, spec.dialect) for step in _flat(spec.pre_tokenizer, "pretokenizers")]

    def explain(self, text: str, allowed: frozenset[str]) -> tuple[list[Notice], list[Stretch]]:
        added = self._pipeline.added
        limit = None if allowed == added.special_contents else allowed
        raw, normalized = added.finder(False, limit), added.finder(True, limit)
        found = list(notices(text, raw.ids, _seen(raw, text), lambda start, end: (start, end)))
        stretches = []
        whole = Aligned.of(text)
        for start, end, id in raw.cut(text):
            segment = whole.slice(start, end)
            if id is not None:
                stretches.append(Stretch(start, end, segment.text, (), (_added(segment, id),)))
                continue
            segment, changes = self._normalized(segment)
            seen = [*_seen(normalized, segment.text), *_too_late(raw, text[start:end], segment.text)]
            found += notices(segment.text, {**raw.ids, **normalized.ids}, seen, segment.span)
            pieces = [
                piece
                for begin, finish, inner in normalized.cut(segment.text)
                for piece in self._pieces(segment.slice(begin, finish), inner)
            ]
            stretches.append(Stretch(start, end, segment.text, tuple(changes), tuple(pieces)))
        return sorted(found, key=lambda notice: notice.start), stretches

    def _normalized(self, segment: Aligned) -> tuple[Aligned, list[Change]]:
        changes = []
        for name, normalize in self._normalizers:
            before, segment = segment.text, normalize(segment)
            if segment.text != before:
                changes.append(Change(name, before, segment.text))
        return segment, changes

    def _pieces(self, segment: Aligned, added: int | None) -> Iterator[Piece]:
        if added is not None:
            yield _added(segment, added)
            return
        parts = [_Part(segment, ())] if segment.text else []
        for cut in self._cutters:
            parts = [smaller for part in parts for smaller in cut(part)]
        yield from map(self._piece, parts)

    def _piece(self, part: _Part) -> Piece:
        model, text = self._pipeline.model, part.text.text
        symbols = model.symbols(text)[0]
        made, ids = watch(symbols, model.rule.rank, lambda rank, left, right: model.rule.merged(rank))
        whole = model.vocab.get(text) if self._pipeline.spec.model.ignore_merges else None
        if whole is not None:
            ids = [whole]
        name = model.names.__getitem__
        return Piece(
            text,
            *part.text.span(0, len(text)),
            tuple(ids),
            tuple(map(name, ids)),
            part.cuts,
            tuple(map(name, symbols)),
            tuple(Merge(*step[:4], *map(name, step[4:])) for step in made),
            whole is not None,
        )


def _flat(step: Step | None, key: str) -> list[Step]:
    """A step as a list of steps without sequences."""
    if step is None:
        return []
    return [inner for each in step[key] for inner in _flat(each, key)] if step["type"] == "Sequence" else [step]


def _added(segment: Aligned, id: int) -> Piece:
    return Piece(segment.text, *segment.span(0, len(segment.text)), (id,), (segment.text,), added=True)


# Added tokens


def _seen(finder: Finder, text: str) -> Iterator[Seen]:
    taken = [(start, end) for start, end, id in finder.cut(text) if id is not None]
    for start, end in finder.find(text) if finder.find else ():
        token = text[start:end]
        record = finder.records[token]
        if record is None:
            yield Seen(token, start, end, False, NOT_IN_THIS_CALL)
        elif record.single_word and touches_word(text, start, end):
            yield Seen(token, start, end, False, "single_word: a letter, digit or underscore is right beside it")
        else:
            wider = any(left <= start and end <= right and (left, right) != (start, end) for left, right in taken)
            spaces = ", with the space beside it (lstrip or rstrip)" if wider else ""
            yield Seen(token, start, end, True, f"this call recognises it{spaces}")


def _too_late(raw: Finder, before: str, after: str) -> Iterator[Seen]:
    for token in raw.ids:
        if token in after and token not in before:
            at = after.index(token)
            why = "it is there only after normalization, and was looked for before"
            yield Seen(token, at, at + len(token), False, why)


# Steps that cut


def _cutter(step: Step, dialect: Dialect) -> Callable[[_Part], list[_Part]]:
    """A pre-tokenizer for one piece, that tells of each new piece what cut it out."""
    name = step["type"]
    run = pretokenizers.PRE_TOKENIZERS[name](step, dialect)
    source = pretokenizers.GPT2 if name == "ByteLevel" else (step.get("pattern") or {}).get("Regex")
    if name == "ByteLevel" and not step.get("use_regex", True):
        source = None

    def cut(part: _Part) -> list[_Part]:
        text = part.text.text
        aligned, spans = run(part.text, [(0, len(text))])
        parts = [aligned.slice(start, end) for start, end in spans]
        if source is None:
            own = (Cut(name),) if len(parts) > 1 else ()
            return [_Part(smaller, (*part.cuts, *own)) for smaller in parts]
        pattern = branches(source, dialect if name == "Split" else "oniguruma")
        if name == "ByteLevel":  # the pieces are bytes by now, and the pattern saw characters
            text = " " + text if step["add_prefix_space"] and text[0] != " " else text
            spans = pretokenizers.arranged(pattern.spans(text), len(text), "Isolated")
        found = [branch for branch in pattern.branches(text) if branch.start < branch.end]
        return [
            _Part(smaller, (*part.cuts, Cut(name, source, *_which(found, pattern.alternatives, *span))))
            for smaller, span in zip(parts, spans, strict=True)
        ]

    return cut


def _which(found: list[Branch], written: list[str], start: int, end: int) -> tuple[int | None, str | None]:
    """The alternative of the first match in a piece."""
    for branch in found:
        if start <= branch.start and branch.end <= end:
            return branch.alternative, written[branch.alternative]
    return None, None
