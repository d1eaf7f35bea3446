"""The benchmark's own arithmetic; that it runs at all is seen when it runs."""

import os
import xml.dom.minidom

import pytest
from bench import native, peers, piece, plots, report, scaling, table, texts

import vocabs


def test_halves_meet_at_a_line_break():
    text = "one\ntwo\nthree\nfour\n"
    first, second = texts.halves(text)
    assert first + second == text
    assert second.startswith("\n")
    assert texts.halves("abcd") == ("ab", "cd")


def test_own_texts_may_be_compressed(tmp_path):
    (tmp_path / "plain.txt").write_text("é\r\n", encoding="utf-8", newline="")
    assert texts.load(folder=tmp_path, limit=2) == {"plain": "é\r"}


@pytest.mark.parametrize("power", [1, 2])
def test_growth_per_doubling(power):
    sizes = [1000, 2000, 4000, 8000, 16000]
    assert scaling.growth(sizes, [size**power / 1e6 for size in sizes]) == pytest.approx(2**power)


@pytest.mark.parametrize("kind", scaling.KINDS)
def test_texts_to_scale_have_the_size_asked_for(kind):
    assert len(scaling.KINDS[kind](1000)) == 1000


def row(engine, seconds, error=None):
    times = {} if error else {mode: [seconds, 9.0] for mode in ("cold", "unseen", "warm")}
    return {"vocabulary": "v", "text": "t", "engine": engine, "bytes": 2_000_000, "seconds": times, "error": error}


ROWS = [
    row("tiktoken", 0.5),
    row("bpeek", 0.25),
    row("bpeek without the kernel", 1.0),
    row("bpeek + UTF-16 offsets", 0.3),
    row("x", 0, "ids differ at 3"),
]
HARDER = [
    {**each, "text": "u"} for each in (row("tiktoken", 0.5), row("bpeek", 1.0), row("bpeek + UTF-16 offsets", 1.0))
]


def test_a_peer_with_other_ids_gets_no_time():
    rendered = report.native({"rows": ROWS})
    assert (
        "| t | 4.00 | 8.00 | 2.00 | 6.67 | **ids differ** | 2.00 | 2.00 | 2.00 | 1.20 | 0.50 | 0.50 | 0.50 |"
        in rendered
    )


def test_the_worst_text_is_named_beside_the_mean():
    mean, worst = report.native({"rows": ROWS + HARDER}).splitlines()[-2:]
    assert mean.endswith("| **1.00** | **1.00** | **1.00** | **1.10** | **0.50** | **0.50** | **0.50** |")
    assert worst.endswith("| 0.50 | 0.50 | 0.50 | 1.20 | 0.50 | 0.50 | 0.50 |")
    facts = "| CPython | v | tiktoken | 1.00 | 1.00 | 1.00 | 0.50 | 0.50 |"
    assert report.summary({"native": {"rows": ROWS + HARDER}}).endswith(facts)


def test_needs_are_set_against_the_reference_and_against_python_alone():
    each = {"vocabulary": "v", "error": None, "runtime": [1e6]}
    sizes = {"tiktoken": 40e6, "bpeek": 30e6, "bpeek without the kernel": 20e6}
    rendered = report.memory({"rows": [{**each, "engine": name, "memory": size} for name, size in sizes.items()]})
    assert "| v | bpeek | 30 MB | 0.75 | 1.50 |" in rendered
    failed = {"vocabulary": "v", "engine": "tiktoken", "error": "no such file"}
    assert "| v | tiktoken | no such file | – |  |" in report.coldstart({"rows": [failed]})


def test_a_first_text_is_set_against_python_alone():
    seconds = {"bpeek (Pyodide)": 0.01, "bpeek (Pyodide) without the kernel": 0.03}
    rows = [
        {"vocabulary": "v", "text": "t", "engine": name, "error": None, "load": [0.5], "first": [took, 9.0]}
        for name, took in seconds.items()
    ]
    assert "| v | t | 10 ms | 30 ms | 500 ms | 500 ms | 3.00 |" in report.first({"rows": rows})


