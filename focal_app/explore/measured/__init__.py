"""What is measured on a recording, apart from what the model says of it."""
