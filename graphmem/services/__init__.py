"""Services for verbs and the runtime: queues with back-off, the embedder, models, token counts."""
