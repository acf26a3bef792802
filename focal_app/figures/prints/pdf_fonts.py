"""The font of the PDF, which is embedded, and how words are written for which it has no letters.

Bitstream Vera comes with reportlab, under a licence that lets documents carry it. It has Latin
letters alone: Cyrillic and Greek are written in Latin ones, other letters by their code points.
"""

import unicodedata
from functools import cache

PLAIN, BOLD = "Vera", "VeraBd"
_LETTERS = """
аa бb вv гg дd еe ёyo жzh зz иi йy кk лl мm нn оo пp рr сs тt уu фf хkh цts чch
шsh щshch ъ' ыy ь' эe юyu яya єye іi їyi ґg ўu
αa βb γg δd εe ζz ηe θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φph χch ψps ωo
"""
_LATIN = {pair[0]: pair[1:] for pair in _LETTERS.split()}
"""Letters of Cyrillic and Greek, each before the Latin ones that stand for it."""


@cache
def fonts() -> frozenset[str]:
    """Registers both weights with reportlab; the characters that they have."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    faces = [TTFont(name, f"{name}.ttf") for name in (PLAIN, BOLD)]
    for face in faces:
        pdfmetrics.registerFont(face)
    known = [set(face.face.charToGlyph) for face in faces]
    return frozenset(map(chr, known[0] & known[1]))


def writable(text: str) -> str:
    """The text in letters of the font: as it stands where that has them all."""
    return "".join(character if character in fonts() else _written(character) for character in text)


def _written(character: str) -> str:
    if character.isspace():
        return " "
    if latin := _LATIN.get(character.lower()):
        return latin if character.islower() else latin.capitalize()
    parts = [part for part in unicodedata.normalize("NFKD", character) if part in fonts()]
    if parts:
        return "".join(parts)
    unseen = unicodedata.category(character) in {"Mn", "Cf", "Cc"}
    return "" if unseen else f"[U+{ord(character):04X}]"
