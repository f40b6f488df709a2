"""The deterministic checks: one file for each kind, one registry row each."""
