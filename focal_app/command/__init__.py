"""The command line: recordings in, JSON or a table out; no page, no server."""
