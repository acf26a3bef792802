"""Language models: what they are asked, and how their answers are read."""
