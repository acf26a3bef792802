"""The wordings of a statement that training may see; `held_out` ones are for measuring alone."""

from focal_app.lexicon import Statement


def tuning_names(statement: Statement) -> tuple[str, ...]:
    """Its wordings, each once, the preferred one first."""
    names = (statement.tag, *statement.synonyms, *statement.abbreviations)
    return tuple(dict.fromkeys(names))
