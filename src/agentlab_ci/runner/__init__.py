"""Plan and run: a pure plan, a pure schedule, and the engine that is the only concurrency."""
