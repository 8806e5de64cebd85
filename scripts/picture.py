"""Takes the README's picture of a run's report: `python scripts/picture.py RUN` writes docs/images/report.png."""

import sys
from pathlib import Path

from artifacts.run import Lens
from explorer.lens.browser import new_context, open_browser

HOME = Path(__file__).resolve().parent.parent


def main(run: Path) -> None:
    target = HOME / "docs" / "images" / "report.png"
    target.parent.mkdir(exist_ok=True)
    with open_browser() as browser:
        context = new_context(browser, Lens(width=1200, height=1250))
        page = context.new_page()
        page.goto((run / "report.html").resolve().as_uri())
        page.wait_for_load_state("networkidle")
        page.screenshot(path=target)
        context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
