"""What is needed now, and what is shared: items, pools and their changes, working sets, tiers."""
