"""Measuring a checkpoint: what it finds on recordings that training did not see."""
