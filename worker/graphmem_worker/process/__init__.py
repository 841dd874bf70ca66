"""The worker process and both ends of its pipes."""
