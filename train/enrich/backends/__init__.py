"""Who answers: a server, vLLM in this process, Ray over several nodes, or the lexicon."""
