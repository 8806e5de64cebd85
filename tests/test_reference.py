import re
import subprocess
import sys
from pathlib import Path

from webanything.cli.main import COMMANDS

HOME = Path(__file__).parent.parent


def test_the_reference_is_what_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/reference.py", "--check"], cwd=HOME, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_readme_names_commands_that_are_there() -> None:
    text = (HOME / "README.md").read_text()
    named = set(re.findall(r"^\s+webanything (\w[\w-]*)|&& webanything (\w[\w-]*)", text, re.MULTILINE))
    assert {word for pair in named for word in pair if word} <= set(COMMANDS)
    targets = set(re.findall(r"\]\(([^)#:]+)\)", text))
    assert [target for target in targets if not (HOME / target).exists()] == []
