"""What a model wrote is compared with its source before it is kept."""
