"""What an inspection finds, as plain data and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from .reach import Unreachable

SHOWN = 12  # of a long list, in the text


@dataclass(frozen=True, slots=True)
class PatternFacts:
    """A pattern that cuts text. ``covers``: every character is surely in some match."""

    step: str
    source: str
    dialect: str
    engine: str
    covers: bool
    alternatives: int


@dataclass(frozen=True, slots=True)
class RuleFacts:
    """The merge rules as a dictionary, in the words of ``docs/theory.md``.

    ``implied``: they are not listed; all ways to join two tokens to one are meant. Whether a dictionary is
    weakly and (strongly) proper is told of the listed rules, and of the useful ones, which decide;
    ``ranks_are_shared``: some tokens have one score, so that the rules have no order, and no bound holds.
    """

    count: int
    implied: bool
    useful: int
    useless: tuple[tuple[str, str], ...]
    twice: int
    weakly_proper: bool | None
    proper: bool | None
    useful_proper: bool
    improper_uses: tuple[tuple[str, str, str], ...]
    falling: int
    ranks_are_shared: bool


@dataclass(frozen=True, slots=True)
class Witness:
    """A text that SentencePiece's and Hugging Face's semantics take differently."""

    text: str
    sentencepiece: tuple[str, ...]
    hugging_face: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lookahead:
    """How much of the end of a piece later text can change, at most, in ``unit``. The bounds are ``None``
    where they do not apply: where the useful rules are not proper."""

    unit: str
    longest: int
    paper_bound: int | None
    chain_bound: int | None


@dataclass(frozen=True, slots=True)
class Inspection:
    """All that ``tok.inspect()`` finds. ``str()`` is for reading, ``to_dict()`` for other programs.

    ``same_semantics`` is ``True`` if proved, ``False`` if there is a ``witness``, and ``None`` if none was found
    among ``texts_compared`` texts; every witness would then have to make one of the tokens ``suspects``.
    ``only_whole`` are tokens that merging never makes, but that are found where a whole piece is looked up;
    ``only_in_context`` those that their own text alone does not give, with a text that does; ``partial`` those
    whose bytes are no text by themselves: they are not looked for in texts.
    """

    name: str | None
    format: str
    rule: str
    vocab_size: int
    added_tokens: int
    rules: RuleFacts
    same_semantics: bool | None
    witness: Witness | None
    texts_compared: int
    suspects: tuple[str, ...]
    lookahead: Lookahead
    unreachable: tuple[Unreachable, ...]
    only_whole: tuple[int, ...]
    only_in_context: tuple[tuple[int, str], ...]
    partial: tuple[int, ...]
    same_bytes: tuple[tuple[int, ...], ...]
    same_id: tuple[tuple[str, ...], ...]
    longest: tuple[tuple[int, str, int], ...]
    patterns: tuple[PatternFacts, ...]

    def __repr__(self) -> str:
        return (
            f"Inspection(name={self.name!r}, vocab_size={self.vocab_size}, useful_proper={self.rules.useful_proper}, "
            f"same_semantics={self.same_semantics}, unreachable={len(self.unreachable)})"
        )

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)

    def _repr_html_(self) -> str:
        from ..display import html

        return html.report(str(self))

    def __str__(self) -> str:
        return "\n".join(
            [
                f"{self.name or 'unnamed'} ({self.format}, {self.rule}): {self.vocab_size:,} tokens, "
                f"{self.added_tokens:,} of them added",
                *_rules(self.rules),
                *_semantics(self),
                *_lookahead(self.lookahead),
                *_tokens(self),
                *_patterns(self.patterns),
            ]
        )


def _rules(rules: RuleFacts) -> Iterator[str]:
    kind = "implied by the vocabulary" if rules.implied else "listed"
    yield f"Rules: {rules.count:,} {kind}, {rules.useful:,} of them useful" + (
        f", {rules.twice:,} listed twice" if rules.twice else ""
    )
    if rules.proper is not None:
        yield f"  as listed: {_proper(rules.weakly_proper)} weakly proper, {_proper(rules.proper)} strongly proper"
    shared = "; some tokens share a rank" if rules.ranks_are_shared else ""
    yield f"  the useful rules: {_proper(rules.useful_proper)} proper{shared}"
    if rules.improper_uses:
        uses = (f"{left!r} {right!r} needs {part!r}" for left, right, part in rules.improper_uses)
        yield f"  {len(rules.improper_uses):,} parts are made later than they are used: {_some(uses)}"
    if rules.falling:
        yield f"  in making {rules.falling:,} tokens, a rule of lower rank follows one of higher rank"


def _proper(value: bool | None) -> str:
    return "are" if value else "are not"


def _semantics(found: Inspection) -> Iterator[str]:
    start = "SentencePiece's and Hugging Face's semantics"
    if found.witness is not None:
        yield f"{start} differ, on {found.witness.text!r}:"
        yield f"  {' '.join(found.witness.sentencepiece)!r} and {' '.join(found.witness.hugging_face)!r}"
    elif found.same_semantics:
        why = "Lemma 1" if found.rules.useful_proper else "no rule gets in the way of another"
        yield f"{start} are the same ({why})"
    else:
        suspects = _some(map(repr, found.suspects))
        yield f"{start}: no difference found in {found.texts_compared:,} texts; one would have to make {suspects}"


def _lookahead(facts: Lookahead) -> Iterator[str]:
    if facts.chain_bound is None:
        yield f"Lookahead: no bound applies; the longest token has {facts.longest:,} {facts.unit}"
    else:
        bounds = f"at most {facts.chain_bound:,} {facts.unit} (chain bound; the paper's is {facts.paper_bound:,})"
        yield f"Lookahead: {bounds}; the longest token has {facts.longest:,}"


def _tokens(found: Inspection) -> Iterator[str]:
    proved = sum(each.proved for each in found.unreachable)
    yield f"Tokens that no text gives: {proved:,} proved, {len(found.unreachable) - proved:,} that none was found for"
    for (reason, is_proved), count in sorted(Counter((each.reason, each.proved) for each in found.unreachable).items()):
        of_reason = (each for each in found.unreachable if (each.reason, each.proved) == (reason, is_proved))
        shown = _some(f"{each.id} {each.token!r}" for each in of_reason)
        yield f"  {reason}{'' if is_proved else ', not proved'}: {count:,}: {shown}"
    if found.only_whole:
        yield f"Only as whole pieces, not by merging: {len(found.only_whole):,}: {_some(map(str, found.only_whole))}"
    if found.only_in_context:
        shown = _some(f"{id} in {text!r}" for id, text in found.only_in_context)
        yield f"Not by their own text alone: {len(found.only_in_context):,}: {shown}"
    yield f"Parts of characters: {len(found.partial):,} tokens"
    for ids in found.same_bytes[:SHOWN]:
        yield f"  the same bytes: {' '.join(map(str, ids))}"
    for names in found.same_id[:SHOWN]:
        yield f"  the same id: {' '.join(map(repr, names))}"
    yield "Longest: " + _some(f"{id} {_short(token)} ({size})" for id, token, size in found.longest[:3])


def _patterns(patterns: Iterable[PatternFacts]) -> Iterator[str]:
    for facts in patterns:
        covers = "covers all text" if facts.covers else "may leave text between matches"
        yield (
            f"Pattern of {facts.step}, {facts.dialect}, run by {facts.engine!r}: "
            f"{facts.alternatives} alternatives, {covers}\n  {facts.source}"
        )


def _short(token: str) -> str:
    """One character again and again is told with its number: nobody counts blanks."""
    return f"{token[0]!r} × {len(token)}" if len(token) > 3 and len(set(token)) == 1 else repr(token)


def _some(items: Iterable[str]) -> str:
    listed = list(items)
    return ", ".join(listed[:SHOWN]) + (", …" if len(listed) > SHOWN else "")
