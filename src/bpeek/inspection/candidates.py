"""The tokens of a model and the text that each stands for; and what keeps a text from being one piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..bytechars import to_bytes
from ..pattern import compile as compile_pattern
from ..pattern.factors import Factors, factors
from ..pipeline.pretokenizers import GPT2
from ..pipeline.run import Pipeline
from ..roads import Road
from ..roads.cleaner import SPACE, Cleaner, one_of
from ..roads.piped import Piped
from ..spec import USER_DEFINED, Model, SentencePiece, Spec, Step
from .reach import Candidate, Why
from .rules import Rules

_FORMS = ("NFC", "NFD", "NFKC", "NFKD")


def flat(step: Step | None) -> list[Step]:
    """A step as a list of steps without sequences."""
    if step is None:
        return []
    inner = step.get("pretokenizers", step.get("normalizers"))
    return [step] if inner is None else [each for one in inner for each in flat(one)]


def candidates(spec: Spec, rules: Rules, road: Road, apart: set[int]) -> Iterator[Candidate]:
    """All tokens but those that are ``apart``."""
    data_of, is_piece = _speller(spec), _pieces(spec, road)
    prefixed, facts = _adds_space(spec), spec.model.sentencepiece
    own = {id for id, kind in enumerate(facts.types) if kind == USER_DEFINED} if facts else set()  # taken whole
    for token, id in rules.tokens.items():
        if id in apart:
            continue
        name = road.spelling(id)
        data = token.encode("latin-1") if spec.model.rule == "by_rank" else data_of(name)
        texts = _ways(data, prefixed)
        piece = bool(texts) and is_piece(texts[0], name)
        made = len(token) == 1 or token in rules.made or id in own
        yield Candidate(id, name, data, texts, made, piece)


def _ways(data: bytes, prefixed: bool) -> tuple[str, ...]:
    """How to write a token by itself, where a space may be added to every text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ()
    if not prefixed:
        return (text,)
    return (text[1:], text, "\n" + text) if text.startswith(" ") and len(text) > 1 else (text, "\n" + text)


def _adds_space(spec: Spec) -> bool:
    facts = spec.model.sentencepiece
    return (facts is not None and facts.normalizer.add_dummy_prefix) or any(
        step["type"] == "Prepend" or step.get("add_prefix_space") or step.get("prepend_scheme", "never") != "never"
        for step in (*flat(spec.normalizer), *flat(spec.pre_tokenizer))
    )


def _pieces(spec: Spec, road: Road) -> Callable[[str, str], bool]:
    """Does a text come to the model as one piece that is spelled like the token?"""
    if isinstance(road, Piped):
        pipeline = road.pipeline

        def is_piece(text: str, name: str) -> bool:
            segments = list(pipeline.segments(text, False, frozenset()))
            if len(segments) != 1 or segments[0][1] is not None:
                return False
            aligned, spans = pipeline.pre_tokenize(segments[0][0])
            return aligned.text == name and spans == [(0, len(name))]

        return is_piece
    if spec.model.rule == "by_rank":
        find = compile_pattern((spec.pre_tokenizer or {})["pattern"]["Regex"], spec.dialect).findall
        return lambda text, name: find(text) == [text]
    return lambda text, name: False


def _speller(spec: Spec) -> Callable[[str], bytes]:
    """From the spelling of a token to the bytes that it stands for."""
    steps = [*flat(spec.normalizer), *flat(spec.pre_tokenizer)]
    if any(step["type"] == "ByteLevel" for step in steps):
        return _of_byte_alphabet
    spaces = {SPACE} if spec.model.rule == "by_score" else set(filter(None, map(_space, steps)))
    model = spec.model

    def data_of(name: str) -> bytes:
        name = _without_affixes(name, model)
        for space in spaces:
            name = name.replace(space, " ")
        return name.encode()

    return data_of


def _of_byte_alphabet(name: str) -> bytes:
    try:
        return to_bytes(name)
    except KeyError:
        return name.encode()


