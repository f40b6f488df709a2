"""Effects: what a run shows and leaves behind, on the console, in files, and on GitHub."""
