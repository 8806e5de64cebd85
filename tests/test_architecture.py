"""The shape of the code: who may import whom, and how long a piece may be. The lists of exceptions may only shrink."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HOME = Path(__file__).parent.parent
PACKAGES = ("artifacts", "builder", "environments", "explorer", "verifier", "webanything")
MODULE_LINES = 400
FUNCTION_LINES = 50
LONG_MODULES: dict[str, int] = {}
"""Module -> lines it may have; longer than allowed for now."""
LONG_FUNCTIONS: dict[str, int] = {}
"""module:function -> lines it may have."""


def modules() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((HOME / package).rglob("*.py"))]


def name(path: Path) -> str:
    return path.relative_to(HOME).as_posix()


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield f"{name(path)}:{node.name}", node.end_lineno - node.lineno + 1


def test_the_import_rules_are_kept() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=HOME,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("package", ["explorer", "builder", "environments", "verifier"])
def test_a_stages_init_brings_nothing_with_it(package: str) -> None:
    # Python runs a parent's __init__ for every module below it; the import rules do not see that
    tree = ast.parse((HOME / package / "__init__.py").read_text())
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def test_the_verifier_runs_where_builder_and_crawler_cannot_be_imported() -> None:
    script = (
        "import importlib, pkgutil, sys\n"
        "for name in ('builder', 'explorer.crawl', 'environments', 'webanything', 'flask', 'mitmproxy', 'anthropic'):\n"
        "    sys.modules[name] = None\n"
        "import verifier\n"
        "for module in pkgutil.walk_packages(verifier.__path__, 'verifier.'):\n"
        "    if not module.name.endswith('__main__'):\n"
        "        importlib.import_module(module.name)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=HOME, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_ships_in_an_image_imports_only_flask_waitress_and_the_standard_library() -> None:
    script = (
        "import importlib, pkgutil, sys\n"
        "for name in ('artifacts', 'builder', 'explorer', 'verifier', 'webanything', 'pydantic', 'playwright', 'lxml',\n"
        "             'bs4', 'docker', 'rich'):\n"
        "    sys.modules[name] = None\n"
        "import environments.runtime as runtime\n"
        "for module in pkgutil.walk_packages(runtime.__path__, 'environments.runtime.'):\n"
        "    importlib.import_module(module.name)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=HOME, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_module_is_longer_than_it_may_be() -> None:
    lengths = {name(path): len(path.read_text().splitlines()) for path in modules()}
    long = {module: lines for module, lines in lengths.items() if lines > LONG_MODULES.get(module, MODULE_LINES)}
    assert long == {}
    idle = {module for module in LONG_MODULES if lengths.get(module, 0) <= MODULE_LINES}
    assert idle == set(), "short enough now: take it off the list"


def test_no_function_is_longer_than_it_may_be() -> None:
    lengths = dict(pair for path in modules() for pair in functions(path))
    long = {
        function: lines for function, lines in lengths.items() if lines > LONG_FUNCTIONS.get(function, FUNCTION_LINES)
    }
    assert long == {}
    idle = {function for function in LONG_FUNCTIONS if lengths.get(function, 0) <= FUNCTION_LINES}
    assert idle == set(), "short enough now: take it off the list"


@pytest.mark.parametrize("synonym", ["replica", "clone of the site", "screencap"])
def test_one_word_for_one_idea(synonym: str) -> None:
    found = [name(path) for path in modules() if synonym in path.read_text().lower()]
    assert found == []


def test_importing_any_module_prints_nothing_and_writes_nothing(tmp_path: Path) -> None:
    names = [name(path).removesuffix(".py").replace("/", ".").removesuffix(".__init__") for path in modules()]
    wanted = [module for module in names if not module.endswith("__main__") and ".templates" not in module]
    script = f"import importlib\nfor name in {wanted!r}:\n    importlib.import_module(name)\n"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []
