"""A Docker image of an environment: a thin layer over one shared base, built without a network."""

import contextlib
import importlib.metadata
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from artifacts.digest import digest_bytes, digest_file, digest_json
from artifacts.environment import Environment
from artifacts.errors import MissingError, UsageError
from artifacts.store import write_file
from environments import engine
from environments.runtime.authority import prepare
from environments.runtime.manifest import FILE

PYTHON = "python:3.13-slim"
BASE_NAME = "webanything-runtime"
PACKAGES = (
    "flask", "werkzeug", "jinja2", "click", "itsdangerous", "blinker", "markupsafe", "waitress",
    "simple-websocket", "wsproto", "h11",
)  # fmt: skip
TLS = "tls"
"""The folder of an environment that holds certificates for its image."""
SITE_PORT = 8080
CONTROL_PORT = 8081
USER = "10001:10001"
_PART = r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*"
_TAG = re.compile(rf"(?:[A-Za-z0-9.-]+(?::\d+)?/)?{_PART}(?:/{_PART})*(?::\w[\w.-]{{0,127}})?", re.ASCII)
HEALTH_COMMAND = ("python", "-I", "-S", "/opt/webanything/environments/runtime/health.py")


class ImageResult(NamedTuple):
    """An image that is there now."""

    tag: str
    id: str
    size: int
    """Bytes, the base included."""
    own_size: int
    """Bytes that this environment adds to the base."""
    base: str
    """Tag of the base image, shared by every environment of this runtime."""


def build_image(environment_dir: Path, tag: str | None = None, *, python: str = PYTHON) -> ImageResult:
    """Build the image of an environment and note its tag and id in environment.json.

    Raises UsageError("bad_tag") for a tag that no engine takes, MissingError when there is no engine, or the engine has
    no `python` image to start from.
    """
    record = read_environment(environment_dir)
    tag = checked_tag(default_tag(record) if tag is None else tag)
    mirror = environment_dir / "mirror"
    files: dict[str, engine.Content] = {"environment/environment.json": record.replaced(image="").to_bytes()}
    files |= {
        f"environment/mirror/{path.relative_to(mirror).as_posix()}": path
        for path in mirror.rglob("*")
        if path.is_file() and "__pycache__" not in path.relative_to(mirror).parts
    }
    with engine.engine() as client:
        base = _base_image(client, python)
        files |= _certificates(environment_dir, record.hosts)
        image = engine.build(
            client,
            files,
            dockerfile("environment"),
            tag=tag,
            arguments={"BASE": base.tags[0]},
            labels=_labels(record),
        )
        size = int(image.attrs["Size"])
        result = ImageResult(tag, str(image.id), size, size - int(base.attrs["Size"]), base.tags[0])
    write_file(environment_dir / FILE, record.replaced(image=f"{result.tag} {result.id}").to_bytes())
    return result


def _certificates(environment_dir: Path, hosts: Sequence[str]) -> dict[str, engine.Content]:
    """Certificates for the site's https host names, made once for an environment: the image has nothing to make them.

    Without `cryptography` here either, the image answers for http alone under the site's own names.
    """
    secure = sorted({urlsplit(host).hostname or "" for host in hosts if host.startswith("https://")} - {""})
    folder = environment_dir / TLS
    with contextlib.suppress(ImportError):
        if secure:
            prepare(folder, secure)
    paths = sorted(folder.iterdir()) if secure and folder.is_dir() else []
    return {f"environment/{TLS}/{path.name}": path.read_bytes() for path in paths}


def read_environment(folder: Path) -> Environment:
    """The record of an environment folder. Raises UsageError when it is none."""
    try:
        data = (folder / FILE).read_bytes()
    except OSError as error:
        raise UsageError(
            "This is no environment: it has no environment.json.",
            where=str(folder),
            remedy="Name a folder that `webanything freeze` wrote.",
            code="no_environment",
        ) from error
    return Environment.from_bytes(data)


