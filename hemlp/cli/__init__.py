"""The command line: thin, every command a few calls of the library. Imports everything, when it is needed."""
