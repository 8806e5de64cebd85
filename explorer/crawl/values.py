"""What looking at pages is worth, and how many of a kind are enough. Pure."""

FETCHES_A_PAGE = 10
"""Pages that may be taken by plain requests for each one that may be rendered."""
FETCHES_WITHOUT_LIMIT = 5_000
MOST_TEXT = 300
"""Characters kept of the texts of links to one address."""
LOGIN = 99
"""Value of the page where a named account logs in: most of what the account is for lies behind it."""
BATCH = 20
"""Pages fetched in one step, and so lost at most when the run is killed."""
CLOSED = 5.0
"""Value of a page, to a stranger, of a kind that sends strangers away; accounts see what it is."""
MUCH = 40.0
"""Value from which on a page that is left to look at keeps accounts to their share."""
FIRST_KINDS = 6
"""Templates of which one page is looked at twice."""
QUERY_SAMPLE = 5
"""Pages of one template that differ only in their query; more are facets, sort orders and calendars."""


def page_value(taken: int, depth: int, has_query: bool) -> float:
    """Value of looking at one more page of a template of which some were taken."""
    base = (100.0, 60.0, 40.0)[taken] if taken < 3 else 40.0 / taken
    return base - min(depth, 9) - (3 if has_query else 0)
