"""The top of the project: the command, the stage graph and everything that may know all stages."""

__version__ = "0.1.0"
