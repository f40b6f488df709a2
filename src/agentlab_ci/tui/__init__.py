"""The live view of a run in the terminal; needs the extra `tui` and is imported only where it is shown."""
