"""Tables of published data sets, each read in one place by the app and by training."""
