"""Forgetting: passes, shorter forms, tombstones, the archive, slots, and undoing it."""
