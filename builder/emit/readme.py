"""README.md: what the application is, how to run it, and what it is known not to know."""

from collections.abc import Mapping, Sequence

from artifacts.contract import Contract
from builder.compile.site import Compiled
from builder.emit.views import count

_MOST = 60

_TEXT = """\
# {site}

A Flask application that answers for {hosts}, from what was recorded of it.

    pip install -r requirements.txt
    flask --app app run

Then open http://127.0.0.1:5000{start}. State lives in memory and is gone when the application ends.

| file | what it holds |
|---|---|
| `site_routes.py` | one view for each family of addresses, with the evidence it rests on |
| `recorded.py`, `keys.py` | choosing an answer: the same request, a handler, a list, nearly the same request, none |
| `lists.py`, `queries/`, `templates/`, `computed.py` | pages of lists that nobody recorded, made of rows |
| `documents.py` | answers in JSON that nobody recorded, made of rows |
| `handlers.py`, `behaviour.py`, `deeds.py`, `frame.py` | what actions do that nobody recorded, and what shows of it |
| `schema.sql` | the tables of rows in `site.db` |
| `respond.py` | headers, parts, streams of an answer |
| `sockets.py` | speaking over WebSockets as the site did |
| `state.py`, `seed.sql` | what a visitor's actions change |
| `site.db`, `bodies/` | the recorded answers; never written |
| `documents.py`, `apis/` | JSON that nobody recorded, made of rows: how each endpoint reads a request and writes |
| `contract.json` | routes, behaviours, what is volatile and what is unknown |

## Observed

{answers} in {situations}, on {routes}.

{behaviours}
{accounts}
## Not observed

A page that nothing covers gets what the site answered for an address it does not have, whatever its status, or a plain
404. A script gets a JSON error recorded under the same first folder, else a 404 that holds `{{}}` where JSON was
recorded, or nothing. Files that a page uses get an empty 404.

{unknown}
"""


def readme(compiled: Compiled, secrets: Mapping[str, str]) -> str:
    """The text of README.md."""
    contract = compiled.contract
    return _TEXT.format(
        site=contract.site,
        hosts=", ".join(contract.hosts[:6])
        + (f" and {len(contract.hosts) - 6} more" if len(contract.hosts) > 6 else ""),
        start="/" + contract.start.partition("://")[2].partition("/")[2],
        answers=count(len(compiled.answers), "recorded answer"),
        situations=count(len(compiled.nodes), "situation"),
        routes=count(len(contract.routes), "route"),
        behaviours=_list([_behaviour(contract, number) for number in range(len(contract.behaviours))])
        or "No action was tried.\n",
        accounts=_accounts(contract, secrets),
        unknown=_list(list(contract.unknown)) or "Nothing else is known to be missing.",
    )


def _behaviour(contract: Contract, number: int) -> str:
    found = contract.behaviours[number]
    seen = f"seen {count(len(found.observed), 'time')}"
    return f"{found.name}: `{found.trigger}`, {seen}" + (f". {found.experiment}" if found.experiment else "")


def _accounts(contract: Contract, secrets: Mapping[str, str]) -> str:
    if not contract.accounts:
        return ""
    rows = "".join(f"| {a['label']} | {a['user']} | {secrets[a['label']]} |\n" for a in contract.accounts)
    return f"\n## Accounts\n\n| label | user | password |\n|---|---|---|\n{rows}"


def _list(lines: Sequence[str]) -> str:
    shown = [" ".join(line.split()) for line in lines[:_MOST]]
    text = "".join(f"- {line}\n" for line in shown)
    return text + (f"- and {len(lines) - _MOST} more, see contract.json\n" if len(lines) > _MOST else "")
