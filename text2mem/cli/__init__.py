"""The command line, with a file for each command. Data goes to stdout, all else to stderr."""
