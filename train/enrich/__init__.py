"""Waveform features that reports leave out: generated from their tags, verified on the ECG."""
