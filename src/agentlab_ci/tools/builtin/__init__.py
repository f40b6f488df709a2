"""The tools that ship with agentlab, one module for each domain."""
