"""seed.sql: the tables of what can change, and the accounts with passwords of the sandbox's own."""

from collections.abc import Mapping

from artifacts.contract import Contract
from artifacts.digest import digest_bytes

_TABLES = """\
-- What can change. A session's database is made from this file; what cannot change is in site.db.

CREATE TABLE visitor (
  id INTEGER PRIMARY KEY,
  token TEXT NOT NULL UNIQUE
);

-- What a visitor's actions made of the site: the latest situation has the greatest depth.
CREATE TABLE situation (
  visitor INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  node INTEGER NOT NULL,
  PRIMARY KEY (visitor, depth)
);

-- How far along the answers of a request that is answered differently over time.
CREATE TABLE position (
  visitor INTEGER NOT NULL,
  request INTEGER NOT NULL,
  place INTEGER NOT NULL,
  PRIMARY KEY (visitor, request)
);

CREATE TABLE account (
  label TEXT PRIMARY KEY,
  user TEXT NOT NULL,
  password TEXT NOT NULL
);
"""


def sandbox_password(site: str, label: str) -> str:
    """The password of an account on the mirror: always the same, and never the real one.

    >>> sandbox_password("https://shop.example", "user")
    'sandbox-a82b9b'
    """
    return f"sandbox-{digest_bytes(f'{site} {label}'.encode())[:6]}"


def passwords(contract: Contract, given: Mapping[str, str] | None) -> dict[str, str]:
    """Label -> password for every account; those `given` win."""
    chosen = dict(given or {})
    return {
        account["label"]: chosen.get(account["label"]) or sandbox_password(contract.site, account["label"])
        for account in contract.accounts
    }


def seed_sql(contract: Contract, secrets: Mapping[str, str]) -> str:
    """The text of seed.sql."""
    rows = [
        f"INSERT INTO account VALUES ({_text(account['label'])}, {_text(account['user'])}, "
        f"{_text(secrets[account['label']])});"
        for account in contract.accounts
    ]
    return _TABLES + "".join(f"\n{row}" for row in rows) + ("\n" if rows else "")


def _text(value: str) -> str:
    return "'" + value.replace("'", "''").replace("\x00", "") + "'"
