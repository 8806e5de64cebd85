"""The report for people: one file that opens from disk and asks the network for nothing."""

from webanything.report_html.page import render

__all__ = ["render"]
