"""What is shared on the Hub: a model, the enriched corpus, a Space; each a folder first."""
