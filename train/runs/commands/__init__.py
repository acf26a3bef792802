"""The commands of the training package, a module a family; `add` puts them into the parser."""
