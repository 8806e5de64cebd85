"""How a page is looked at, the same for the site and for its mirror.

The only code that the Explorer and the Verifier share. It knows Playwright and `artifacts`, never a crawl or a verdict.
"""
