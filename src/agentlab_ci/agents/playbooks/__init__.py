"""How the mock agent works on tasks: one playbook for each kind of job, pure and deterministic."""