def default_tag(record: Environment) -> str:
    """The tag an environment's image gets when none is named.

    >>> default_tag(Environment.model_construct(name="shop", version=2))
    'webanything-shop:v2'
    """
    return f"webanything-{record.name}:v{record.version}"


def checked_tag(tag: str) -> str:
    """The tag itself if images may be called so. Raises UsageError otherwise.

    >>> checked_tag("registry.example:5000/team/shop:v2")
    'registry.example:5000/team/shop:v2'
    """
    if len(tag) <= 255 and _TAG.fullmatch(tag):
        return tag
    raise UsageError(
        "This cannot be an image's tag.",
        where=tag or "(empty)",
        remedy="Write --tag like shop:v1: lower-case letters, digits, and . _ - / between them.",
        code="bad_tag",
    )


def _labels(record: Environment) -> dict[str, str]:
    return {
        "org.opencontainers.image.title": record.id,
        "org.opencontainers.image.version": str(record.version),
        "webanything.environment": record.id,
        "webanything.content": record.content,
        "webanything.mirror": record.mirror,
        "webanything.seed": record.seed,
    }


def dockerfile(name: str) -> Path:
    """The Dockerfile of this name: in the project's docker/, or in the installed package."""
    here = Path(__file__).resolve().parent
    for folder in (here.parent / "docker", here / "_docker"):
        path = folder / f"{name}.Dockerfile"
        if path.exists():
            return path
    raise MissingError(
        f"{name}.Dockerfile is not part of this installation.",
        where=str(here),
        remedy="Install webanything again.",
        code="no_dockerfile",
    )


def base_tag(files: dict[str, engine.Content], python: str) -> str:
    """The base image's tag: it changes when the runtime, a package, the Dockerfile or the Python image's name does."""
    digests = {
        name: digest_bytes(content) if isinstance(content, bytes) else digest_file(content)
        for name, content in files.items()
    }
    described = {"files": digests, "dockerfile": digest_file(dockerfile("runtime")), "python": python}
    return f"{BASE_NAME}:{digest_json(described)[:12]}"


def base_image() -> str:
    """The tag of the base image, built if it is not there yet."""
    with engine.engine() as client:
        return str(_base_image(client, PYTHON).tags[0])


def _base_image(client: Any, python: str) -> Any:
    files = runtime_context()
    tag = base_tag(files, python)
    there = engine.image_or_none(client, tag)
    if there is None:
        if engine.image_or_none(client, python) is None:
            raise MissingError(
                f"The engine has no image {python} to build on, and builds have no network.",
                where=python,
                remedy=f"Run `docker pull {python}` where there is a network, or `docker load` an archive of it.",
                code="no_base_image",
            )
        there = engine.build(
            client,
            files,
            dockerfile("runtime"),
            tag=tag,
            arguments={"PYTHON": python},
            labels={"webanything.runtime": tag.partition(":")[2]},
        )
    there.tags.sort(key=lambda name: name != tag)
    return there


def runtime_context() -> dict[str, engine.Content]:
    """Everything the base image holds besides Python, by its path in the build context."""
    package = Path(__file__).resolve().parent
    files: dict[str, engine.Content] = {"app/environments/__init__.py": package / "__init__.py"}
    runtime = package / "runtime"
    files |= {
        f"app/environments/runtime/{path.relative_to(runtime).as_posix()}": path
        for path in runtime.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    for name in PACKAGES:
        files |= _installed(name)
    return files


def _installed(name: str) -> dict[str, engine.Content]:
    """The pure Python of an installed distribution, with its licence; compiled parts all have a fallback."""
    distribution = importlib.metadata.distribution(name)
    kept: dict[str, engine.Content] = {}
    for file in distribution.files or ():
        is_notice = ".dist-info" in file.parts[0] and file.name.upper().startswith(("LICEN", "METADATA", "COPYING"))
        if (file.suffix == ".py" or is_notice) and ".." not in file.parts:
            kept[f"app/{file.as_posix()}"] = Path(str(distribution.locate_file(file)))
    return kept
