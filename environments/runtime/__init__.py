"""Serves one mirror: sessions, reset, clock, control plane. The only code of the project that is copied into an image.

Flask, waitress and the standard library; nothing else may be imported here.
"""
