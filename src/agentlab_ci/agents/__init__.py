"""The agents under test: one file for each way to reach one, one registry row each."""
