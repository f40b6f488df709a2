"""`python -m agentlab_ci`."""

from agentlab_ci.cli.main import main

main()
