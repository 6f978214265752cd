"""Turn files that are refused: one message with file, line and key on standard error, nothing on standard output."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from command_line import run

from promptmw.cli import opening
from promptmw.cli.parsing import Format, format_of

BAD = [
    ("unknown_key.toml", 'locale = "en"\n[persona]\nnicknam = "A"', ":3: persona has no key 'nicknam'. Did you mean"),
    ("unknown_input.toml", 'locale = "en"\n[persone]\n', ":2: a turn has no key 'persone'. Did you mean 'persona'?"),
    ("unknown_key.yaml", "locale: en\npersona:\n  nicknam: A", ":3: persona has no key 'nicknam'. Did you mean"),
    ("unknown_key.json", '{"locale": "en",\n"persona": {\n"nicknam": "A"}}', ":3: persona has no key 'nicknam'."),
    ("type.toml", '[persona]\ntraits = "concise"', ":2: persona.traits: takes a list, not text"),
    ("type.json", '{\n"persona": {"nickname": 5}}', ":2: persona.nickname: takes text, not a whole number"),
    ("type.yaml", "persona: 5", ":1: persona: takes a table of traits, nickname, custom, not a whole number"),
    ("core_type.toml", "\nmodel = 3", ":2: model: takes text, not a whole number"),
    ("mode.toml", '\ntool_mode = "often"', ":2: tool_mode: 'often' is none of auto, native, prompt, none"),
    ("profile.toml", '\nprofile = "nope"', ":2: profile 'nope' does not exist."),
    ("second.toml", '[[memories]]\ntext = "a"\n[[memories]]\ntext = 5', ":4: memories[1].text: takes text"),
    ("missing.yaml", "memories:\n  - text: a\n  - status: active", ":3: memories[1].text: is required"),
    ("naive.toml", "now = 2026-08-24T09:00:00", ":1: now: takes a date and time with a time zone"),
    ("date.toml", "locale = 'en'\nnow = 2026-13-24T09:00:00Z", ":2: now: no TOML: "),
    ("date.yaml", "locale: en\nnow: 2026-13-24", ":2: now: month must be in 1..12"),
    ("date.json", '{\n"now": "2026-13-24T09:00:00Z"}', ":2: now: takes a date and time with a time zone"),
    ("repeated.toml", 'locale = "en"\nlocale = "fr"', ":2: locale: no TOML: Cannot overwrite a value"),
    ("repeated.yaml", "persona:\n  nickname: a\n  nickname: b", ":3: persona.nickname: stated twice"),
    ("repeated.json", '{"locale": "en",\n"locale": "fr"}', ":2: locale: stated twice"),
    ("escaped.json", '{"locale": "en",\n"loc\\u0061le": "fr"}', ":2: locale: stated twice"),
    ("nan.json", '{\n"locale": NaN}', ":2: locale: takes a finite number"),
    ("huge.json", '{\n"locale": 1e999}', ":2: locale: takes a finite number"),
    ("nan.yaml", "a: 1\nlocale: .nan", ":2: locale: takes a finite number"),
    ("nan.toml", "\nlocale = nan", ":2: locale: takes a finite number"),
    ("surrogate.json", '{\n"locale": "\\ud800"}', ":2: locale: holds half a character"),
    ("list.json", "[]", ": a turn is a table of fields and inputs"),
    ("text.yaml", "hello", ": a turn is a table of fields and inputs"),
    ("broken.json", '{"locale":\n', ":2: no JSON: Expecting value"),
    ("broken.yaml", "locale: en\na: b: c\n", ":2: no YAML: mapping values are not allowed"),
    ("broken.toml", "locale = ", ":1: locale: no TOML: Invalid value"),
    ("control.yaml", "locale: en\nmodel: a\x00b", ":2: no YAML: "),
    ("digits.json", '{"locale": ' + "1" * 5000 + "}", ": Exceeds the limit"),
    ("number_key.yaml", "1: x", ":1: 1: a key is text, not 1"),
    ("table_key.yaml", "? [a]\n: x", ":1: a key is text"),
    ("anchor.yaml", "a: &a [x, x]\nb: [*a, *a]", ":1: anchors and aliases are not taken"),
    ("tag.yaml", "locale: !!python/name:os.system", ":1: tags are not taken"),
    ("messages.toml", "\nmessages = 3", ":2: messages: takes a list of tables with role and content"),
    ("role.toml", '[[messages]]\nrole = "usr"', ":2: messages[0].role: takes a role: 'usr' is none of them."),
    ("no_role.json", '{"messages":\n[{}]}', ":2: messages[0].role: takes a role: one of system"),
    ("content.toml", '[[messages]]\nrole = "user"\ncontent = 3', ":3: messages[0].content: takes text or a list"),
    (
        "part.json",
        '{"messages": [{"role": "user",\n"content": [{"type": "text"}]}]}',
        ":2: messages[0].content[0].text",
    ),
]


@pytest.mark.parametrize(("name", "text", "message"), [pytest.param(*case, id=case[0]) for case in BAD])
def test_a_bad_file_gets_one_message_with_file_line_and_key(name: str, text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    result = run("compose", file)
    assert f"{file}{message}" in result.stderr
    assert result.stderr.count("\n") == 1
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize("command", ["compose", "inspect"])
def test_the_line_in_toml_is_not_that_of_text_in_a_long_string(command: str, tmp_path: Path) -> None:
    file = tmp_path / "turn.toml"
    file.write_text('[persona]\ncustom = """\ntraits = 1\n[persona]\n"""\ntraits = "x"')
    assert f"{file}:6: persona.traits" in run(command, file).stderr


def test_bytes_that_are_no_utf8_are_refused_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "turn.toml"
    file.write_bytes(b'locale = "en"\n# \xff\n')
    result = run("compose", file)
    assert result.stderr == f"{file}:2: not UTF-8 at byte 16\n"
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_file_of_50_mb_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "turn.json"
    with file.open("wb") as stream:
        stream.truncate(50_000_000)
    monkeypatch.setattr(opening, "_bounded", lambda *_: pytest.fail("it was read"))
    result = run("compose", file)
    assert result.stderr == f"{file}: larger than 8 MiB; this is no turn file\n"
    assert (result.exit_code, result.stdout) == (2, "")


def test_standard_input_is_read_no_further_than_the_limit() -> None:
    result = run("compose", "-", stdin=b"#" * (opening.MOST_BYTES + 2))
    assert (result.exit_code, result.stderr) == (2, "<stdin>: larger than 8 MiB; this is no turn file\n")


def test_a_pipe_that_never_ends_is_read_no_further_than_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "turn.toml"
    os.mkfifo(file)

    def write() -> None:
        with file.open("wb") as stream:
            try:
                while True:
                    stream.write(b"#" * 65_536)
            except BrokenPipeError:
                stream.raw.close()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    assert "larger than 8 MiB" in run("compose", file).stderr
    writer.join(10)
    assert not writer.is_alive()


@pytest.mark.parametrize("file", ["nope.toml", "."])
def test_what_cannot_be_read_is_named(file: str) -> None:
    result = run("compose", file)
    assert result.stderr.startswith(f"{file}: cannot be read: ")
    assert (result.exit_code, result.stdout) == (2, "")


DEEP = {
    "lists.json": '{"a": ' + "[" * 100_000,
    "tables.json": '{"a":' * 100_000,
    "lists.yaml": "a: " + "[" * 70 + "]" * 70,
    "lists.toml": "a = " + "[" * 100_000,
    "tables.toml": "a = " + "{a = " * 100_000,
    "dots.toml": "a." * 100_000 + "a = 1",
    "header.toml": "[" + "a." * 100_000 + "a]",
    "quoted.toml": '"a".' * 1_000 + "a = 1",
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting_is_refused_before_it_is_parsed(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(DEEP[name])
    result = run("compose", file)
    assert result.stderr == f"{file}:1: nested deeper than 64\n"
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize("depth", [100, 100_000])
def test_deep_yaml_is_refused_by_whoever_counts_first(depth: int, tmp_path: Path) -> None:
    file = tmp_path / "turn.yaml"
    file.write_text("a: " + "[" * depth)
    result = run("compose", file)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "deep" in result.stderr or "nesting" in result.stderr


@pytest.mark.parametrize("text", ['{"a": "[[[[', "{]]]]", '{"a": [}', "}{", '"', '{"\\'])
def test_json_that_is_none_gets_a_message_and_never_a_traceback(text: str) -> None:
    result = run("compose", "-", "--format", "json", stdin=text)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)


def test_brackets_in_strings_do_not_count_as_nesting(tmp_path: Path) -> None:
    for name, text in {
        "a.toml": f'model = "{"[" * 200}"\n[persona]\ncustom = """{"{" * 200}\n\\"{"." * 200}"""',
        "a.json": f'{{"model": "{"[" * 200}\\"{"[" * 200}"}}',
    }.items():
        (tmp_path / name).write_text(text)
        assert run("compose", tmp_path / name).exit_code == 0


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"locale": "en"}', Format.JSON),
        ('# a comment\n\nlocale = "en"', Format.TOML),
        ("[identity]\nlabel = 'x'", Format.TOML),
        ("locale: en", Format.YAML),
        ("", Format.YAML),
    ],
)
def test_the_format_of_standard_input_is_guessed_by_its_first_line(text: str, form: Format) -> None:
    assert format_of("-", text) is form
