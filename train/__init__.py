"""Training of FOCAL: simulation, text tuning, coarse training."""
