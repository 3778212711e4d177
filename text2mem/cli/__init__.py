"""The command line: one file a command. Data goes to stdout, everything else to stderr."""
