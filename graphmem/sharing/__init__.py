"""Shared and working memory: items, pools and their changes, contexts, working sets, tiers."""