def _space(step: Step) -> str | None:
    """What a step writes for a space."""
    if step["type"] == "Replace" and step["pattern"].get("String") == " ":
        return str(step["content"])
    return str(step["replacement"]) if step["type"] == "Metaspace" else None


def _without_affixes(name: str, model: Model) -> str:
    return (name.removesuffix(model.end_of_word_suffix) or name).removeprefix(model.continuing_subword_prefix) or name


# Why a text is not one piece


def why_for(spec: Spec, road: Road) -> Callable[[str], Why]:
    """What keeps a text from being one piece of this tokenizer."""
    apart = _apart(spec)
    if isinstance(road, Piped):
        return _of_pipeline(road.pipeline, apart)
    if spec.model.rule == "by_rank":
        pattern = compile_pattern((spec.pre_tokenizer or {})["pattern"]["Regex"], spec.dialect)
        return lambda text: _cut(pattern.findall(text), apart(text))
    return _of_cleaning(spec)


def _apart(spec: Spec) -> Callable[[str], bool]:
    """Is it sure that no piece holds a text?"""
    every: list[Factors] = []
    if any(step["type"] not in _FORMS for step in flat(spec.normalizer)):
        return lambda text: False  # the patterns see other characters
    for step, source in patterns(spec):
        only_matches = step["type"] == "Split" and step["behavior"] == "Removed" and step["invert"]
        isolated = step["type"] == "ByteLevel" or step["behavior"] == "Isolated"
        if only_matches or (isolated and compile_pattern(source, spec.dialect).covers):
            every.append(factors(source, spec.dialect))
    return lambda text: not all(each.may_hold(text) for each in every)


def patterns(spec: Spec) -> Iterator[tuple[Step, str]]:
    """The steps that cut by a pattern, and their patterns."""
    for step in flat(spec.pre_tokenizer):
        if step["type"] == "Metaspace":
            return  # from here on, there are no spaces
        source = (step.get("pattern") or {}).get("Regex")
        if step["type"] == "ByteLevel" and step.get("use_regex", True):
            source = GPT2
        if source is not None:
            yield step, source
        if step["type"] == "ByteLevel":
            return  # from here on, characters are bytes


def _cut(pieces: list[str], apart: bool) -> Why:
    if len(pieces) == 1:
        return Why("other", "by itself it is one piece, which is merged otherwise")
    return Why("cut by the pattern", " | ".join(map(repr, pieces)), apart)


def _of_pipeline(pipeline: Pipeline, apart: Callable[[str], bool]) -> Callable[[str], Why]:
    forms = [step["type"] in _FORMS for step in flat(pipeline.spec.normalizer)]

    def why(text: str) -> Why:
        segments = list(pipeline.segments(text, True, frozenset()))
        added = [segment.text for segment, id in segments if id is not None]
        if added:
            return Why("shadowed by an added token", " ".join(map(repr, added)))
        changed = pipeline.normalize_plain(text)
        if changed != text and (len(changed) != len(text) or changed.replace(SPACE, " ") != text):
            # Every part of a text in a normal form is in that form.
            return Why("changed by normalization", repr(changed), forms == [True])
        pieces = [text]
        for segment, _ in segments:
            aligned, spans = pipeline.pre_tokenize(segment)
            pieces = [aligned.text[start:end] for start, end in spans]
        return _cut(pieces, apart(text))

    return why


def _of_cleaning(spec: Spec) -> Callable[[str], Why]:
    facts = spec.model.sentencepiece or SentencePiece((), b"")
    own = [str(piece) for piece, kind in zip(spec.model.vocab, facts.types, strict=True) if kind == USER_DEFINED]
    cleaner, found = Cleaner(facts.normalizer, own, facts.treat_whitespace_as_suffix), one_of(own)

    def why(text: str) -> Why:
        if found and (shadows := found.findall(text)):
            return Why("shadowed by an added token", " ".join(map(repr, shadows)))
        changed = cleaner.text(text)
        if changed.replace(SPACE, " ") not in (text, " " + text, text + " "):
            return Why("changed by normalization", repr(changed))
        return Why("other", "merged otherwise in every text that was tried")

    return why
