"""The command line: one module a command. Modules are imported only when their command is called."""
