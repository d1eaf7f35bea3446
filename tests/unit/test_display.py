"""Encodings and comparisons as HTML, JSON, CSV and in terminals: whole, escaped, and useful without colours."""

import csv
import io
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import html5lib
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.conftest import tokenizer
from tests.live import clip_like
from tests.texts import soup
from tests.unit.tiny import FILE

import bpeek
import vocabs
from bpeek.display import html

SOURCE = str(Path(bpeek.__file__).parents[1])
HOSTILE = [
    *("<script>alert(1)</script>", "</span></div></style>", "<!--", "-->", "<![CDATA[", "<img src=x onerror=alert(1)>"),
    *("&amp;", "&#60;", "&lt", '"', "'", "` onmouseover=", '" title="x', "=1+1", ",", ";", '""', "|", "\\", "${x}"),
    *("\x1b[31m", "\x1b]0;title\x07", "\x9b1m", "\x00", "\r", "\r\n", "\x0c", "\x85", "\u2028"),
    *("\u202e", "\u2066", "\u2069", "\u200f", "\u061c", "\u0301", "\u0301\u0316", "\u200d", "\ufe0f", "\ufeff"),
    *("\ufffe", "\U0010ffff", "\U000e0041", "<|endoftext|>", "<s>", "\u2581"),
]
hostile = st.lists(st.sampled_from(HOSTILE) | soup, max_size=8).map("".join)
NAMES = ["cl100k_base", "llama3", "llama2", "mistral_v3", "gemma3"]
TOKENIZERS = {name: (lambda name=name: tokenizer(name)) for name in NAMES}
TOKENIZERS |= {"clip": clip_like, "gaps": lambda: bpeek.load(FILE, pattern=r"\p{L}+")}
each_tokenizer = st.sampled_from(sorted(TOKENIZERS)).map(lambda name: TOKENIZERS[name]())

# What a parser has to say of characters that a text may hold.
OF_CHARACTERS = {"invalid-codepoint", "illegal-codepoint-for-numeric-entity"}
ELEMENTS = set("div style p b span details summary table thead tbody tr th td code br".split())
ATTRIBUTES = set("class style tabindex title dir data-label data-m data-n scope role aria-label".split())


