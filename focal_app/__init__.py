"""FOCAL Explorer: which findings a 12-lead ECG supports, and where they show."""
