"""`webanything run ENV...`."""

from pathlib import Path

import click

from webanything.cli.console import Console
from webanything.cli.options import common
from webanything.cli.saved import environment_of, unchanged
from webanything.display.choose import choose
from webanything.interrupt import stopped, stopping

_OUT = Path("webanything-trajectories")


@click.command("run")
@click.argument("named", metavar="ENV...", nargs=-1, required=True)
@click.option("--agent", required=True, metavar="NAME", help="random, scripted or null.")
@click.option("--script", type=click.Path(path_type=Path), metavar="FILE", help="What the scripted agent does.")
@click.option("--episodes", type=click.IntRange(1), default=1, show_default=True, help="Episodes in each environment.")
@click.option("--steps", type=click.IntRange(1), default=20, show_default=True, help="Steps an episode may take.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the first episode; they count up.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=_OUT, show_default=True, help="Folder for trajectories."
)
@common
@click.pass_obj
def command(
    console: Console,
    /,
    named: tuple[str, ...],
    agent: str,
    script: Path | None,
    episodes: int,
    steps: int,
    seed: int,
    out: Path,
) -> None:
    """Let an agent act in environments, each episode from a fresh reset, and keep its trajectory.

    A script is JSON: {"steps": [..]}. A step is an action string such as "click('12')", or says what a person would:
    {"click": {"role": "button", "name": "Log in", "nth": 0}}, {"fill": {"role": "textbox", "name": "Password"}, "with":
    "{user.password}"}, {"goto": "/cart"} or {"answer": "done"}. {user.user} and {user.password} are those of the
    environment's account named user.
    """
    from webanything.agents.run import run_episodes

    environments = [unchanged(environment_of(one)) for one in named]
    display = choose("auto", json_lines=console.json)
    with stopping(console.say) as stop:
        for environment in environments:
            results = run_episodes(
                environment, agent=agent, episodes=episodes, steps=steps, seed=seed, out=out, emit=display.event,
                script=script, stop=stop,
            )  # fmt: skip
            for result in results:
                data = result.model_dump(mode="json")
                if not console.json:
                    console.result(
                        ", ".join(f"{key} {value}" for key, value in data.items() if value not in (None, ""))
                    )
            if stop():
                display.close()
                raise stopped(out)
    display.close()
