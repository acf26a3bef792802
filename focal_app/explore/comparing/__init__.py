"""An ECG and an earlier one of the same patient."""
