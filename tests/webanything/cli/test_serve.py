import json
from pathlib import Path

from artifacts.errors import ExitCode
from tests.environments import tinymirror
from tests.webanything.cli.test_main import webanything


def test_one_answer_is_the_body_or_one_line_of_json(tmp_path: Path) -> None:
    tinymirror.write_environment(tmp_path / "env")
    plain = webanything("serve", tmp_path / "env", "--get", "/cart")
    assert (plain.returncode, plain.stdout) == (0, "<title>Cart</title><ul></ul><p>0 items</p>")
    done = webanything("serve", tmp_path / "env", "--get", "/cart", "--json")
    (line,) = done.stdout.splitlines()
    told = json.loads(line)
    assert (told["status"], told["body"]) == (200, plain.stdout)
    assert ["Content-Type", "text/html; charset=utf-8"] in told["headers"] or ["Content-Type", "text/html"] in told[
        "headers"
    ]


def test_a_miss_is_told_in_lines_of_json_with_its_code(tmp_path: Path) -> None:
    tinymirror.write_environment(tmp_path / "env")
    done = webanything("serve", tmp_path / "env", "--get", "/nowhere", "--json")
    answer, error = [json.loads(line) for line in done.stdout.splitlines()]
    assert (answer["status"], answer["body"]) == (404, "<h1>Nothing here</h1>")
    assert (done.returncode, error["code"]) == (ExitCode.UNAVAILABLE, "http_404")
