"""Files that are dropped on the page together, packed files, and files of which only the beginning is read."""

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import counts
from tests.ggufs import SMALL, gguf
from tests.wrong import MERGES, TOKENIZER_JSON, VOCAB_JSON

import bpeek
import vocabs

OpenPage = Callable[..., Page]
PLAIN = json.dumps(TOKENIZER_JSON | {"truncation": None, "padding": None}).encode()
CONFIG = json.dumps({"added_tokens_decoder": {"11": {"content": "<new>", "special": True}}}).encode()


def drop(page: Page, *files: Path) -> None:
    page.locator("#file").set_input_files([*files])


def written(folder: Path, **files: bytes) -> list[Path]:
    paths = [folder / name.replace("__", ".") for name in files]
    for path, data in zip(paths, files.values(), strict=True):
        path.write_bytes(data)
    return paths


def is_current(page: Page, name: str) -> None:
    expect(page.locator("#shelf [aria-pressed=true] .name")).to_contain_text(name)
    expect(page.locator("#status")).to_have_attribute("data-state", "ready")


@pytest.mark.parametrize("packed", [(True, False), (False, True), (True, True)])
def test_a_pair_of_which_halves_are_packed(open_page: OpenPage, tmp_path: Path, packed: tuple[bool, bool]) -> None:
    """What they are, their content decides, not the ends of their names."""
    paths = []
    for name, data, is_packed in zip(("vocab.json", "merges.txt"), (VOCAB_JSON, MERGES), packed, strict=True):
        paths.append(tmp_path / (name + ".gz" * is_packed))
        paths[-1].write_bytes(gzip.compress(data) if is_packed else data)
    page = open_page()
    drop(page, *paths)
    is_current(page, "vocab.json")
    counts(page, "hello", 2)


def test_clips_merges(open_page: OpenPage) -> None:
    page = open_page()
    drop(page, vocabs.fetch("clip_merges"))
    is_current(page, "clip_merges.txt")
    counts(page, "A photo of a cat", 7)  # 5 words between two marks


def test_files_beside_a_tokenizer_json(open_page: OpenPage, tmp_path: Path) -> None:
    """As they lie in a folder on a hub: those that tell of tokens are used, the others are passed over."""
    others = {"config__json": b'{"model_type": "x"}', "special_tokens_map__json": b'{"bos_token": "<s>"}'}
    main = {"tokenizer__json": PLAIN}
    files = written(
        tmp_path, tokenizer_config__json=CONFIG, **others, **main, vocab__json=VOCAB_JSON, merges__txt=MERGES
    )
    page = open_page()
    drop(page, *files)
    is_current(page, "tokenizer.json")
    expect(page.locator("#shelf [aria-pressed=true]")).to_contain_text("12 tokens")
    assert len(bpeek.load([PLAIN, CONFIG]).get_vocab()) == 12


def test_files_that_have_nothing_to_do_with_each_other(open_page: OpenPage, tmp_path: Path) -> None:
    (first,) = written(tmp_path, model__gguf=gguf(SMALL))
    (second,) = written(tmp_path, tokenizer__json=PLAIN)
    page = open_page()
    drop(page, first, second)
    is_current(page, "tokenizer.json")
    expect(page.locator("#shelf")).to_contain_text("model.gguf")


def test_halves_that_are_wrong_are_told_of_together(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    drop(page, *written(tmp_path, vocab__json=VOCAB_JSON, merges__txt=b"#version: 0.2\nh q\n"))
    expect(page.locator("#status")).to_have_attribute("data-state", "error")
    expect(page.locator("#status")).to_contain_text("merges.txt, line 2")


def test_of_a_gguf_only_the_header_is_read_and_kept(open_page: OpenPage, tmp_path: Path) -> None:
    """Three gigabytes, as a model has them; it takes no room on this disk, and the page could not hold them."""
    (path,) = written(tmp_path, model__gguf=gguf(SMALL))
    os.truncate(path, 3 << 30)
    page = open_page()
    drop(page, path)
    is_current(page, "model.gguf")
    counts(page, "hello", 3)  # <s>hell o
    page.reload()
    page.locator("#status[data-state=ready]").wait_for()
    page.get_by_role("button", name="Recent files").click()
    page.locator("#recent-list .pick").first.click()
    is_current(page, "model.gguf")
    size = (
        "async () => (await (await new Promise(done => { const open = indexedDB.open('bpeek'); open.onsuccess = () => "
    )
    size += "{ const all = open.result.transaction('files').objectStore('files').getAll(); all.onsuccess = () => "
    size += "done(all.result); }; })))[0].files[0].size"
    assert page.evaluate(size) == len(gguf(SMALL))