def parsed(fragment):
    """The only element of a fragment; it is HTML without an error, and holds nothing that could run or load."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    (element,) = parser.parseFragment(fragment)
    assert not [error for _, error, _ in parser.errors if error not in OF_CHARACTERS]
    for part in element.iter():
        assert part.tag in ELEMENTS and set(part.attrib) <= ATTRIBUTES
    (style,) = element.iter("style")
    assert "url(" not in style.text and "@import" not in style.text
    return element


def of_class(element, name):
    return [part for part in element.iter() if name in part.get("class", "").split()]


def text_of(element):
    return "".join(element.itertext())


def in_html(text):
    """HTML has no U+0000."""
    return text.replace("\x00", "")


def unfenced(element, fenced=False):
    """The text that is in nothing that keeps its order to itself."""
    fenced = fenced or not {"bp-fenced", "bp-glyph"}.isdisjoint(element.get("class", "").split())
    inner = "".join(unfenced(child, fenced) + ("" if fenced else child.tail or "") for child in element)
    return inner if fenced else (element.text or "") + inner


@settings(max_examples=80)
@given(hostile, each_tokenizer)
@example("<|endoftext|>\r\n\x00\r", tokenizer("cl100k_base"))
@example("漢字 👩\u200d💻\u0301", tokenizer("mistral_v3"))
@example("a \u202e b", TOKENIZERS["gaps"]())
def test_without_its_tags_the_html_is_the_text(text, tok):
    encoding = tok.encode(text)
    element = parsed(encoding._repr_html_())
    (shown,) = of_class(element, "bp-text")
    assert text_of(shown) == in_html(encoding.texts[0])
    assert not re.search("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", unfenced(shown))
    # Each token is drawn, in order; one that shows in several places is the same token everywhere.
    ids = [
        re.search(r"^id (\d+), token (\d+)$", part.get("title"), re.MULTILINE).groups()
        for part in of_class(shown, "bp-t")
    ]
    assert list(dict.fromkeys(ids)) == [(str(token), str(index)) for index, token in enumerate(encoding.ids)]
    # Nothing in a tooltip or a label can reorder or hide what is beside it.
    for part in shown.iter():
        for name in ("title", "data-label"):
            assert all(char.isprintable() for line in part.get(name, "").split("\n") for char in line)


@settings(max_examples=60)
@given(hostile, hostile)
def test_a_pair_is_two_texts(one, two):
    encoding = tokenizer("llama3").encode(one, two)
    shown = of_class(parsed(encoding.to_html()), "bp-text")
    expected = [in_html(text) for text in encoding.texts]
    assert [text_of(each) for each in shown] in (expected, expected[:1] if not two else expected)


@settings(max_examples=60)
@given(hostile, st.sampled_from(["llama2", "llama3", "o200k_base", "mistral_v3"]))
@example("e\u0301 👩\u200d💻\n", "llama2")
def test_a_comparison_is_the_text_with_a_row_for_each_where_they_differ(text, other):
    found = bpeek.compare(text, {"<b>one": tokenizer("cl100k_base"), "two\u202e x": tokenizer(other)})
    element = parsed(found._repr_html_())
    (shown,) = of_class(element, "bp-text")
    rest = []
    for part in list(shown):
        if part.tag == "br":
            continue
        rows = of_class(part, "bp-row")
        assert len(rows) in (0, 2) and len({text_of(row) for row in rows}) < 2
        assert (part.get("aria-label") == "cut differently") == bool(rows)
        rest.append(text_of(rows[0] if rows else part))
    assert "".join(rest) == in_html(found.text)
    (legend,) = of_class(element, "bp-legend")
    assert text_of(legend).isprintable() and "<b>one" in text_of(legend)
    assert bool(of_class(shown, "bp-differ")) == any(not each.agree for each in found.segments)


def test_a_character_is_drawn_once():
    element = parsed(tokenizer("cl100k_base").encode("漢 👩‍💻")._repr_html_())
    glyphs = of_class(element, "bp-glyph")
    assert [text_of(glyph) for glyph in glyphs] == ["漢", "👩‍💻"]
    assert [len(of_class(slices, "bp-t")) for slices in of_class(element, "bp-slices")] == [2, 6]
    assert "bytes 0–2: e6 bc" in of_class(element, "bp-t")[0].get("title")
    assert "\ufffd" not in text_of(element)


def test_special_tokens_and_what_looks_like_them():
    tok = tokenizer("cl100k_base")
    element = parsed(tok.encode([bpeek.Trusted("<|endoftext|>"), "a<|endoftext|>b"])._repr_html_())
    assert [text_of(part) for part in of_class(element, "bp-special")] == ["<|endoftext|>"]
    (frame,) = of_class(element, "bp-like")
    assert text_of(frame).strip("ab") == "<|endoftext|>" and "read as text" in frame.get("title")
    (added,) = of_class(parsed(tokenizer("llama2").encode("a")._repr_html_()), "bp-empty")
    assert added.get("data-label") == "<s>" and "bp-special" in added.get("class")
    assert "not from the text" in added.get("title")


def test_the_colours_are_those_of_the_web_component():
    root = Path(__file__).parents[2]
    pair = r"(light-dark\([^)]*\))"
    web = (root / "web/src/token-style.ts").read_text(encoding="utf-8")
    sheet = html.style()
    for name, ours in {"--token-": "--fill", "--token-line-": "--under"}.items():
        theirs = re.findall(rf"{name}\d, {pair}", web)
        assert len(theirs) == html.HUES and re.findall(rf"{ours}: {pair}", sheet) == theirs


def test_huge_encodings_are_cut_short():
    encoding = tokenizer("cl100k_base").encode("漢字" * 100_000)
    page = encoding._repr_html_()
    assert len(page) < 500_000
    assert f"… and {len(encoding) - 1000:,} more tokens" in page
    assert len(of_class(parsed(page), "bp-t")) == 1000
    assert len(of_class(parsed(encoding.to_html(limit=10)), "bp-t")) == 10
    assert encoding.to_html(page=True, limit=3).startswith("<!DOCTYPE html>")
    found = tokenizer("cl100k_base").compare("to be or not to be " * 1000, tokenizer("llama2"))
    assert "more segments" in found._repr_html_() and "more segments" in shown(found)


def test_other_cards():
    tok = tokenizer("cl100k_base")
    card = text_of(parsed(tok._repr_html_()))
    assert "100,261" in card and tok.spec.source["sha256"] in card
    explained = tok.explain("a <b>")
    assert str(explained) in text_of(parsed(explained._repr_html_()))


# Other programs


@settings(max_examples=60)
@given(hostile, each_tokenizer)
def test_json_and_csv_come_back(text, tok):
    encoding = tok.encode(text)
    found = json.loads(encoding.to_json())
    assert found == json.loads(json.dumps(encoding.to_dict()))
    assert found["texts"] == list(encoding.texts)
    for name in ("ids", "tokens", "word_ids", "type_ids", "sequence_ids", "attention_mask", "special_tokens_mask"):
        assert found[name] == getattr(encoding, name), name
    for name in ("offsets", "offsets_utf16", "offsets_bytes"):
        assert list(map(tuple, found[name])) == getattr(encoding, name), name
    rows = list(csv.DictReader(io.StringIO(encoding.to_csv(), newline="")))
    assert [int(row["id"]) for row in rows] == encoding.ids
    assert [json.loads(row["token"]) for row in rows] == encoding.tokens
    assert encoding.to_csv().count("\r\n") == len(encoding) + 1
    for unit, spans in {
        "": encoding.offsets,
        "utf16_": encoding.offsets_utf16,
        "byte_": encoding.offsets_bytes,
    }.items():
        assert [(int(row[unit + "start"]), int(row[unit + "end"])) for row in rows] == spans
    for row, sequence, (start, end) in zip(rows, encoding.sequence_ids, encoding.offsets, strict=True):
        assert (row["text"] and json.loads(row["text"])) == (
            "" if sequence is None else encoding.texts[sequence][start:end]
        )
        assert row["text"][:1] in ("", '"')
        assert row["special"] == str(int(int(row["id"]) in tok.special_tokens.values()))


def test_a_pickled_encoding_shows_the_same():
    encoding = tokenizer("llama2").encode("a <s>")
    assert pickle.loads(pickle.dumps(encoding)).to_html() == encoding.to_html()


# Terminals


class Terminal(io.StringIO):
    encoding = "utf-8"

    def __init__(self, is_one=True):
        super().__init__()
        self.is_one = is_one

    def isatty(self):
        return self.is_one


def shown(what, **options):
    out = io.StringIO()
    what.show(out, **options)
    return out.getvalue()


def test_tokens_stand_over_their_ids():
    told = shown(tokenizer("cl100k_base").encode("Hello 漢字\n<|endoftext|>"))
    expected = """
