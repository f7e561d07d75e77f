"""A page in the browser: open a file, pick the target, look. Nothing imports this room."""
