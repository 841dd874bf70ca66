"""An open folder: its store, worker and background jobs."""
