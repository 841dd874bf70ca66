"""What belongs together: episodes of a session, and themes across sessions."""
