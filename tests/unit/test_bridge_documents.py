"""Documents over the bridge: one call per edit, everything in one array, places in UTF-16 units."""

import random
from array import array

import pytest
from tests.texts import SNIPPETS
from tests.unit.tiny import columns

from bpeek import bridge


def units(text):
    return len(text.encode("utf-16-le")) // 2


@pytest.mark.parametrize("policy", ["special", "text"])
def test_edits_as_the_page_makes_them(handle, policy):
    rng = random.Random(5)
    text = "hello 漢😀<|end|> hello"
    opened = bridge.call("open", handle, text, policy)["ok"]
    document = opened["document"]
    assert columns({"ok": opened["columns"]}) == columns(bridge.call("encode", handle, text, policy))
    rows = list(zip(*columns({"ok": opened["columns"]}), strict=True))
    for _ in range(40):
        start = rng.randint(0, len(text))
        end = min(len(text), start + rng.choice([0, 0, 1, 3]))
        new = rng.choice([*SNIPPETS, "", "", "<|end|>"])
        changed = bridge.call("replace", document, units(text[:start]), units(text[:end]), new)["ok"]
        grown = units(new) - units(text[start:end]), len(new.encode()) - len(text[start:end].encode())
        text = text[:start] + new + text[end:]
        index, removed = changed[:2]
        told = list(zip(*columns({"ok": changed[2:]}), strict=True)) if len(changed) > 2 else []
        behind = [
            (token, first + grown[0], last + grown[0], first_byte + grown[1], last_byte + grown[1])
            for token, first, last, first_byte, last_byte in rows[index + removed :]
        ]
        rows = [*rows[:index], *told, *behind]
        assert rows == list(zip(*columns(bridge.call("encode", handle, text, policy)), strict=True))
        half = rng.randint(0, len(text))
        part = bridge.call("count_part", document, 0, units(text[:half]))["ok"]
        assert part == bridge.call("count", handle, text[:half], policy)["ok"]
    assert bridge.call("close", document) == {"ok": None}
    assert bridge.call("close", document) == {"ok": None}


def test_a_place_outside_is_an_error(handle):
    document = bridge.call("open", handle, "abc")["ok"]["document"]
    assert bridge.call("count_part", document, 2, 1)["error"]["name"] == "BpeekError"


def test_streams_give_what_the_whole_gives(handle):
    text = "hello 漢😀 hello<|end|> " * 3
    encoder = bridge.call("encoder", handle, "special")["ok"]
    ids = array("I")
    for at in range(0, len(text), 4):
        ids += bridge.call("feed", encoder, text[at : at + 4], False)["ok"]
    ids += bridge.call("feed", encoder, "", True)["ok"]
    assert ids == ids_of(handle, text)
    decoder = bridge.call("decoder", handle)["ok"]
    parts = [bridge.call("feed", decoder, [token], False)["ok"] for token in ids]
    parts.append(bridge.call("feed", decoder, [], True)["ok"])
    assert "".join(parts) == bridge.call("decode", handle, ids.tolist())["ok"]
    assert "\ufffd" not in "".join(parts)


def test_special_tokens_are_left_out_or_not(handle):
    ids = ids_of(handle, "a<|end|>b").tolist()
    for skip, text in ((True, "ab"), (False, "a<|end|>b")):
        assert bridge.call("decode", handle, ids, skip) == {"ok": text}
        stream = bridge.call("decoder", handle, skip)["ok"]
        assert bridge.call("feed", stream, ids, True) == {"ok": text}


def ids_of(number, text):
    return array("I", columns(bridge.call("encode", number, text, "special"))[0])
