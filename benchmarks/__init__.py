"""Speed, measured side by side."""
