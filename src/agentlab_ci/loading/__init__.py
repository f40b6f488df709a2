"""From YAML to core: files in, scenarios and config out, or every problem at once with its place."""
