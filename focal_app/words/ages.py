"""Words that say how old a finding is."""

_AGES = {
    "old": """old older history previous prior remote healed former zn alt alter alten älter älterer
        älterem abgelaufen abgelaufener stattgehabt zustand""",
    "new": """new newly now acute recent recently fresh evolving onset neu neuer neue akut akuter
        akute akuten frisch frischer frische frischen""",
    "undetermined": "undetermined indeterminate unbestimmt unbestimmtes",
}
AGE_OF = {word: age for age, words in _AGES.items() for word in words.split()}
