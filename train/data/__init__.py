"""Sources of ECGs with tags: one module each."""
