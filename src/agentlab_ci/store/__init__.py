"""History on disk: one SQLite file, one writer."""
