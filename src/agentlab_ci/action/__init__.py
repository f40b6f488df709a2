"""The GitHub Action: inputs from the runner's environment, one run, and everything that a reviewer sees of it."""
