"""The benchmark's own arithmetic; that it runs at all is seen when it runs."""

import xml.dom.minidom

import pytest
from bench import plots, report, scaling, table, texts


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


ROWS = [row("tiktoken", 0.5), row("bpeek", 0.25), row("bpeek + UTF-16 offsets", 0.3), row("x", 0, "ids differ at 3")]


def test_a_peer_with_other_ids_gets_no_time():
    rendered = report.native({"rows": ROWS})
    assert "| t | 4.00 | 8.00 | 6.67 | **ids differ** | 2.00 | 2.00 | 2.00 | 1.20 |" in rendered


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
