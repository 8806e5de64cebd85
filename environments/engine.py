"""The container engine: found, asked what it can, and given build contexts that are the same every time."""

import contextlib
import io
import os
import socket
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docker.client import DockerClient
from docker.errors import APIError, BuildError, DockerException, ImageNotFound

from artifacts.errors import MissingError, UnavailableError

START_INTERVAL_API = (1, 44)
"""Engines from this API version on can probe a starting container more often than a running one."""

Content = Path | bytes


@contextlib.contextmanager
def engine() -> Iterator[Any]:
    """A client of the machine's container engine. Raises MissingError("no_docker") when there is none to talk to."""
    _probe_socket()
    try:
        client = DockerClient.from_env()
    except DockerException as error:
        raise _no_docker(error) from error
    try:
        client.ping()
        yield client
    except (DockerException, OSError) as error:
        if isinstance(error, APIError | BuildError | ImageNotFound):
            raise
        raise _no_docker(error) from error
    finally:
        client.close()


def _probe_socket() -> None:
    """Raises MissingError when the engine's socket is not there: the client library would leave one of its own open."""
    host = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    if host.startswith("unix://") and hasattr(socket, "AF_UNIX"):
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(host.removeprefix("unix://"))
            except OSError as error:
                raise _no_docker(error) from error


def _no_docker(error: Exception) -> MissingError:
    return MissingError(
        f"There is no Docker engine to talk to: {str(error).splitlines()[0][:200]}",
        where="DOCKER_HOST, or the engine's own socket",
        remedy="Install and start Docker, and let this user use it; or do without: `webanything serve ENV`.",
        code="no_docker",
    )


def api_version(client: Any) -> tuple[int, ...]:
    """The engine's API version, such as (1, 41)."""
    return tuple(int(part) for part in str(client.version()["ApiVersion"]).split("."))


def image_or_none(client: Any, tag: str) -> Any | None:
    try:
        return client.images.get(tag)
    except ImageNotFound:
        return None


def build(
    client: Any,
    files: Mapping[str, Content],
    dockerfile: Path,
    *,
    tag: str,
    arguments: Mapping[str, str],
    labels: Mapping[str, str],
) -> Any:
    """The image made from these files, without a network. Raises UnavailableError when the engine cannot make it."""
    with tempfile.TemporaryFile() as context:
        write_context(context, {"Dockerfile": dockerfile, **files})
        context.seek(0)
        try:
            image, _ = client.images.build(
                fileobj=context,
                custom_context=True,
                tag=tag,
                buildargs=dict(arguments),
                labels=dict(labels),
                network_mode="none",
                rm=True,
                forcerm=True,
            )
        except (BuildError, APIError) as error:
            raise UnavailableError(
                f"The image could not be built: {str(error).splitlines()[0][:300]}",
                where=tag,
                remedy="Look at the engine's own message; run `docker system df` to see whether it is out of space.",
                code="image_failed",
            ) from error
    return image


def write_context(target: Any, files: Mapping[str, Content]) -> None:
    """A tar archive of the files whose bytes depend on their names and contents only."""
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(files):
            content = files[name]
            entry = tarfile.TarInfo(name)
            entry.mode = 0o644
            if isinstance(content, bytes):
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
                continue
            with content.open("rb") as file:
                entry.size = content.stat().st_size
                archive.addfile(entry, file)
