"""What a vocabulary is like: ``tok.inspect()``. See ``docs/theory.md`` for the words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import UnsupportedError
from ..pattern.branches import branches
from ..roads import Road
from ..spec import Spec
from ..theory import Dictionary, Rule, chain_bound, paper_bound
from .candidates import candidates, flat, patterns, why_for
from .reach import Reach, Unreachable, byte_tokens, reach
from .report import Inspection, Lookahead, PatternFacts, RuleFacts, Witness
from .rules import Rules
from .semantics import compare

__all__ = ["Inspection", "Lookahead", "PatternFacts", "RuleFacts", "Unreachable", "Witness", "inspect"]

LONGEST = 10  # tokens that are listed as the longest


def inspect(spec: Spec, road: Road) -> Inspection:
    """Everything about a tokenizer's vocabulary."""
    if spec.model.dropout:
        message = "with dropout every call merges otherwise; set it to null"
        raise UnsupportedError(message, feature="dropout", where="model.dropout")
    rules = Rules(spec.model)
    improper = list(Dictionary(rules.useful).improper_uses())
    semantics = compare(rules, improper)
    facts = _rules(rules, improper)
    proper = facts.useful_proper
    lookahead = Lookahead(
        _unit(spec, rules),
        max(map(len, rules.tokens), default=0),
        paper_bound(rules.useful) if proper else None,
        chain_bound(rules.useful) if proper else None,
    )
    added = {token.id for token in spec.added_tokens}
    found = _reach(spec, road, rules, added)
    shown = rules.shown
    return Inspection(
        name=spec.name,
        format=spec.format,
        rule=spec.model.rule,
        vocab_size=len(road.id_of),
        added_tokens=len(added),
        rules=facts,
        same_semantics=semantics.same,
        witness=None
        if semantics.witness is None
        else Witness(
            shown(semantics.witness), tuple(map(shown, semantics.leftmost)), tuple(map(shown, semantics.in_rounds))
        ),
        texts_compared=semantics.tried,
        suspects=tuple(map(shown, semantics.suspects)),
        lookahead=lookahead,
        unreachable=tuple(found.unreachable),
        only_whole=tuple(found.only_whole),
        only_in_context=tuple(found.only_in_context),
        partial=tuple(found.partial),
        same_bytes=_same_bytes(spec, road),
        same_id=_same_id(road),
        longest=_longest(road, rules),
        patterns=tuple(_patterns(spec)),
    )


# Rules


def _rules(rules: Rules, improper: Sequence[tuple[Rule, str]]) -> RuleFacts:
    listed = Dictionary(rules.listed) if rules.model.rule == "by_pair" else None
    useful, shown = set(rules.useful), rules.shown
    useless = [] if listed is None else [rule for rule in listed.rank if rule not in useful]
    return RuleFacts(
        count=rules.count,
        implied=listed is None,
        useful=len(useful),
        useless=tuple((shown(left), shown(right)) for left, right in useless),
        twice=0 if listed is None else len(listed.rules) - len(listed.rank),
        weakly_proper=None if listed is None else listed.is_weakly_proper,
        proper=None if listed is None else listed.is_proper,
        useful_proper=not improper and not rules.ranks_are_shared,
        improper_uses=tuple((shown(left), shown(right), shown(part)) for (left, right), part in improper),
        falling=sum(not each.monotone for each in rules.made.values()),
        ranks_are_shared=rules.ranks_are_shared,
    )


def _unit(spec: Spec, rules: Rules) -> str:
    in_bytes = rules.model.rule == "by_rank" or any(
        step["type"] == "ByteLevel" for step in (*flat(spec.normalizer), *flat(spec.pre_tokenizer))
    )
    return "bytes" if in_bytes else "characters"


# Tokens


def _reach(spec: Spec, road: Road, rules: Rules, added: set[int]) -> Reach:
    of_bytes = _byte_ids(spec, road)
    unknown = None if spec.model.unk_token is None else road.token_to_id(spec.model.unk_token)
    of_unknown = {*of_bytes.values(), *([] if unknown is None else [unknown])}

    def encode(text: str) -> Sequence[int]:
        return road.ids(text, frozenset())

    looks_whole = spec.model.rule == "by_rank" or spec.model.ignore_merges
    # Where bytes of unknown characters may merge, tokens can come from others than their own symbols.
    sure = of_unknown.isdisjoint(road.token_to_id(part) for rule in spec.model.merges for part in rule)
    found = reach(candidates(spec, rules, road, added | of_unknown), encode, looks_whole, sure, why_for(spec, road))
    given = byte_tokens(of_bytes, encode)
    for byte, id in of_bytes.items():
        if byte not in given:
            found.unreachable.append(_byte_never(byte, id, road))
    for token in spec.added_tokens:
        ids = road.ids(token.content, road.special_contents)
        if token.id not in ids:
            detail = "it is not found in its own text"
            found.unreachable.append(Unreachable(token.id, token.content, "other", detail, False, tuple(ids)))
    found.unreachable.sort(key=lambda each: each.id)
    return found


def _byte_ids(spec: Spec, road: Road) -> dict[int, int]:
    """The tokens of the bytes of unknown characters, by the byte."""
    if not spec.model.byte_fallback:
        return {}
    ids = ((byte, road.token_to_id(f"<0x{byte:02X}>")) for byte in range(256))
    return {byte: id for byte, id in ids if id is not None}


def _byte_never(byte: int, id: int, road: Road) -> Unreachable:
    if byte < 0x80:
        ids = tuple(road.ids(chr(byte), frozenset()))
        return Unreachable(id, road.spelling(id), "its character is a token", repr(chr(byte)), True, ids)
    if byte in (0xC0, 0xC1) or byte >= 0xF5:
        return Unreachable(id, road.spelling(id), "not UTF-8", "no text in UTF-8 has this byte", True, ())
    # All characters of two bytes were tried, and some of those with more.
    detail = "all characters with it are tokens"
    return Unreachable(id, road.spelling(id), "its character is a token", detail, 0xC0 <= byte < 0xE0, ())


def _same_bytes(spec: Spec, road: Road) -> tuple[tuple[int, ...], ...]:
    """Tokens that stand for the same bytes, but for those of bytes of unknown characters."""
    apart = set(_byte_ids(spec, road).values())
    groups: dict[bytes, list[int]] = {}
    for id in sorted(set(road.id_of.values())):
        if id not in apart:
            groups.setdefault(road.token_bytes(id), []).append(id)
    return tuple(tuple(ids) for ids in groups.values() if len(ids) > 1)


def _same_id(road: Road) -> tuple[tuple[str, ...], ...]:
    names: dict[int, list[str]] = {}
    for token, id in road.id_of.items():
        names.setdefault(id, []).append(token if isinstance(token, str) else token.decode("utf-8", "backslashreplace"))
    return tuple(tuple(each) for each in names.values() if len(each) > 1)


def _longest(road: Road, rules: Rules) -> tuple[tuple[int, str, int], ...]:
    sizes = sorted((-len(token), id) for token, id in rules.tokens.items())[:LONGEST]
    return tuple((id, road.spelling(id), -size) for size, id in sizes)


# Patterns


def _patterns(spec: Spec) -> Iterator[PatternFacts]:
    for step, source in patterns(spec):
        told = branches(source, spec.dialect)
        yield PatternFacts(step["type"], source, spec.dialect, told.engine, told.covers, len(told.alternatives))
