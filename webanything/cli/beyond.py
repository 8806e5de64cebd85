"""What a mirror knows beyond what was captured, as lines to read."""

from artifacts.contract import Contract
from artifacts.mirror import Mirror


def beyond(mirror: Mirror, contract: Contract | None) -> list[tuple[str, str]]:
    """Each line with its name; none for a mirror whose pages nobody took apart."""
    told = {name: int(value) for name, value in mirror.claims.items()}
    if "page_kinds" not in told or contract is None:
        return []
    lines = [
        ("pages", f"{told['page_kinds']} kinds; {told['pages_compiled']} pages given back by templates,"
                  f" {told['pages_kept']} kept as captured"),
        ("lists", f"{told['lists_settled']} settled, {told['lists_inferred']} inferred, {told['lists_open']} open"),
        ("endpoints", f"{told.get('endpoints', 0)} answer in JSON from tables"),
    ]  # fmt: skip
    lines += [("table", f"{one.table}: {one.rows} rows, {len(one.columns)} columns") for one in contract.entities]
    for one in contract.behaviours:
        if one.name.startswith(("list ", "answer ")):
            lines.append((one.status, f"{one.trigger}; {'; '.join(one.variants)}"))
            lines += [("to settle", one.experiment)] if one.experiment else []
    return lines
