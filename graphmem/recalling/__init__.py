"""Recalling: from a cue to ranked hits and what fills a token budget behind them."""
