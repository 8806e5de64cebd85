"""Captured traffic in the standard formats of web archives: HAR and WACZ, out of evidence and into it."""
