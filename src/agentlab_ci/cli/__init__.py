"""The command line: parse, call app, print, exit. One file for each command."""
