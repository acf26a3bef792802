"""Recordings and readings in, drawings out (SVG, PDF, a chart): no page, no server."""
