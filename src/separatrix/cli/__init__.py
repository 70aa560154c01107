"""The command line: arguments in, answers out. Data on stdout, everything else on stderr."""
