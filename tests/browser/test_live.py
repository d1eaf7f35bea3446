"""Editing: only what an edit changes is encoded, crosses, and is drawn, and all is as if it were done anew."""

import random
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from tests.browser.test_page import load, reference, tokens, write
from tokenizers import Tokenizer

import vocabs

OpenPage = Callable[..., Page]

START = "It was the best of times, it was naïve 🦜👩‍🚀 日本語.\n\n  def f(x):\n\treturn x  # é 1234567\n"
PARTS = [
    *("", " ", "a", "'s", "\n", "\n\n", "  ", "7", "é", "🙂", "🙃", "\u200d", "語", "العربية", "<|endof", "text|>"),
    "<|endoftext|>",
    START,
    "pasted words, and more of them\n" * 60,
]
EDIT = """([start, end, text]) => {
    const area = document.querySelector("#text");
    area.setRangeText(text, start, end, "end");
    area.dispatchEvent(new InputEvent("input", {bubbles: true}));
    return area.value;
}"""


def edit(page: Page, roll: random.Random, size: int) -> str:
    """Edits by UTF-16 units, which may part a pair of them: JavaScript does not mind."""
    start = roll.randint(0, size)
    end = min(size, start + roll.choice([0, 0, 0, 1, 1, 2, 30, 400]))
    return page.evaluate(EDIT, [start, end, roll.choice(PARTS)])


def well_formed(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@pytest.mark.parametrize("name", ["cl100k_base", "llama3"])
def test_random_edits(open_page: OpenPage, name: str) -> None:
    page = open_page()
    if name == "llama3":
        load(page, vocabs.fetch(name))
        encode = Tokenizer.from_file(str(vocabs.fetch(name))).encode

        def expected(text: str) -> list[int]:
            return encode(text).ids
    else:
        encoding = reference(name)

        def expected(text: str) -> list[int]:
            return encoding.encode(text, allowed_special="all")

    assert [token.id for token in write(page, START)] == expected(START)
    roll, text = random.Random(6), START
    for _ in range(40):
        text = edit(page, roll, len(text.encode("utf-16-le", "surrogatepass")) // 2)
        if len(text) > 4000:  # all of it must be drawn to be read
            text = page.evaluate(EDIT, [1000, len(text.encode("utf-16-le", "surrogatepass")) // 2, ""])
        ids = expected(well_formed(text))
        expect(page.locator("#count")).to_have_attribute("data-value", str(len(ids)))
        shown = tokens(page)
        assert [token.id for token in shown] == ids
        assert "".join(page.locator("#ids span").all_text_contents()) == "".join(map(str, ids[:2000]))
        assert page.locator("#characters").inner_text() == f"{len(well_formed(text)):,}"
        assert page.locator("#bytes").inner_text() == f"{len(well_formed(text).encode()):,}"


def test_a_selected_token_stays_selected(open_page: OpenPage) -> None:
    page = open_page()
    write(page, "one two three")
    page.locator("token-view .token", has_text="three").click()
    expect(page.locator("#card-body")).to_contain_text("3 of 3")
    page.mouse.move(0, 0)  # or else it points at what comes to lie there
    page.evaluate(EDIT, [0, 0, "zero "])
    expect(page.locator("#card-body")).to_contain_text("4 of 4")
    expect(page.locator("token-view .selected")).to_have_text(" three")
    page.evaluate(EDIT, [12, 18, ""])
    expect(page.locator("#card-close")).to_be_hidden()
