"""Programs for people: the command line, the shell, the demo, the folder watcher."""
