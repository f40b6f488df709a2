"""The tools that tasks may use: the built-in ones, and the project's own."""
