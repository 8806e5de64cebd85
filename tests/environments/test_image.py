import io
import json
import ssl
import tarfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from artifacts.environment import Environment
from artifacts.errors import MissingError, UsageError
from environments import engine, image
from environments.runtime.manifest import runtime_files
from tests.environments import tinymirror


def test_the_context_is_the_same_every_time_and_holds_no_compiled_code(tmp_path: Path) -> None:
    files = image.runtime_context()
    archives = []
    for _ in range(2):
        archive = io.BytesIO()
        engine.write_context(archive, {**files, "Dockerfile": image.dockerfile("runtime")})
        archives.append(archive.getvalue())
    assert archives[0] == archives[1]
    with tarfile.open(fileobj=io.BytesIO(archives[0])) as archive:
        names = archive.getnames()
    assert {"app/flask/app.py", "app/waitress/server.py", "app/environments/runtime/serve.py"} <= set(names)
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc"))]
    assert {f"app/environments/runtime/{name}" for name in runtime_files()} <= set(names)


def test_every_package_ships_with_its_licence() -> None:
    for package in image.PACKAGES:
        notices = [name for name in image._installed(package) if "LICEN" in name.upper()]
        assert notices, package


def test_the_base_image_is_named_by_what_is_in_it() -> None:
    files = image.runtime_context()
    tag = image.base_tag(files, image.PYTHON)
    assert tag == image.base_tag(image.runtime_context(), image.PYTHON)
    assert tag != image.base_tag({**files, "app/more.py": b""}, image.PYTHON)
    assert tag != image.base_tag(files, "python:3.14-slim")


@pytest.mark.parametrize("tag", ["BAD TAG!", "", "Shop", "shop:", "a//b", "shop:v1 ", "x" * 300])
def test_a_tag_no_engine_takes_is_refused_before_one_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tag: str
) -> None:
    tinymirror.write_environment(tmp_path / "env")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    with pytest.raises(UsageError) as failed:
        image.build_image(tmp_path / "env", tag)
    assert failed.value.code == "bad_tag"


def test_without_an_engine_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tinymirror.write_environment(tmp_path / "env")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    with pytest.raises(MissingError) as failed:
        image.build_image(tmp_path / "env")
    assert failed.value.code == "no_docker"
    assert "webanything serve" in failed.value.remedy


def test_what_is_no_environment(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        image.build_image(tmp_path)


@pytest.mark.docker
def test_a_missing_python_image_is_named(tmp_path: Path) -> None:
    tinymirror.write_environment(tmp_path / "env")
    with pytest.raises(MissingError) as failed:
        image.build_image(tmp_path / "env", python="python:0.0-nowhere")
    assert failed.value.code == "no_base_image"
    assert "python:0.0-nowhere" in failed.value.remedy


@pytest.mark.docker
def test_an_image_is_a_thin_layer_and_knows_what_it_holds(tmp_path: Path) -> None:
    record = tinymirror.write_environment(tmp_path / "env", name="tinyimage")
    with engine.engine() as client:
        made = image.build_image(tmp_path / "env")
        try:
            config = client.images.get(made.tag).attrs["Config"]
            assert made.own_size < 1_000_000 < made.size
            assert config["User"] == "10001:10001"
            assert config["Labels"]["webanything.content"] == record.content
            assert set(config["ExposedPorts"]) == {"8080/tcp", "8081/tcp"}
            assert config["Entrypoint"][0] == "python"
            assert image.build_image(tmp_path / "env").id == made.id
            noted = Environment.from_bytes((tmp_path / "env" / "environment.json").read_bytes())
            assert noted.image == f"{made.tag} {made.id}"
            assert noted.content == record.content
        finally:
            client.images.remove(made.tag)


def ready_line(container: Any) -> bytes:
    """The line of a container's log that says where it serves."""
    for _ in range(100):
        if found := [line for line in container.logs().splitlines() if line.startswith(b"{")]:
            return bytes(found[0])
        time.sleep(0.2)
    raise AssertionError(container.logs().decode())


@pytest.mark.docker
def test_an_image_answers_for_the_sites_https_names_though_it_cannot_make_certificates(tmp_path: Path) -> None:
    tinymirror.write_environment(tmp_path / "env", name="tinysecure")
    with engine.engine() as client:
        made = image.build_image(tmp_path / "env")
        ports = {"8080/tcp": ("127.0.0.1", None)}
        container = client.containers.run(made.tag, detach=True, read_only=True, tmpfs={"/tmp": ""}, ports=ports)
        try:
            line = ready_line(container)
            container.reload()
            proxy = f"http://127.0.0.1:{container.ports['8080/tcp'][0]['HostPort']}"
            assert json.loads(line)["spki"] == (tmp_path / "env" / "tls" / "spki").read_text()
            trusting = ssl.create_default_context(cafile=tmp_path / "env" / "tls" / "ca.pem")
            handlers = (urllib.request.ProxyHandler({"https": proxy}), urllib.request.HTTPSHandler(context=trusting))
            with urllib.request.build_opener(*handlers).open(tinymirror.HOSTS[0] + "/", timeout=20) as answer:
                assert answer.status == 200
        finally:
            container.remove(force=True)
            client.images.remove(made.tag)
