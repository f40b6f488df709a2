"""From a RunReport to text: one pure renderer for each format, and the rules that make text safe."""
