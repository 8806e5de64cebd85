import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).parent.parent


def test_the_reference_is_what_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/reference.py", "--check"], cwd=HOME, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
