"""`webanything compose ENV...`."""

from pathlib import Path

import click

from artifacts.errors import UsageError
from webanything.cli.console import Console
from webanything.cli.options import common
from webanything.cli.saved import environment_of, unchanged


@click.command("compose")
@click.argument("named", metavar="ENV...", nargs=-1, required=True)
@click.option("--out", type=click.Path(path_type=Path), default=Path(), metavar="DIR", help="Where to write; here.")
@click.option(
    "--port", type=click.IntRange(1, 65000), default=8080, show_default=True, help="The first port to publish."
)
@common
@click.pass_obj
def command(console: Console, /, named: tuple[str, ...], out: Path, port: int) -> None:
    """Write a docker-compose.yml for environments.

    One that was written before is kept as docker-compose.yml.before. Images are built where they are missing. Tokens go
    to a .env file beside it. Then: docker compose up --wait
    """
    from environments.compose import FILE, write_compose

    if (out / FILE).exists() and "webanything" not in (out / FILE).read_text(errors="replace"):
        remedy = "Choose another folder with --out, or move the file away."
        raise UsageError(f"There is a {FILE} of yours.", where=str(out / FILE), remedy=remedy, code="file_exists")
    _keep(out / FILE)
    written = write_compose([unchanged(environment_of(one)) for one in named], out, port=port)
    lines = [f"{service.name:<20} {service.url}  control {service.control_url}" for service in written.services]
    services = [
        {"name": one.name, "image": one.image, "url": one.url, "control_url": one.control_url}
        for one in written.services
    ]
    console.result(
        "\n".join([str(written.file), *lines, f"next: docker compose -f {written.file} up --wait"]),
        {"file": str(written.file), "env_file": str(written.env_file), "services": services},
    )


def _keep(file: Path) -> None:
    """Set an older file aside under another name: it may have been for other environments."""
    if file.exists():
        file.replace(file.with_name(f"{file.name}.before"))
