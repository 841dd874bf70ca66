"""What the verbs and the runtime both need: queues with back-off, the embedder, models."""
