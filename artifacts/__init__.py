"""What the stages leave behind: the records, the store that holds them, and the errors every stage speaks.

The bottom of the import graph. Nothing here starts a browser, a server, a proxy or a model.
"""
