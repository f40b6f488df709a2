"""Processes that run the project's code: started, talked to and ended, and nothing of them left behind."""
