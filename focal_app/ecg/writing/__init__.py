"""Recordings as files of other programs, written without identity."""
