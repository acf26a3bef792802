"""Recordings and readings in, Plotly figures out: no page, no server."""
