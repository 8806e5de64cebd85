"""A docker-compose.yml for one or many environments, shut in: no way out, no rights, nothing writable."""

import contextlib
import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from artifacts.environment import Environment
from artifacts.errors import UsageError
from artifacts.store import write_file
from environments import engine
from environments.image import CONTROL_PORT, HEALTH_COMMAND, SITE_PORT, USER, base_image, build_image, read_environment

FILE = "docker-compose.yml"
SITE_MEMORY = "1g"
GATE_MEMORY = "128m"
FIRST_PORT = 8080


class Service(NamedTuple):
    """One environment in a compose file and where the machine reaches it."""

    name: str
    image: str
    port: int
    control_port: int
    token_variable: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def control_url(self) -> str:
        return f"http://127.0.0.1:{self.control_port}"


class ComposeResult(NamedTuple):
    """The files that were written, and what `docker compose up` will start."""

    file: Path
    env_file: Path
    services: tuple[Service, ...]


def write_compose(environments: Sequence[Path], out: Path, *, port: int = FIRST_PORT) -> ComposeResult:
    """docker-compose.yml in the folder `out`, and beside it `.env` with a token for each environment.

    Images are built where they are missing. Ports count up from `port`, the site's first, then its control plane's.
    Tokens that are in `.env` already stay the same.
    """
    if not environments:
        raise UsageError("There is no environment to compose.", remedy="Name at least one.", code="nothing_to_compose")
    records = [read_environment(folder) for folder in environments]
    services = tuple(
        Service(name, build_image(folder).tag, port + 2 * index, port + 2 * index + 1, _variable(name))
        for index, (folder, name) in enumerate(zip(environments, service_names(records), strict=True))
    )
    with engine.engine() as client:
        quick_start = engine.api_version(client) >= engine.START_INTERVAL_API
    described = compose_file(services, base=base_image(), quick_start=quick_start)
    env_file = out / ".env"
    _write_tokens(env_file, services)
    write_file(out / FILE, ("\n".join(yaml_lines(described)) + "\n").encode())
    return ComposeResult(out / FILE, env_file, services)


def service_names(records: Sequence[Environment]) -> list[str]:
    """A name for each environment that no other has: its own, with its version or a number where that is not enough."""
    names = [record.name for record in records]
    if len(set(names)) < len(names):
        names = [f"{record.name}-v{record.version}" for record in records]
    taken: Counter[str] = Counter()
    unique = []
    for name in names:
        taken[name] += 1
        unique.append(name if taken[name] == 1 else f"{name}-{taken[name]}")
    return unique


def _variable(name: str) -> str:
    return "WEBANYTHING_TOKEN_" + re.sub(r"[^A-Z0-9]", "_", name.upper())


def compose_file(services: Sequence[Service], *, base: str, quick_start: bool) -> dict[str, Any]:
    """The compose file as a value. Each environment is alone on a network without a way out; the gate is on all.

    `quick_start` says whether the engine can probe more often while a container starts; others probe often for ever.
    """
    described: dict[str, Any] = {"name": "webanything-" + services[0].name, "services": {}, "networks": {}}
    for service in services:
        described["services"][service.name] = {
            "image": service.image,
            **_shut_in(SITE_MEMORY),
            "environment": {
                "WEBANYTHING_TOKEN": f"${{{service.token_variable}:?it is in the .env file beside this one}}",
                "WEBANYTHING_PUBLIC_PORT": str(service.port),
            },
            "networks": [f"inside-{service.name}"],
            "healthcheck": _health([*HEALTH_COMMAND, str(CONTROL_PORT)], quick_start=quick_start),
        }
        # an internal network has no way out, yet its bridge would be an address of the host
        alone = {"com.docker.network.bridge.inhibit_ipv4": "true"}
        described["networks"][f"inside-{service.name}"] = {"internal": True, "driver_opts": alone}
    ports = [port for service in services for port in (service.port, service.control_port)]
    described["services"]["gate"] = {
        "image": base,
        **_shut_in(GATE_MEMORY),
        "entrypoint": ["python", "-m", "environments.runtime.gate"],
        "command": [
            route
            for service in services
            for route in (
                f"{service.port}={service.name}:{SITE_PORT}",
                f"{service.control_port}={service.name}:{CONTROL_PORT}",
            )
        ],
        "networks": ["outside", *described["networks"]],
        "ports": [f"127.0.0.1:{port}:{port}" for port in ports],
        "healthcheck": _health([*HEALTH_COMMAND, str(services[0].control_port)], quick_start=quick_start),
    }
    # ports are published on networks that are not internal only; without masquerading none of it gets answers from afar
    masquerade = {"com.docker.network.bridge.enable_ip_masquerade": "false"}
    described["networks"]["outside"] = {"driver_opts": masquerade}
    return described


def _shut_in(memory: str) -> dict[str, Any]:
    return {
        "user": USER,
        "read_only": True,
        "tmpfs": ["/tmp:size=64m,mode=1777"],
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "mem_limit": memory,
        "pids_limit": 128,
        "restart": "unless-stopped",
    }


def _health(command: list[str], *, quick_start: bool) -> dict[str, Any]:
    pace = {"interval": "30s", "start_interval": "1s"} if quick_start else {"interval": "2s"}
    return {"test": ["CMD", *command], **pace, "timeout": "3s", "start_period": "20s", "retries": 5}


def _write_tokens(path: Path, services: Sequence[Service]) -> None:
    """Keep the lines that are there, and add a token for every service that has none. Readable by the owner only."""
    lines: dict[str, str] = {}
    with contextlib.suppress(FileNotFoundError):
        for line in path.read_text("utf-8").splitlines():
            lines[line.partition("=")[0]] = line
    for service in services:
        lines.setdefault(service.token_variable, f"{service.token_variable}={secrets.token_urlsafe(24)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write("\n".join(lines.values()) + "\n")
    temporary.replace(path)


def yaml_lines(value: Any, depth: int = 0) -> list[str]:
    """Mappings, lists, texts, numbers and booleans as YAML lines; what could be misread is quoted.

    >>> print("\\n".join(yaml_lines({"a": {"b": ["1:2", True]}, "c": 3})))
    a:
      b:
        - "1:2"
        - true
    c: 3
    """
    lead = "  " * depth
    lines: list[str] = []
    if isinstance(value, dict):
        for key, part in value.items():
            if isinstance(part, dict | list) and part:
                lines += [f"{lead}{key}:", *yaml_lines(part, depth + 1)]
            else:
                lines.append(f"{lead}{key}: {_scalar(part)}")
    else:
        lines += [f"{lead}- {_scalar(part)}" for part in value]
    return lines


def _scalar(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_./-]*", value):
        return json.dumps(value) if value.lower() in ("true", "false", "yes", "no", "on", "off", "null") else value
    return json.dumps(value)
