"""agentlab: run YAML scenarios against an AI agent, k samples each, and gate on the verdict."""

__version__ = "0.1.0"
