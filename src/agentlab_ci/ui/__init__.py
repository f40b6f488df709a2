"""Pages over the history in a browser; needs the extra `ui` and is imported only where it is served."""
