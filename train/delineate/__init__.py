"""The delineator: annotated leads, training, and what it measures on records it has not seen."""