def test_a_piece_says_what_a_character_of_it_takes():
    whole = {"vocabulary": "v", "kind": "=", "size": 1000, "seconds": 2.0, "memory": 40_000, "ids": "a"}
    stopped = {**whole, "engine": "budget", "seconds": {"fits": 0.001, "truncate": 0.5, "encode": 1.0}}
    rows = [{**whole, "engine": "tiktoken"}, {**whole, "engine": "bpeek", "seconds": 1.0, "ids": "b"}, stopped]
    rendered = report.piece({"rows": rows})
    assert "| v `=` | bpeek | 1,000 | 1.00 s | 0.50 | 40 | **ids differ** |" in rendered
    assert "| v `=` | 1 ms | 500 ms | 1.00 s |" in rendered


def test_lengths_are_set_against_the_reference():
    each = {"vocabulary": "v", "kind": "a", "sizes": [1000], "growth": None, "error": None}
    rows = [{**each, "engine": "tiktoken", "seconds": [1.0]}, {**each, "engine": "bpeek", "seconds": [2.0]}]
    assert "| v `a` | bpeek | 1,000 | 2.00 s | 2.00 | – |  |" in report.scaling({"rows": rows})


@pytest.mark.parametrize("before", [None, "1"])
def test_the_kernel_is_chosen_for_tokenizers_made_meanwhile(monkeypatch, before):
    if before:
        monkeypatch.setenv("BPEEK_KERNEL", before)
    else:
        monkeypatch.delenv("BPEEK_KERNEL", raising=False)
    for name, choice in peers.KERNEL.items():
        with peers.kernel(choice):
            assert os.environ.get("BPEEK_KERNEL") == choice, name
        assert os.environ.get("BPEEK_KERNEL") == before


@pytest.mark.parametrize("kind", piece.KINDS)
def test_pieces_have_the_size_asked_for(kind):
    vocabulary, make = piece.KINDS[kind]
    assert vocabulary in vocabs.SOURCES and len(make(1000)) == 1000


def test_a_short_first_half_comes_again_until_tables_are_made():
    texts_met = []
    engine = peers.Engine("x", lambda text: texts_met.append(text) or [], lambda: None)
    native.one_round(engine, "a" * 60_000, "b")
    assert list(map(len, texts_met)) == [1, 60_000, 60_000, 60_000, 1, 1]
    texts_met.clear()
    native.one_round(engine, "", "b")
    assert texts_met == ["b", "", "b", "b"]


def test_phases_say_what_a_new_piece_takes():
    seconds = {"cutting": 0.002, "looking up": 0.001, "merging": 0.001}
    row = {"vocabulary": "v", "text": "t", "pieces": 10_000, "new": 100, "seconds": seconds}
    assert report.phases({"rows": [row]}).endswith("| v, t | 10,000 | 1.0% | 10.0 µs | 50% | 25% | 25% |")


def test_the_rival_in_javascript_is_the_fastest_that_is_right():
    engines = report.by_engine([*ROWS, row("slow", 1.0)])
    assert report.fastest_other(engines, "warm") == "tiktoken"


def test_marks_in_a_file_are_kept(tmp_path):
    file = tmp_path / "doc.md"
    file.write_text("a\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nb\n", encoding="utf-8")
    for content in ("new \\1", "newer"):
        report._between_marks(file, content)
        assert file.read_text(encoding="utf-8") == f"a\n<!-- bench:begin -->\n{content}\n<!-- bench:end -->\nb\n"


def test_pictures_are_well_formed():
    lengths = {"sizes": [1000, 2000], "seconds": [0.001, 0.002], "growth": 2.0, "error": None}
    answers = {"native": {"rows": ROWS}, "scaling": {"rows": [{**ROWS[0], "kind": "<&", **lengths}]}}
    drawn = plots.pictures(answers)
    assert drawn.keys() == {"native", "scaling"}
    for svg in drawn.values():
        xml.dom.minidom.parseString(svg)


def test_geometric_mean():
    assert table.geomean([1, 4]) == 2