7 tokens · 22 characters · 26 bytes

Hello ·漢╌╌╌╌╌╌╌╌ 字    ↵
9906  6704 120 95 19113 198

<|endoftext|>
100257
"""
    assert told == expected.lstrip()


def test_a_comparison_marks_where_they_differ():
    one, two = tokenizer("cl100k_base"), tokenizer("llama2")
    told = shown(one.compare("idiosyncratic 漢 ideas\nor 12", two))
    expected = """
cl100k_base  13 tokens
llama2.json  16 tokens
14.8% of the text is not cut in the same way

cl100k_base  id  ios  ync  r  atic  ·漢╌╌   ·ideas  ↵
llama2.json  id  ios  ync  r  atic  ·│漢╌╌  ·ideas  ↵
                                    ≠≠≠≠≠≠

cl100k_base  or  ·  12
llama2.json  or  ·  1│2
                    ≠≠≠
"""
    assert told == expected.lstrip()
    assert "≠" not in shown(one.compare("an idiom", two))


@settings(max_examples=60)
@given(hostile, each_tokenizer)
def test_nothing_but_text_reaches_a_terminal(text, tok):
    for what in (tok.encode(text), tok.compare(text, tokenizer("o200k_base"))):
        plain = shown(what)
        assert all(char.isprintable() or char in "\n\u200d\ufe0f" or char > "\u02ff" for char in plain)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", plain)
        # Colours change nothing but colours.
        coloured = re.sub(r"\x1b\[[\d;]*m", "", shown(what, color=True))
        assert [line.rstrip() for line in coloured.split("\n")] == plain.split("\n")


def test_where_colours_are_shown(monkeypatch):
    encoding = tokenizer("cl100k_base").encode("Hello")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    def is_coloured(file):
        encoding.show(file)
        return "\x1b[" in file.getvalue()

    assert is_coloured(Terminal()) and not is_coloured(Terminal(is_one=False))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not is_coloured(Terminal())
    monkeypatch.setenv("NO_COLOR", "")
    monkeypatch.setenv("TERM", "dumb")
    assert not is_coloured(Terminal())


def test_lines_fit_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    terminal = Terminal()
    encoding = tokenizer("cl100k_base").encode("to be or not to be, that is the question " * 3)
    encoding.show(terminal, color=False)
    lines = terminal.getvalue().split("\n")
    assert max(map(len, lines)) <= 60 and len(lines) > 6


def test_cells_stay_over_their_ids_where_a_terminal_writes_from_right_to_left():
    encoding = tokenizer("cl100k_base").encode("שלום abc")
    terminal, file = Terminal(), Terminal(is_one=False)
    encoding.show(terminal, color=False)
    encoding.show(file, color=False)
    with_letters = [line.split() for line in terminal.getvalue().split("\n")][2]
    assert with_letters == ["ש\u200e", "ל\u200e", "ום\u200e╌╌╌╌╌╌╌", "·abc"]
    assert file.getvalue() == terminal.getvalue().replace("\u200e", "")


def test_a_terminal_that_does_not_know_every_character():
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\n")
    tokenizer("cl100k_base").encode("a漢").show(out)
    out.flush()
    assert b"a  ???" in out.buffer.getvalue()


def test_nothing_of_this_is_imported_before_it_is_needed():
    code = f"""
import sys, bpeek
bpeek.load({str(vocabs.fetch("cl100k_base"))!r}).encode("a").offsets
print({{"bpeek.display", "html", "csv", "json"}} & {{*sys.modules}})
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": SOURCE}, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "set()\n"
