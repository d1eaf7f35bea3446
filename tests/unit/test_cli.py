"""The shell command, run in this process (``shell``) and as users run it (``command``)."""

import contextlib
import http.client
import io
import json
import os
import pty
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.unit.tiny import FILE, PATTERN, SPECIAL

import bpeek
import vocabs
from bpeek import cli
from bpeek.bridge import POLICIES
from bpeek.cli import texts
from bpeek.display import counted
from bpeek.kernel import available

SOURCE = str(Path(bpeek.__file__).parents[1])
TEXT = "hello 漢字\r\nhé👩‍💻 <|end|> hello\n"
TINY = ["-v", "tiny.tiktoken", "--pattern", PATTERN, "--special-token", "<|end|>=300"]


@dataclass
class Done:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()


Shell = Callable[..., Done]


@pytest.fixture
def tok() -> bpeek.Tokenizer:
    return bpeek.load(FILE, pattern=PATTERN, special_tokens=SPECIAL)


@pytest.fixture
def shell(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    """``shell("count", "file", stdin=b"")`` in a folder with a tiny vocabulary."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BPEEK_VOCABULARY", raising=False)
    (tmp_path / "tiny.tiktoken").write_bytes(FILE)
    (tmp_path / "text.txt").write_bytes(TEXT.encode())

    def shell(*arguments: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = cli.run(arguments)
        out, err = capsysbinary.readouterr()
        return Done(code, out, err.decode())

    return shell


def command(*arguments: str, environment: dict[str, str] | None = None, **options: object) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": SOURCE, **(environment or {})}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE) | options
    return subprocess.Popen([sys.executable, "-m", "bpeek", *arguments], env=env, **pipes)  # type: ignore[call-overload]  # whatever a test passes


# Encoding and counting


@pytest.mark.parametrize("policy", ["special", "text"])
@pytest.mark.parametrize("chunk", [1, 5, 1 << 16])
def test_encode_and_count_are_those_of_the_library(
    shell: Shell, tok: bpeek.Tokenizer, monkeypatch: pytest.MonkeyPatch, policy: str, chunk: int
) -> None:
    monkeypatch.setattr(texts, "CHUNK", chunk)
    ids = tok.encode(TEXT, **POLICIES[policy]).ids
    for how in (["text.txt"], ["-"], ["--text", TEXT], []):
        done = shell("encode", *TINY, "--policy", policy, *how, stdin=TEXT.encode())
        assert (done.code, done.text, done.err) == (0, " ".join(map(str, ids)) + "\n", "")
        assert shell("count", *TINY, "--policy", policy, *how, stdin=TEXT.encode()).text == f"{len(ids)}\n"


def test_a_text_of_many_kinds(shell: Shell, load_vocabulary: Callable[[str], bpeek.Tokenizer], tmp_path: Path) -> None:
    text = "\ufeffline\r\n\r\x00 naïve 漢字 👩‍💻 <|endoftext|>\n\n   x"
    (tmp_path / "many.txt").write_bytes(text.encode())
    for name in ("cl100k_base", "llama2"):
        done = shell("encode", "-v", str(vocabs.fetch(name)), "many.txt")
        assert list(map(int, done.out.split())) == load_vocabulary(name).encode(text).ids


def test_several_files(shell: Shell, tok: bpeek.Tokenizer) -> None:
    size = len(tok.encode(TEXT))
    two = ["text.txt", "text.txt"]
    assert shell("count", *TINY, *two).text == f"{size}  text.txt\n{size}  text.txt\n{2 * size}  total\n"
    assert len(set(shell("encode", *TINY, *two).text.splitlines())) == 1
    done = shell("count", *TINY, "--json", *two)
    assert list(map(json.loads, done.text.splitlines())) == [{"file": "text.txt", "count": size}] * 2


def test_json_has_the_columns_of_an_encoding(shell: Shell, tok: bpeek.Tokenizer) -> None:
    encoding = tok.encode(TEXT)
    found = json.loads(shell("encode", *TINY, "--json", "text.txt").out)
    for name in ("ids", "tokens", "offsets", "offsets_utf16", "offsets_bytes"):
        assert found[name] == json.loads(json.dumps(getattr(encoding, name)))


@pytest.mark.parametrize("side", ["right", "left"])
def test_truncation_tells_whether_it_cut(
    shell: Shell, tok: bpeek.Tokenizer, monkeypatch: pytest.MonkeyPatch, side: str
) -> None:
    monkeypatch.setattr(texts, "CHUNK", 4)
    count = tok.count(TEXT)
    for n in range(count + 2):
        part = tok.truncate(TEXT, n, side)  # type: ignore[arg-type]  # one of its sides
        done = shell("encode", *TINY, "-t", str(n), "--side", side, "text.txt")
        assert list(map(int, done.out.split())) == tok.encode(part.text).ids
        told = f"cut to {counted(part.count, 'token')}" if n < count else f"not cut, it has {count} tokens"
        assert done.err == f"text.txt: {told}\n"


def test_truncation_follows_the_policy(shell: Shell, tok: bpeek.Tokenizer) -> None:
    done = shell("encode", *TINY, "-t", "3", "--policy", "text", "--text", "<|end|>")
    assert list(map(int, done.out.split())) == tok.encode_ordinary("<|e")
    assert "cut to 3" in done.err


@pytest.mark.parametrize(("chunk", "unit"), [(10, b"hello "), (1_000, b"hello")])
def test_truncation_reads_no_more_than_it_needs(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, chunk: int, unit: bytes
) -> None:
    monkeypatch.setattr(texts, "CHUNK", chunk)
    text = unit * 4 * chunk
    assert shell("encode", *TINY, "-t", "2", stdin=text + b"\xff").code == 0
    assert shell("encode", *TINY, "-t", "2", stdin=text[:-1] + b"!").err == "cut to 2 tokens\n"


# Decoding


def test_decode_gives_the_text_back(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "CHUNK", 3)
    ids = shell("encode", *TINY, "text.txt").out
    assert shell("decode", *TINY, "--keep-special", stdin=ids).text == TEXT
    assert shell("decode", *TINY, stdin=ids).text == TEXT.replace("<|end|>", "")
    listed = json.dumps(json.loads(b"[" + b",".join(ids.split()) + b"]"), indent=1).encode()
    assert shell("decode", *TINY, "--bytes", stdin=listed).out == TEXT.encode()


def test_decode_as_json(shell: Shell) -> None:
    assert json.loads(shell("decode", *TINY, "--json", "--text", "258 10 256").out) == {"text": "hello\nhe"}
    done = shell("decode", *TINY, "--json", "--bytes", "--text", "258")
    assert done.code == 2 and "JSON has no bytes" in done.err


def test_decode_of_a_part_of_a_character(shell: Shell) -> None:
    first = "漢".encode()[:1]
    assert shell("decode", *TINY, "--text", str(first[0])).text == "\ufffd"
    assert shell("decode", *TINY, "--bytes", "--text", str(first[0])).out == first


# For reading


def test_explain_and_inspect(shell: Shell, tok: bpeek.Tokenizer) -> None:
    assert shell("explain", *TINY, "text.txt").text == f"{tok.explain(TEXT)}\n"
    found = json.loads(shell("explain", *TINY, "--json", "text.txt").out)
    assert found["file"] == "text.txt"
    assert [token["id"] for token in found["tokens"]] == tok.encode(TEXT).ids
    report = shell("inspect", *TINY).text
    assert report.splitlines()[1:] == str(tok.inspect()).splitlines()[1:]  # the first line has the file's name
    assert json.loads(shell("inspect", *TINY, "--json").out)["vocab_size"] == tok.vocab_size


# Vocabularies


def test_vocabulary_in_the_environment_and_in_folders(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "gpt2"
    folder.mkdir()
    (folder / "vocab.json").symlink_to(vocabs.fetch("gpt2_vocab"))
    (folder / "merges.txt").symlink_to(vocabs.fetch("gpt2_merges"))
    both = ["gpt2/vocab.json", "gpt2/merges.txt"]
    hello = b"15496 995\n"
    assert shell("encode", "-v", "gpt2", "--text", "Hello world").out == hello
    assert shell("encode", "-v", both[0], "-v", both[1], "--text", "Hello world").out == hello
    monkeypatch.setenv("BPEEK_VOCABULARY", os.pathsep.join(both))
    assert shell("encode", "--text", "Hello world").out == hello


# Ends


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["encode", "--text", "a"], 2, "No vocabulary: give its path with -v, or in BPEEK_VOCABULARY; see"),
        (["encode", *TINY, "--nothing"], 2, "No such option '--nothing'; see bpeek encode --help"),
        (["nothing"], 2, "No such command 'nothing'; see bpeek --help"),
        (["encode", *TINY, "text.txt", "--text", "a"], 2, "Give files or --text, not both; see bpeek encode --help"),
        (["encode", "--special-token", "<|end|>"], 2, "'<|end|>' is not TOKEN=ID; see bpeek encode --help"),
        (["encode", *TINY, "-t", "-1"], 2, "x>=0"),
        (["encode", *TINY, "missing.txt"], 1, "missing.txt: No such file or directory"),
        (["encode", "-v", "missing", "--text", "a"], 1, "missing: No such file or directory (bpeek brings no"),
        (["encode", "-v", ".", "--text", "a"], 1, ".: this folder holds no tokenizer.json, vocab.json with"),
        (["encode", "-v", "text.txt", "--text", "a"], 1, "text.txt, byte 0: this may be merges.txt: load it"),
        (["encode", "-v", "tiny.tiktoken", "--text", "a"], 1, "give --pattern and --special-token as their publisher"),
        (["encode", *TINY, "--pattern", "(", "--text", "a"], 1, "(at character"),
        (["encode", *TINY, "--special-token", "x=1", "--text", "a"], 1, "which is an ordinary token"),
        (["encode", *TINY, "--policy", "error", "text.txt"], 1, "'<|end|>' at character 16; --policy special takes"),
        (["encode", *TINY, "latin.txt"], 1, "latin.txt: not UTF-8 (byte 2); convert it first"),
        (["count", *TINY, "-"], 1, "standard input: not UTF-8 (byte 69,999); convert it first"),
        (["decode", *TINY, "--text", "x 104"], 1, "'x' is not an id; ids are whole numbers"),
        (["decode", *TINY, "--text", "-5"], 1, "'-5' is not an id; ids are whole numbers"),
        (["decode", *TINY, "--text", "9" * 5000], 1, "is not an id; ids are whole numbers"),
        (["decode", *TINY, "ones.txt"], 1, f"{'1' * 40!r} is not an id; ids are whole numbers"),
        (["decode", *TINY, "--text", "299 104"], 1, "Invalid token for decoding: 299"),
        (["encode", *TINY, "\x1b[31mred\u202e"], 1, "\\x1b[31mred\\u202e: No such file or directory"),
        (["show", *TINY, "How many?"], 1, "How many?: No such file or directory (a text itself goes behind --text)"),
        (["encode", *TINY, "a\nb"], 1, "a\\nb: No such file or directory"),
        (["encode", *TINY, ""], 1, "'': No such file or directory"),
        (["encode", "-v", "two\nlines", "--text", "a"], 1, "two\\nlines, byte 0: this may be merges.txt: load it"),
        (["encode", *TINY, "--text", "n\udce9"], 1, "--text: not UTF-8; convert it first"),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(
    shell: Shell, tmp_path: Path, arguments: list[str], code: int, sentence: str
) -> None:
    (tmp_path / "latin.txt").write_bytes("né".encode("latin-1").replace(b"\xe9", b"\xc3\xa9\xe9")[1:])
    (tmp_path / "two\nlines").write_bytes((tmp_path / "text.txt").read_bytes())
    (tmp_path / "ones.txt").write_bytes(b"1" * 100_000)
    done = shell(*arguments, stdin=b"a" * 69_999 + "é".encode()[:1])
    assert done.code == code
    assert sentence in done.err
    assert done.err.startswith("bpeek: ") and done.err.count("\n") == 1
    assert done.out == b""


def test_help_without_arguments(shell: Shell) -> None:
    done = shell()
    assert done.code == 2 and "Usage: bpeek" in done.err
    assert shell("--help").code == 0


@pytest.mark.parametrize(("choice", "kernel"), [("1", available()), ("0", "none")])
def test_version_is_that_of_the_library_and_tells_of_the_kernel(choice: str, kernel: str) -> None:
    out, _ = command("--version", environment={"BPEEK_KERNEL": choice}).communicate()
    assert out.decode() == f"bpeek {bpeek.__version__} (kernel: {kernel})\n"


def test_completion(vocabulary: list[str]) -> None:
    out, _ = command("", environment={"_BPEEK_COMPLETE": "bash_source"}).communicate()
    assert out.startswith(b"_bpeek_completion() {")
    words = {"_BPEEK_COMPLETE": "bash_complete", "COMP_WORDS": "bpeek co", "COMP_CWORD": "1"}
    out, _ = command(environment=words).communicate()
    assert out.split() == [b"plain,compare", b"plain,convert", b"plain,count"]


def test_interrupted(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(texts.Text, "chunks", interrupt)
    assert shell("count", *TINY) == Done(130, b"", "\n")


# The real command


@pytest.fixture
def vocabulary(tmp_path: Path) -> list[str]:
    (tmp_path / "tiny.tiktoken").write_bytes(FILE)
    return ["-v", str(tmp_path / "tiny.tiktoken"), *TINY[2:]]


def test_bytes_of_a_pipe_are_untouched(vocabulary: list[str], tok: bpeek.Tokenizer) -> None:
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    out, err = command("encode", *vocabulary, environment=locale).communicate(TEXT.encode())
    assert (list(map(int, out.split())), err) == (tok.encode(TEXT).ids, b"")
    out, err = command("decode", "--keep-special", *vocabulary, environment=locale).communicate(out)
    assert (out, err) == (TEXT.encode(), b"")


def test_arguments_are_utf_8_in_every_locale(vocabulary: list[str], tok: bpeek.Tokenizer) -> None:
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    out, err = command("encode", *vocabulary, "--text", "hé漢", environment=locale).communicate()
    assert (list(map(int, out.split())), err) == (tok.encode("hé漢").ids, b"")


def test_names_of_files_break_neither_lines_nor_json(shell: Shell, tmp_path: Path) -> None:
    names = ["a\nb", os.fsdecode(b"n\xe9")]
    for name in names:
        (tmp_path / name).write_text("hello")
    assert shell("count", *TINY, *names).out.splitlines()[0] == b"1  a\\nb"
    found = shell("count", *TINY, "--json", *names).text.splitlines()  # UTF-8, that is
    assert [json.loads(line)["file"] for line in found] == names


@pytest.mark.parametrize(
    ("closed", "sentence"),
    [
        ("<&-", "standard input is closed; give a file or --text"),
        (">&-", "standard output is closed; send it to a file or a pipe"),
        ("2>&- >&-", ""),
    ],
)
def test_streams_that_are_closed(vocabulary: list[str], closed: str, sentence: str) -> None:
    line = f"{shlex.join([sys.executable, '-m', 'bpeek', 'encode', *vocabulary])} {closed}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, env={**os.environ, "PYTHONPATH": SOURCE})
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == (f"bpeek: {sentence}\n" if sentence else "")


def test_a_closed_pipe_is_silent(vocabulary: list[str], tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("hello " * 100_000)
    words = [sys.executable, "-m", "bpeek", "encode", *vocabulary, str(tmp_path / "long.txt")]
    line = f"set -o pipefail; {shlex.join(words)} | head -c 7"
    done = subprocess.run(["bash", "-c", line], capture_output=True, env={**os.environ, "PYTHONPATH": SOURCE})
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGPIPE, b"258 32 ", b"")


def test_ctrl_c(vocabulary: list[str]) -> None:
    process = command("count", *vocabulary)
    assert process.stdin
    process.stdin.write(b"hello " * 100_000)  # more than a pipe holds: so it is reading
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, err.strip()) == (130, b"", b"")


def test_without_the_extra(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise ImportError('not here')")
    process = command("count", environment={"PYTHONPATH": os.pathsep.join([str(tmp_path), SOURCE])})
    _, err = process.communicate()
    wanted = 'bpeek: the command needs more than the library does: pip install "bpeek[cli]"\n'
    assert (process.returncode, err.decode()) == (1, wanted)


# What is shown, and files that are written


def test_show_and_compare_are_those_of_the_library(shell: Shell, tok: bpeek.Tokenizer) -> None:
    encoding, out = tok.encode(TEXT), io.StringIO()
    encoding.show(out)
    assert shell("show", *TINY, "text.txt").text == out.getvalue()
    assert shell("show", *TINY, "--html", "text.txt").text == encoding.to_html(page=True) + "\n"
    assert "… and" in shell("show", *TINY, "--limit", "2", "text.txt").text
    done = shell("show", *TINY, "-t", "2", "text.txt", "text.txt")
    assert done.text.count("==> text.txt <==\n2 tokens") == 2 and done.err == "text.txt: cut to 2 tokens\n" * 2


def test_compare(shell: Shell, load_vocabulary: Callable[[str], bpeek.Tokenizer]) -> None:
    paths = {path.name: path for path in (vocabs.fetch("r50k_base"), vocabs.fetch("cl100k_base"))}
    chosen = [option for path in paths.values() for option in ("-v", str(path))]
    comparison = bpeek.compare(TEXT, {name: bpeek.load(path) for name, path in paths.items()})
    out = io.StringIO()
    comparison.show(out)
    assert shell("compare", *chosen, "text.txt").text == out.getvalue()
    found = json.loads(shell("compare", *chosen, "--json", "text.txt").out)
    assert found == {"file": "text.txt", **json.loads(json.dumps(comparison.to_dict()))}
    done = shell("compare", *chosen[:2], "text.txt")
    assert done.code == 2 and "To compare takes two vocabularies" in done.err
    done = shell("compare", *chosen[:2] * 2, "text.txt")
    assert done.code == 2 and "A vocabulary is given twice" in done.err


def test_convert(shell: Shell, tok: bpeek.Tokenizer, tmp_path: Path) -> None:
    done = shell("convert", *TINY, "made.json")
    assert (done.code, done.out, done.err) == (0, b"", "")
    assert shell("encode", "-v", "made.json", "text.txt").out == shell("encode", *TINY, "text.txt").out
    assert shell("convert", "-v", "made.json", "--to", "tokenizer.json", "-").out == Path("made.json").read_bytes()
    done = shell("convert", "-v", "made.json", "made.tiktoken")
    assert done.code == 0 and Path("made.tiktoken").read_bytes() == FILE
    options = shlex.split(done.err.removeprefix("load it with "))
    told = json.loads(shell("convert", "-v", "made.json", "--json", "--force", "made.tiktoken").out)
    assert told == {"pattern": options[1], "special_tokens": SPECIAL, "left_out": []}
    assert shell("encode", "-v", "made.tiktoken", *options, "text.txt").out == shell("encode", *TINY, "text.txt").out


def test_convert_tells_a_few_special_tokens(shell: Shell) -> None:
    more = [option for number in range(400, 420) for option in ("--special-token", f"<|{number}|>={number}")]
    assert shell("convert", *TINY, *more, "made.json").code == 0
    told = shell("convert", "-v", "made.json", "made.tiktoken").err
    assert told.count("--special-token '") == 8 and told.endswith(
        " and 13 more of --special-token, which --json lists\n"
    )


def test_convert_destroys_nothing(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text("mine")
    done = shell("convert", *TINY, "mine.json")
    assert (done.code, done.err) == (1, "bpeek: mine.json: there is such a file; --force writes over it\n")
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    (tmp_path / "other.json").write_text(json.dumps({"model": model}))
    done = shell("convert", "-v", "other.json", "--to", "tiktoken", "--force", "mine.json")
    assert done.code == 1 and "it cannot be converted: only tokenizers that cut text by patterns" in done.err
    assert (tmp_path / "mine.json").read_text() == "mine"
    assert shell("convert", *TINY, "--force", "mine.json").code == 0
    assert json.loads((tmp_path / "mine.json").read_text())["model"]["type"] == "BPE"
    os.mkfifo("pipe.json")
    reader = os.open("pipe.json", os.O_RDONLY | os.O_NONBLOCK)
    assert shell("convert", *TINY, "--force", "pipe.json").code == 0
    assert os.read(reader, 1 << 16) == (tmp_path / "mine.json").read_bytes()
    os.close(reader)
    assert shell("convert", *TINY, "nowhere/x.json").err == "bpeek: nowhere: No such file or directory\n"
    done = shell("convert", *TINY, "other.xml")
    assert done.code == 2 and "say --to what" in done.err


# On a terminal


def on_terminal(*arguments: str, **environment: str) -> str:
    """What a terminal gets."""
    ours, theirs = pty.openpty()
    environment = {"TERM": "xterm-256color", "NO_COLOR": "", **environment}
    process = command(*arguments, stdin=theirs, stdout=theirs, stderr=theirs, environment=environment)
    os.close(theirs)
    read = b""
    with contextlib.suppress(OSError):  # how Linux says that the other side is closed
        while data := os.read(ours, 1 << 16):
            read += data
    os.close(ours)
    assert process.wait() == 0
    return read.decode()


def test_colours_on_a_terminal(vocabulary: list[str]) -> None:
    show = ("show", *vocabulary, "--text", "hello 漢")
    assert "\x1b[48;5;" in on_terminal(*show)
    assert "\x1b[" not in on_terminal(*show, NO_COLOR="1")
    assert "\x1b[" not in on_terminal(*show, "--color", "never")
    out, _ = command(*show, "--color", "always").communicate()
    assert b"\x1b[48;5;" in out
    out, _ = command(*show).communicate()
    assert b"\x1b[" not in out


def test_text_does_not_steer_the_terminal(vocabulary: list[str]) -> None:
    steering = "a\x1b[2J\x9b2J\u202e\tb"
    ids = " ".join(map(str, steering.encode()))
    assert on_terminal("decode", *vocabulary, "--text", ids) == "a\\x1b[2J\\x9b2J\\u202e\tb\r\n"
    line = on_terminal("decode", *vocabulary, "--json", "--text", ids).removesuffix("\r\n")
    assert line.isprintable() and json.loads(line) == {"text": steering}
    for shown in ("show", "explain"):
        assert "\x1b" not in on_terminal(shown, *vocabulary, "--text", steering, NO_COLOR="1")
    out, _ = command("decode", *vocabulary, "--text", ids).communicate()
    assert out == steering.encode()


def test_progress_on_a_terminal(vocabulary: list[str], tok: bpeek.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("hello " * 200_000)
    number = tok.count("hello " * 200_000)
    count = ("count", *vocabulary, str(tmp_path / "long.txt"))
    shown = on_terminal(*count)
    assert "Reading" in shown and "100%" in shown and shown.endswith(f"{number}\r\n")
    out, err = command(*count).communicate()
    assert (out, err) == (b"%d\n" % number, b"")
    assert "Reading" not in on_terminal("count", *vocabulary, "--text", "hello")


# The page


@pytest.fixture
def page(tmp_path: Path) -> dict[str, str]:
    """A package of a page, where the real one may not be built."""
    site = tmp_path / "pages" / "site"
    (site / "assets").mkdir(parents=True)
    (site / "index.html").write_text("the page")
    (site.parent / "secret.txt").write_text("not to be served")
    (site.parent / "bpeek_page.py").write_text(f"from pathlib import Path\nSITE = Path({str(site)!r})\n")
    return {"PYTHONPATH": os.pathsep.join([str(site.parent), SOURCE]), "PYTHONUNBUFFERED": "1"}


def get(address: str, path: str, host: str | None = None) -> tuple[int, bytes]:
    """As it is written: other clients tidy paths up before they send them."""
    connection = http.client.HTTPConnection(address)
    connection.request("GET", path, headers={"Host": host} if host else {})
    with contextlib.closing(connection), connection.getresponse() as response:
        return response.status, response.read()


def test_serve(page: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "my words.json").write_text("a vocabulary")
    arguments = ("serve", "--no-browser", "--port", "0", str(tmp_path / "my words.json"))
    process = command(*arguments, environment=page)
    assert process.stdout is not None
    found = re.fullmatch(
        r"Open http://(127\.0\.0\.1:\d+)/#open=(\S+) \(Ctrl\+C stops\)\n", process.stdout.readline().decode()
    )
    assert found is not None
    address, given = found.groups()
    assert get(address, "/") == (200, b"the page")
    assert get(address, f"/given/{given}") == (200, b"a vocabulary")
    for outside in (
        "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/assets/../../secret.txt", "//secret.txt",
        "/given/0/..%2f..%2fsecret.txt", "/given/1/secret.txt", f"/{tmp_path}/tiny.tiktoken", "/assets/", "/assets",
    ):  # fmt: skip
        assert get(address, outside)[0] in (301, 404), outside
    port = address.partition(":")[2]
    assert get(address, "/", host=f"evil.example:{port}")[0] == 421
    assert get(address, "/", host="evil.example")[0] == 421
    for host in (f"localhost:{port}", "localhost", "127.0.0.1"):  # without a port where it is 80
        assert get(address, "/", host=host)[0] == 200
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (0, b"")


def test_serve_what_is_not_there(page: dict[str, str], shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bpeek_page", None)
    assert shell("serve") == Done(1, b"", 'bpeek: the page is not installed: pip install "bpeek[page]"\n')
    _, err = command("serve", "--no-browser", "missing.json", environment=page).communicate()
    assert err == b"bpeek: missing.json: No such file or directory\n"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        _, err = command("serve", "--no-browser", "--port", port, environment=page).communicate()
    assert err.decode() == f"bpeek: port {port} is taken or not allowed; choose another one with --port\n"
