"""`python -m webanything`: the same as the installed command."""

from webanything.cli.main import run

if __name__ == "__main__":
    run()
